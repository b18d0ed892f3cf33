/** What a collection of the API server is copied into. */
export interface CollectionSink<Kept> {
  /** The resource version up to which all changes are in; where a watch goes on from. */
  readonly position: string;
  /** A list begins. The one before, if it was not ended, does not count. */
  listStarted(): void;
  listed(object: Kept): void;
  /** The list was complete: what was not in it is gone. Each step does a little of the work. */
  listEnded(resourceVersion: string): Iterable<void>;
  changed(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Kept): void;
  /** Nothing else happened up to this version. */
  bookmarked(resourceVersion: string): void;
}
