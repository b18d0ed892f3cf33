import { keyText } from '../resource.ts';
import type { KubeObject } from '../types/meta.ts';
import type { CollectionSink } from '../watch/collection-sink.ts';
import { compareResourceVersions } from '../watch/resource-version.ts';
import type { CacheChange } from './change.ts';

export interface ContentsListener<Kept> {
  changed(change: CacheChange<Kept>): void;
  /** A list was complete. */
  completed(): void;
}

/**
 * The objects of a cache. Pure: decides what an event or a list changes, and tells the listener.
 *
 * What comes twice or late changes nothing: an event about an object that is held in the same version or a newer one,
 * and an event about an object that is not held from before the position (it was deleted since).
 */
export class CacheContents<Kept extends KubeObject> implements CollectionSink<Kept> {
  readonly #objects = new Map<string, Kept>();
  readonly #listener: ContentsListener<Kept>;
  #position = '';
  #isComplete = false;
  /** The keys in the list under way; undefined while none is, and while nothing could be missing from it. */
  #listed: Set<string> | undefined;
  /** By key, what was listed in a version older than the one held. */
  readonly #outdated = new Map<string, Kept>();

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

  get objects(): ReadonlyMap<string, Kept> {
    return this.#objects;
  }

  listStarted(): void {
    this.#listed = this.#objects.size === 0 ? undefined : new Set();
    this.#outdated.clear();
  }

  listed(object: Kept): void {
    const key = keyText(object.metadata);
    this.#listed?.add(key);
    const held = this.#objects.get(key);
    if (held === undefined) {
      this.#add(key, object);
      return;
    }
    if (isOlder(versionOf(object), versionOf(held))) this.#outdated.set(key, object);
    else if (versionOf(object) !== versionOf(held)) this.#replace(key, held, object);
  }

  listedUnreadable(key: string): void {
    this.#listed?.add(key);
  }

  *listEnded(resourceVersion: string): Generator<void> {
    // A server that went back in time, restored from a backup, is right nevertheless.
    const wentBack = isOlder(resourceVersion, this.#position);
    for (const [key, object] of wentBack ? this.#outdated : []) {
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
    // Listed as it used to be, and deleted since: not part of the list any more.
    if (this.#outdated.delete(key)) this.#listed?.delete(key);
    if (held !== undefined && !isOlder(version, versionOf(held))) this.#remove(key, held);
    this.#advance(version);
  }

  bookmarked(resourceVersion: string): void {
    this.#position = resourceVersion;
  }

  #advance(version: string): void {
    if (isNewer(version, this.#position)) this.#position = version;
  }

  #add(key: string, after: Kept): void {
    this.#objects.set(key, after);
    this.#listener.changed({ type: 'add', key, after, initial: !this.#isComplete });
  }

  #replace(key: string, before: Kept, after: Kept): void {
    // Deleted and made anew while nobody looked: a namesake is not the same object.
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
