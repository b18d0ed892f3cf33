/** Gives the next task of a key, undefined when there is none now. */
export type NextTask = (key: string) => (() => Promise<void>) | undefined;

/** One worker for each key: keys run at the same time, the tasks of one key one after the other, until none is left. */
export class KeyedWorkers {
  readonly #next: NextTask;
  readonly #working = new Map<string, Promise<void>>();
  readonly #failures: unknown[] = [];
  #isOver = false;

  constructor(next: NextTask) {
    this.#next = next;
  }

  /** There may be tasks for these keys. False when all workers have ended: then none of the tasks is taken. */
  offer(keys: Iterable<string>): boolean {
    if (this.#isOver) return false;
    for (const key of keys) if (!this.#working.has(key)) this.#working.set(key, this.#work(key));
    return true;
  }

  /** Resolves when all tasks are done, those of keys that were offered meanwhile included; rejects if one failed. */
  async finished(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working.values());
    this.#isOver = true;
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  async #work(key: string): Promise<void> {
    // The key has to be known as one that is worked on before it may be found that there is nothing to do.
    await Promise.resolve();
    try {
      for (let task = this.#next(key); task !== undefined; task = this.#next(key)) await task();
    } catch (error) {
      this.#failures.push(error);
    }
    this.#working.delete(key);
  }
}
