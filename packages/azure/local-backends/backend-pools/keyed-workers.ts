/** Gives the next task of a key, undefined when there is none now. */
export type NextTask = (key: string) => (() => Promise<void>) | undefined;

/** Works on several keys at once, and on each of them at one task after the other, for as long as there are any. */
export class SideBySide {
  readonly #next: NextTask;
  readonly #working = new Map<string, Promise<void>>();
  readonly #failures: unknown[] = [];
  #isOver = false;

  constructor(next: NextTask) {
    this.#next = next;
  }

  /** There may be tasks for these keys. False when it is over, and nobody looks any more. */
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
