/** Keys that wait for their turn: the highest priority first, and the longest waiting of these. */
export class ReadyKeys {
  /** By priority, the keys in the order in which they came. */
  readonly #byPriority = new Map<number, Set<string>>();
  readonly #priorities = new Map<string, number>();

  get size(): number {
    return this.#priorities.size;
  }

  has(key: string): boolean {
    return this.#priorities.has(key);
  }

  /** Adds the key, or raises its priority; a lower one changes nothing. */
  add(key: string, priority: number): void {
    const current = this.#priorities.get(key);
    if (current !== undefined && current >= priority) return;
    if (current !== undefined) this.#remove(key, current);
    this.#priorities.set(key, priority);
    const keys = this.#byPriority.get(priority);
    if (keys === undefined) this.#byPriority.set(priority, new Set([key]));
    else keys.add(key);
  }

  /** Takes out the key whose turn it is. */
  take(): string | undefined {
    const priority = Math.max(...this.#byPriority.keys());
    for (const key of this.#byPriority.get(priority) ?? []) {
      this.#remove(key, priority);
      return key;
    }
    return undefined;
  }

  clear(): void {
    this.#byPriority.clear();
    this.#priorities.clear();
  }

  #remove(key: string, priority: number): void {
    this.#priorities.delete(key);
    const keys = this.#byPriority.get(priority);
    keys?.delete(key);
    if (keys?.size === 0) this.#byPriority.delete(priority);
  }
}
