import { FairleadError } from '../errors.ts';

interface QueuedTask {
  /** Called when the task has a slot. */
  readonly start: () => void;
  readonly refuse: (reason: unknown) => void;
  started: boolean;
}

/**
 * Runs tasks side by side, at most so many at once. Tasks of one key run one after the other, in the order in which
 * they came; keys take turns, so that one with many tasks does not starve the rest.
 */
export class Lanes {
  readonly #slots: number;
  /** For each key that has tasks: the one that runs or claims a slot, then those behind it. */
  readonly #queues = new Map<string, Set<QueuedTask>>();
  /** Who gets the next free slot, in order: the first task of each key. */
  readonly #claims = new Set<() => void>();
  #taken = 0;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(slots: number) {
    if (!Number.isInteger(slots) || slots < 1) throw new RangeError(`lanes need at least one slot, not ${slots}`);
    this.#slots = slots;
  }

  /** Tasks that have a slot now. */
  get running(): number {
    return this.#taken;
  }

  /** Tasks that wait for a slot or for their key. */
  get waiting(): number {
    let unfinished = 0;
    for (const queue of this.#queues.values()) unfinished += queue.size;
    return unfinished - this.#taken;
  }

  /**
   * Settles as the task does. The signal takes back a task that has not started, with its reason; a running task has
   * to listen to it itself.
   */
  run<Result>(key: string, task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      if (this.#closed !== undefined) {
        reject(closedError());
        return;
      }
      const run = async () => {
        try {
          resolve(await task());
        } catch (error) {
          reject(error);
        } finally {
          this.#finish(key, queued);
        }
      };
      const onAbort = () => queued.refuse(signal?.reason);
      const queued: QueuedTask = {
        started: false,
        start: () => {
          queued.started = true;
          signal?.removeEventListener('abort', onAbort);
          void run();
        },
        refuse: (reason) => {
          signal?.removeEventListener('abort', onAbort);
          this.#leave(key, queued);
          reject(reason);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#enter(key, queued);
    });
  }

  /** Takes no more tasks, refuses those that have not started, and resolves when the running ones are finished. */
  close(): Promise<void> {
    if (this.#closed === undefined) {
      this.#closed = Promise.withResolvers();
      for (const queue of this.#queues.values()) {
        for (const queued of queue) if (!queued.started) queued.refuse(closedError());
      }
      this.#resolveWhenDrained();
    }
    return this.#closed.promise;
  }

  #enter(key: string, queued: QueuedTask): void {
    const queue = this.#queues.get(key);
    if (queue !== undefined) {
      queue.add(queued);
      return;
    }
    this.#queues.set(key, new Set([queued]));
    this.#claimSlot(queued.start);
  }

  /** Takes a task out of the queue of its key; when it stood first, the next one claims a slot. */
  #leave(key: string, queued: QueuedTask): void {
    const queue = this.#queues.get(key);
    const [first] = queue ?? [];
    queue?.delete(queued);
    if (first !== queued) return;
    this.#claims.delete(queued.start);
    const [next] = queue ?? [];
    if (next === undefined) this.#queues.delete(key);
    else this.#claimSlot(next.start);
  }

  #finish(key: string, queued: QueuedTask): void {
    this.#leave(key, queued);
    this.#taken -= 1;
    this.#grant();
    this.#resolveWhenDrained();
  }

  #claimSlot(granted: () => void): void {
    this.#claims.add(granted);
    this.#grant();
  }

  #grant(): void {
    for (const granted of this.#claims) {
      if (this.#taken >= this.#slots) return;
      this.#claims.delete(granted);
      this.#taken += 1;
      granted();
    }
  }

  #resolveWhenDrained(): void {
    if (this.#queues.size === 0) this.#closed?.resolve();
  }
}

function closedError(): FairleadError {
  return new FairleadError('shutting down: no further work is started', { verdict: 'retriable', code: 'lanes-closed' });
}
