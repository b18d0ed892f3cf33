/** Of one priority: namespace -> its keys, in the order in which they came. The namespace whose turn it is comes first. */
type Turns = Map<string, Set<string>>;

/**
 * Keys that wait for their turn: the highest priority first. Of these, namespaces take turns, and each gives its longest
 * waiting key, so that one namespace with thousands of them holds up no other.
 */
export class ReadyKeys {
  readonly #byPriority = new Map<number, Turns>();
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
    const turns: Turns = this.#byPriority.get(priority) ?? new Map();
    this.#byPriority.set(priority, turns);
    const keys = turns.get(namespaceOf(key));
    if (keys === undefined) turns.set(namespaceOf(key), new Set([key]));
    else keys.add(key);
  }

  /** Takes out the key whose turn it is; its namespace goes to the end of the line. */
  take(): string | undefined {
    const priority = Math.max(...this.#byPriority.keys());
    for (const [namespace, keys] of this.#byPriority.get(priority) ?? []) {
      for (const key of keys) {
        this.#remove(key, priority);
        const turns = this.#byPriority.get(priority);
        if (turns?.delete(namespace) === true) turns.set(namespace, keys);
        return key;
      }
    }
    return undefined;
  }

  clear(): void {
    this.#byPriority.clear();
    this.#priorities.clear();
  }

  #remove(key: string, priority: number): void {
    this.#priorities.delete(key);
    const turns = this.#byPriority.get(priority);
    const keys = turns?.get(namespaceOf(key));
    keys?.delete(key);
    if (keys?.size === 0) turns?.delete(namespaceOf(key));
    if (turns?.size === 0) this.#byPriority.delete(priority);
  }
}

function namespaceOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
}
