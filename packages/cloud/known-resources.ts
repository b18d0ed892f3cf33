import type { Clock } from '@fairlead/control';
import { findCloudError, isWithoutEffect } from './cloud-error.ts';

/** What is known of something outside. `unknown`: a write was sent, and how it ended was not told. */
export type Known<Body> =
  | { readonly state: 'absent' }
  | { readonly state: 'present'; readonly body: Body }
  | { readonly state: 'unknown' };

const ABSENT = { state: 'absent' } as const;
const UNKNOWN = { state: 'unknown' } as const;

/**
 * What is known of all resources of one kind: as they were listed, and as our own writes have changed them since. By a
 * text that is equal for all spellings of the same name. What is not in it does not exist.
 */
export class KnownResources<Body> {
  readonly #clock: Clock;
  readonly #known = new Map<string, Known<Body>>();
  /** When we last wrote, or were told what became of it. */
  readonly #touchedAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(name: string): Known<Body> {
    return this.#known.get(name) ?? ABSENT;
  }

  set(name: string, known: Known<Body>): void {
    this.#touchedAt.set(name, this.#clock.monotonic());
    this.#put(name, known);
  }

  /**
   * Until a write has ended well, it is unknown what is there; when it was refused or throttled, and so without effect,
   * it is what was there before. What the write has made is for the caller to set.
   */
  async changing<Result>(name: string, write: () => Promise<Result>): Promise<Result> {
    const before = this.get(name);
    this.set(name, UNKNOWN);
    try {
      return await write();
    } catch (error) {
      // A failure that comes after the call was accepted leaves something behind, and has a status below 400.
      const isRefused = isWithoutEffect(error) && (findCloudError(error)?.status ?? 0) >= 400;
      if (isRefused) this.set(name, before);
      throw error;
    }
  }

  /** Like `changing`, for a write that takes effect on all of them or on none, however late it fails. */
  async changingTogether(names: readonly string[], write: () => Promise<void>): Promise<void> {
    const before = names.map((name) => this.get(name));
    for (const name of names) this.set(name, UNKNOWN);
    try {
      await write();
    } catch (error) {
      if (isWithoutEffect(error)) for (const [index, name] of names.entries()) this.set(name, before[index] ?? UNKNOWN);
      throw error;
    }
  }

  /** Takes over what was listed, except where our own writes know better than a list that was begun before them. */
  replaceWith(listed: ReadonlyMap<string, Body>, begunAt: number): void {
    const isOlder = (name: string) =>
      this.get(name).state !== 'unknown' && (this.#touchedAt.get(name) ?? Number.NEGATIVE_INFINITY) < begunAt;
    for (const name of this.#known.keys()) if (!listed.has(name) && isOlder(name)) this.#known.delete(name);
    for (const [name, body] of listed) if (isOlder(name)) this.#put(name, { state: 'present', body });
    for (const [name, touchedAt] of this.#touchedAt) if (touchedAt < begunAt) this.#touchedAt.delete(name);
  }

  *present(): Generator<Body> {
    for (const known of this.#known.values()) if (known.state === 'present') yield known.body;
  }

  #put(name: string, known: Known<Body>): void {
    if (known.state === 'absent') this.#known.delete(name);
    else this.#known.set(name, known);
  }
}
