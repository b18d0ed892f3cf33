/** How many there are of each key. A key of which there are none takes no room. */
export class KeyedCounts<Key> {
  readonly #counts = new Map<Key, number>();
  #total = 0;

  get(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }

  /** One more, or one less. Gives how many there are now. */
  add(key: Key, change: 1 | -1): number {
    const count = this.get(key) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
    this.#total += change;
    return count;
  }

  /** How many there are of all keys together. */
  get total(): number {
    return this.#total;
  }
}
