import { type KubeObject, withMetadata } from '../object.ts';
import { StoredObject } from './stored-object.ts';

/** One write: what was there before and what is there after it. A removed object keeps its last state in `removed`. */
export interface StoreEvent {
  readonly resourceVersion: number;
  readonly collection: string;
  readonly key: string;
  readonly before: StoredObject | undefined;
  readonly after: StoredObject | undefined;
  /** The last state of an object that is gone, with the version of its removal. */
  readonly removed: StoredObject | undefined;
}

export type StoreListener = (event: StoreEvent) => void;

/** `namespace/name`, or `name` of an object without a namespace. Sorting by it gives the order of lists. */
export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

function keyOfObject({ metadata }: KubeObject): string {
  return keyOf(metadata.namespace, metadata.name);
}

interface Collection {
  readonly objects: Map<string, StoredObject>;
  sortedKeys: readonly string[] | undefined;
  lastWrite: number;
  /** By namespace; all under the empty name. Forgotten with every write. */
  readonly lists: Map<string, readonly StoredObject[]>;
  readonly history: StoreEvent[];
  readonly listeners: Set<StoreListener>;
}

const DEFAULT_HISTORY_LENGTH = 10_000;

/** All objects, with one counter of versions and a bounded memory of what happened. */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<StoreListener>();
  readonly #historyLength: number;
  #resourceVersion = 1;
  #compactedVersion = 0;

  constructor(historyLength = DEFAULT_HISTORY_LENGTH) {
    this.#historyLength = historyLength;
  }

  /** The version of the latest write. */
  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  /** The version of the latest write to a collection; 0 where there was none. */
  lastWriteTo(collection: string): number {
    return this.#collections.get(collection)?.lastWrite ?? 0;
  }

  /** History up to and including this version is gone. */
  get compactedVersion(): number {
    return this.#compactedVersion;
  }

  get(collection: string, namespace: string | undefined, name: string): StoredObject | undefined {
    return this.#collections.get(collection)?.objects.get(keyOf(namespace, name));
  }

  /** Every object of a collection, or of one namespace in it, in the order of their keys. */
  list(collection: string, namespace?: string): readonly StoredObject[] {
    const entry = this.#collections.get(collection);
    if (entry === undefined) return [];
    const known = entry.lists.get(namespace ?? '');
    if (known !== undefined) return known;
    entry.sortedKeys ??= [...entry.objects.keys()].sort();
    const prefix = namespace === undefined ? '' : `${namespace}/`;
    const found: StoredObject[] = [];
    for (const key of entry.sortedKeys) {
      const stored = key.startsWith(prefix) ? entry.objects.get(key) : undefined;
      if (stored !== undefined) found.push(stored);
    }
    entry.lists.set(namespace ?? '', found);
    return found;
  }

  /** As `list`, as it was at an earlier version that is still remembered. */
  listAt(collection: string, namespace: string | undefined, resourceVersion: number): readonly StoredObject[] {
    const current = this.list(collection, namespace);
    if (resourceVersion >= this.#resourceVersion) return current;
    const states = new Map(current.map((stored) => [keyOfObject(stored.object), stored]));
    const history = this.#collections.get(collection)?.history ?? [];
    for (const event of history.toReversed()) {
      if (event.resourceVersion <= resourceVersion) break;
      if (namespace !== undefined && !event.key.startsWith(`${namespace}/`)) continue;
      if (event.before === undefined) states.delete(event.key);
      else states.set(event.key, event.before);
    }
    return [...states.keys()].sort().flatMap((key) => states.get(key) ?? []);
  }

  /** Stores an object as it is now, under a new version. */
  put(collection: string, object: KubeObject): StoredObject {
    const entry = this.#collection(collection);
    const key = keyOfObject(object);
    const before = entry.objects.get(key);
    this.#resourceVersion += 1;
    const after = this.#stored(object);
    entry.objects.set(key, after);
    if (before === undefined) entry.sortedKeys = undefined;
    this.#record(entry, { resourceVersion: this.#resourceVersion, collection, key, before, after, removed: undefined });
    return after;
  }

  /** Forgets an object. `last` is how its removal is announced, where that differs from what is stored. */
  remove(collection: string, namespace: string | undefined, name: string, last?: KubeObject): StoredObject | undefined {
    const entry = this.#collection(collection);
    const key = keyOf(namespace, name);
    const before = entry.objects.get(key);
    if (before === undefined) return undefined;
    this.#resourceVersion += 1;
    entry.objects.delete(key);
    entry.sortedKeys = undefined;
    const removed = this.#stored(last ?? before.object);
    const resourceVersion = this.#resourceVersion;
    this.#record(entry, { resourceVersion, collection, key, before, after: undefined, removed });
    return removed;
  }

  /** What happened in a collection after this version, in order. */
  eventsSince(collection: string, resourceVersion: number): readonly StoreEvent[] {
    const history = this.#collections.get(collection)?.history ?? [];
    let start = history.length;
    while (start > 0 && (history[start - 1]?.resourceVersion ?? 0) > resourceVersion) start -= 1;
    return history.slice(start);
  }

  /** Calls back after every write to this collection until the returned function is called. */
  subscribe(collection: string, listener: StoreListener): () => void {
    const { listeners } = this.#collection(collection);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** Calls back after every write. */
  subscribeAll(listener: StoreListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Forgets the history up to a version: watches and lists from before it are answered with 410. */
  compact(upTo = this.#resourceVersion): void {
    this.#compactedVersion = Math.max(this.#compactedVersion, Math.min(upTo, this.#resourceVersion));
    for (const { history } of this.#collections.values()) {
      const kept = history.findIndex((event) => event.resourceVersion > this.#compactedVersion);
      history.splice(0, kept < 0 ? history.length : kept);
    }
  }

  #collection(name: string): Collection {
    let entry = this.#collections.get(name);
    if (entry === undefined) {
      entry = {
        objects: new Map(),
        sortedKeys: undefined,
        lastWrite: 0,
        lists: new Map(),
        history: [],
        listeners: new Set(),
      };
      this.#collections.set(name, entry);
    }
    return entry;
  }

  #stored(object: KubeObject): StoredObject {
    const resourceVersion = String(this.#resourceVersion);
    return new StoredObject(withMetadata(object, { resourceVersion }), this.#resourceVersion);
  }

  #record(entry: Collection, event: StoreEvent): void {
    entry.lists.clear();
    entry.lastWrite = event.resourceVersion;
    entry.history.push(event);
    if (entry.history.length > 2 * this.#historyLength) {
      const dropped = entry.history.splice(0, entry.history.length - this.#historyLength);
      this.#compactedVersion = Math.max(this.#compactedVersion, dropped.at(-1)?.resourceVersion ?? 0);
    }
    for (const listener of entry.listeners) listener(event);
    for (const listener of this.#listeners) listener(event);
  }
}
