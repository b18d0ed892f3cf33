const NOTHING: ReadonlySet<never> = new Set<never>();

/** A set of values for each key. A key without values takes no room. */
export class SetMultimap<Key, Value> {
  readonly #sets = new Map<Key, Set<Value>>();

  /** The values under a key, in the order in which they came; it follows what is added and deleted later. */
  get(key: Key): ReadonlySet<Value> {
    return this.#sets.get(key) ?? NOTHING;
  }

  has(key: Key, value: Value): boolean {
    return this.get(key).has(value);
  }

  add(key: Key, value: Value): void {
    const values = this.#sets.get(key);
    if (values === undefined) this.#sets.set(key, new Set([value]));
    else values.add(value);
  }

  delete(key: Key, value: Value): void {
    const values = this.#sets.get(key);
    values?.delete(value);
    if (values?.size === 0) this.#sets.delete(key);
  }

  /** The keys that have values. */
  keys(): Iterable<Key> {
    return this.#sets.keys();
  }
}
