import type { KubeObject } from '../types/meta.ts';

/** What a collection of the API server is copied into. */
export interface CollectionSink<Kept> {
  /** The resource version up to which all changes are in; where a watch goes on from. */
  readonly position: string;
  /** A list begins. The one before, if it was not ended, does not count. */
  listStarted(): void;
  listed(object: Kept): void;
  /** The list has an object that cannot be read: what is held of it stays. */
  listedUnreadable(key: string): void;
  /** The list was complete: what was not in it is gone. Each step does a little of the work. */
  listEnded(resourceVersion: string): Iterable<void>;
  /** Was added or modified. */
  changed(object: Kept): void;
  /** As the server sent it: it need not be readable to be gone. */
  deleted(object: KubeObject): void;
  /** Nothing else happened up to this version. */
  bookmarked(resourceVersion: string): void;
}
