import { jsonEqual } from '../api/json-equal.ts';
import { keyText } from '../api/resource.ts';
import { compareResourceVersions } from '../api/resource-version.ts';
import type { KubeObject } from '../types/meta.ts';
import type { CollectionSink } from '../watch/object-intake.ts';
import type { CacheChange } from './change.ts';

/** Is told what a list or a watch event changed in a cache. */
export interface ContentsListener<Kept> {
  changed(change: CacheChange<Kept>): void;
  /** A list was complete. */
  completed(): void;
}

/**
 * The objects of a cache. Pure: decides what an event or a list changes, and tells the listener.
 *
 * What comes twice or late changes nothing: an event about an object that is held in the same version or a newer one,
 * and an event about an object that is not held from before the position (it was deleted since). A complete list is
 * taken over whatever the versions: a server that was restored from a backup goes back, and gives them once more.
 */
export class CacheContents<Kept extends KubeObject> implements CollectionSink<Kept> {
  readonly #objects = new Map<string, Kept>();
  readonly #listener: ContentsListener<Kept>;
  #position = '';
  #isComplete = false;
  /** Key to version in the list under way; undefined while none is, and while nothing could be missing from it. */
  #listed: Map<string, string> | undefined;
  /** By key, what the list under way has in a version older than the one held; for when it is complete. */
  readonly #outdated = new Map<string, Kept>();
  /** Key to version of what was deleted while the list under way was sent; undefined while none is. */
  #deletedMeanwhile: Map<string, string> | undefined;

  constructor(listener: ContentsListener<Kept>) {
    this.#listener = listener;
  }

  get position(): string {
    return this.#position;
  }

  /** Whether a list was ever complete. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether a list is under way, or broke off: some objects are as it has them, the others as they were before. */
  get isListing(): boolean {
    return this.#deletedMeanwhile !== undefined;
  }

  get objects(): ReadonlyMap<string, Kept> {
    return this.#objects;
  }

  listStarted(): void {
    this.#listed = this.#objects.size === 0 ? undefined : new Map();
    this.#outdated.clear();
    this.#deletedMeanwhile = new Map();
  }

  listed(object: Kept): void {
    const key = keyText(object.metadata);
    const version = versionOf(object);
    const deletedIn = this.#deletedMeanwhile?.get(key);
    if (deletedIn !== undefined && !isNewer(version, deletedIn)) return;
    const held = this.#objects.get(key);
    if (held !== undefined && isOlder(version, this.#listedVersion(key, held))) return;
    this.#listed?.set(key, version);
    if (held === undefined) {
      this.#add(key, object);
    } else if (isOlder(version, versionOf(held))) {
      this.#outdated.set(key, object);
    } else {
      this.#outdated.delete(key);
      if (version !== versionOf(held) || !jsonEqual(held, object)) this.#replace(key, held, object);
    }
  }

  listedUnreadable(key: string): void {
    this.#listed?.set(key, '');
  }

  *listEnded(resourceVersion: string): Generator<void> {
    for (const [key, object] of this.#outdated) {
      const held = this.#objects.get(key);
      if (held !== undefined) this.#replace(key, held, object);
      yield;
    }
    for (const [key, held] of this.#listed === undefined ? [] : this.#objects) {
      if (!this.#listed?.has(key)) this.#remove(key, held);
      yield;
    }
    this.#listed = undefined;
    this.#outdated.clear();
    this.#deletedMeanwhile = undefined;
    this.#position = resourceVersion;
    this.#isComplete = true;
    this.#listener.completed();
  }

  changed(object: Kept): void {
    const key = keyText(object.metadata);
    const held = this.#objects.get(key);
    const version = versionOf(object);
    if (held === undefined) {
      if (isNewer(version, this.#position)) this.#add(key, object);
    } else if (isNewer(version, versionOf(held))) {
      this.#replace(key, held, object);
    }
    this.#advance(version);
  }

  deleted(object: KubeObject): void {
    const key = keyText(object.metadata);
    const held = this.#objects.get(key);
    const version = versionOf(object);
    this.#deletedMeanwhile?.set(key, version);
    // Listed as it used to be, and deleted since: not part of the list any more.
    const listed = this.#listed?.get(key);
    if (listed !== undefined && !isOlder(version, listed)) {
      this.#outdated.delete(key);
      this.#listed?.delete(key);
    }
    if (held !== undefined && !isOlder(version, versionOf(held))) this.#remove(key, held);
    this.#advance(version);
  }

  bookmarked(resourceVersion: string): void {
    this.#position = resourceVersion;
  }

  /** Empty unless the list under way had the object before: what is late and repeated does not count. */
  #listedVersion(key: string, held: Kept): string {
    return this.#listed === undefined ? versionOf(held) : (this.#listed.get(key) ?? '');
  }

  #advance(version: string): void {
    if (isNewer(version, this.#position)) this.#position = version;
  }

  #add(key: string, after: Kept): void {
    this.#objects.set(key, after);
    this.#listener.changed({ type: 'add', key, after, initial: !this.#isComplete });
  }

  #replace(key: string, before: Kept, after: Kept): void {
    // Deleted and created anew between two events: a namesake is not the same object.
    if (before.metadata.uid !== after.metadata.uid) {
      this.#remove(key, before);
      this.#add(key, after);
      return;
    }
    this.#objects.set(key, after);
    this.#listener.changed({ type: 'update', key, before, after, initial: !this.#isComplete });
  }

  #remove(key: string, before: Kept): void {
    this.#objects.delete(key);
    this.#listener.changed({ type: 'delete', key, before, initial: !this.#isComplete });
  }
}

function versionOf(object: KubeObject): string {
  return object.metadata.resourceVersion ?? '';
}

function isOlder(left: string, right: string): boolean {
  return (compareResourceVersions(left, right) ?? 0) < 0;
}

/** What cannot be compared counts as newer: it came later. */
function isNewer(left: string, right: string): boolean {
  return (compareResourceVersions(left, right) ?? 1) > 0;
}
