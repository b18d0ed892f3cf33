import { SetMultimap } from '@fairlead/control';
import type { KubeObject } from '../types/meta.ts';
import type { CacheChange } from './change.ts';

/** The values under which an object is found, such as the name of its Service. The same for the same object. */
export type IndexFunction<Kept extends KubeObject> = (object: Kept) => readonly string[];

/** Finds the objects of a cache by something else than their name. */
export class CacheIndex<Kept extends KubeObject> {
  readonly #valuesOf: IndexFunction<Kept>;
  readonly #objects: ReadonlyMap<string, Kept>;
  readonly #onError: (key: string, error: unknown) => void;
  /** By value, the keys of the objects that have it. */
  readonly #keys = new SetMultimap<string, string>();

  constructor(
    valuesOf: IndexFunction<Kept>,
    objects: ReadonlyMap<string, Kept>,
    onError: (key: string, error: unknown) => void,
  ) {
    this.#valuesOf = valuesOf;
    this.#objects = objects;
    this.#onError = onError;
    for (const [key, object] of objects) this.#put(key, object);
  }

  /** The objects under a value, in no particular order. */
  get(value: string): readonly Kept[] {
    const found: Kept[] = [];
    for (const key of this.#keys.get(value)) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** Whether this is the function it was made with. */
  isBy(valuesOf: IndexFunction<Kept>): boolean {
    return this.#valuesOf === valuesOf;
  }

  update(change: CacheChange<Kept>): void {
    if (change.type !== 'add') this.#take(change.key, change.before);
    if (change.type !== 'delete') this.#put(change.key, change.after);
  }

  #put(key: string, object: Kept): void {
    for (const value of this.#valuesFor(key, object)) this.#keys.add(value, key);
  }

  #take(key: string, object: Kept): void {
    for (const value of this.#valuesFor(key, object)) this.#keys.delete(value, key);
  }

  #valuesFor(key: string, object: Kept): readonly string[] {
    try {
      return this.#valuesOf(object);
    } catch (error) {
      this.#onError(key, error);
      return [];
    }
  }
}
