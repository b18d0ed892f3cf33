import type { Clock } from '@fairlead/control';

/** Works on many keys at once; gives those that failed, and why. */
export type BatchWork<Key> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, unknown>>;

/**
 * Gathers keys that are submitted one by one, and works on all there are at once; those that come meanwhile make up
 * the next batch. So many Services that change together cost as many calls as one.
 */
export class KeyBatcher<Key> {
  readonly #clock: Clock;
  readonly #work: BatchWork<Key>;
  #waiting = new Map<Key, PromiseWithResolvers<void>>();
  #isRunning = false;

  constructor(clock: Clock, work: BatchWork<Key>) {
    this.#clock = clock;
    this.#work = work;
  }

  /** Settles as the work on the key does. */
  submit(key: Key): Promise<void> {
    const waiting = this.#waiting.get(key) ?? Promise.withResolvers<void>();
    this.#waiting.set(key, waiting);
    if (!this.#isRunning) void this.#run();
    return waiting.promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      await this.#clock.turn();
      const batch = this.#waiting;
      this.#waiting = new Map();
      await this.#workOn(batch);
    }
    this.#isRunning = false;
  }

  async #workOn(batch: ReadonlyMap<Key, PromiseWithResolvers<void>>): Promise<void> {
    try {
      const failures = await this.#work([...batch.keys()]);
      for (const [key, { resolve, reject }] of batch) {
        if (failures.has(key)) reject(failures.get(key));
        else resolve();
      }
    } catch (error) {
      for (const { reject } of batch.values()) reject(error);
    }
  }
}
