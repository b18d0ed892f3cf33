import { type KubeObject, keyText } from '@fairlead/kube';

/** Objects of one kind as they were seen: a cache while a leader runs, a list for a command that only looks. */
export interface Store<Kind extends KubeObject> {
  /** By `namespace/name`, or `name` for a cluster-wide object. */
  get(key: string): Kind | undefined;
  list(): readonly Kind[];
  readonly size: number;
  index(name: string, valuesOf: (object: Kind) => readonly string[]): { get(value: string): readonly Kind[] };
}

/** A list that was read once. */
export class ListedStore<Kind extends KubeObject> implements Store<Kind> {
  readonly #objects: ReadonlyMap<string, Kind>;

  constructor(objects: readonly Kind[]) {
    this.#objects = new Map(objects.map((object) => [keyText(object.metadata), object]));
  }

  get(key: string): Kind | undefined {
    return this.#objects.get(key);
  }

  list(): readonly Kind[] {
    return [...this.#objects.values()];
  }

  get size(): number {
    return this.#objects.size;
  }

  index(_name: string, valuesOf: (object: Kind) => readonly string[]): { get(value: string): readonly Kind[] } {
    const found = Map.groupBy(
      this.list().flatMap((object) => valuesOf(object).map((value) => ({ value, object }))),
      ({ value }) => value,
    );
    return { get: (value) => (found.get(value) ?? []).map(({ object }) => object) };
  }
}
