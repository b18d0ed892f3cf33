import { errorFields, type Logger } from '@fairlead/control';
import type { WorkSlices } from '../watch/work-slices.ts';
import type { CacheChange, CacheHandler } from './change.ts';

/** Tells one handler of changes, in order and without gaps, from what is there when it comes. */
export class HandlerFeed<Kept> {
  readonly #handler: CacheHandler<Kept>;
  readonly #logger: Logger;
  /** What happened since it came, until it was told of all that was there. */
  #waiting: CacheChange<Kept>[] | undefined;
  readonly #isHeld: () => boolean;
  /** What happened while it is held. */
  #held: CacheChange<Kept>[] = [];
  /** Tells of all that is there, once it is no longer held. */
  #begin: (() => void) | undefined;
  #isCancelled = false;

  /** While `isHeld`, the handler is told nothing new, until `release`. */
  constructor(handler: CacheHandler<Kept>, logger: Logger, isHeld: () => boolean = () => false) {
    this.#handler = handler;
    this.#logger = logger;
    this.#isHeld = isHeld;
  }

  /** Tells of all objects in slices; changes that come meanwhile follow after them. */
  replay(objects: ReadonlyMap<string, Kept>, slices: WorkSlices): Promise<void> {
    if (!this.#isHeld()) return this.#replay(objects, slices);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#begin = () => resolve(this.#replay(objects, slices));
    return promise;
  }

  async #replay(objects: ReadonlyMap<string, Kept>, slices: WorkSlices): Promise<void> {
    const waiting: CacheChange<Kept>[] = [];
    this.#waiting = waiting;
    // As it is now: what happens from here on is told as changes.
    const present = new Map(objects);
    for (const [key, after] of present) {
      this.#tell({ type: 'add', key, after, initial: true });
      if (slices.isOver) await slices.pause();
    }
    // More may come while these are told.
    for (const change of waiting) {
      this.#tell(change);
      if (slices.isOver) await slices.pause();
    }
    this.#waiting = undefined;
  }

  deliver(change: CacheChange<Kept>): void {
    if (this.#isHeld()) this.#held.push(change);
    else if (this.#waiting === undefined) this.#tell(change);
    else this.#waiting.push(change);
  }

  /** It is no longer held. */
  release(): void {
    const held = this.#held;
    const begin = this.#begin;
    this.#held = [];
    this.#begin = undefined;
    // What is there has all that was held.
    if (begin !== undefined) return begin();
    for (const change of held) this.deliver(change);
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  #tell(change: CacheChange<Kept>): void {
    if (this.#isCancelled) return;
    try {
      this.#handler(change);
    } catch (error) {
      this.#logger.error(
        { key: change.key, change: change.type, ...errorFields(error) },
        'a handler failed on a change',
      );
    }
  }
}
