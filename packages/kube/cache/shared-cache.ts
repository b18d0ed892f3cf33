import { errorFields, FairleadError, type Logger, orAborted } from '@fairlead/control';
import { collectionPath, keyText, type ObjectKey } from '../api/resource.ts';
import type { KubeObject } from '../types/meta.ts';
import { CollectionWatch, type CollectionWatchOptions, type WatchDependencies } from '../watch/collection-watch.ts';
import type { WatchStatus } from '../watch/watch-health.ts';
import type { WorkSlices } from '../watch/work-slices.ts';
import { CacheIndex, type IndexFunction } from './cache-index.ts';
import type { CacheChange, CacheHandler } from './change.ts';
import { CacheContents } from './contents.ts';
import { HandlerFeed } from './handler-feed.ts';

/** How far a cache is in step with the API server, and why it is not. */
export interface CacheStatus extends WatchStatus {
  readonly name: string;
  /** Of the collection at the API server. */
  readonly path: string;
  /** Whether all objects were ever listed: until then, what is not in the cache may exist nevertheless. */
  readonly synced: boolean;
  readonly objects: number;
}

/** How a handler is told of the changes of a cache. */
export interface SubscribeOptions {
  /**
   * What a list brings is told when it is complete, all at once: put together, what the handler was told is always a state
   * that the collection had. Otherwise it is told object by object, as the list is read.
   */
  readonly whole?: boolean;
}

/** A handler that is being told of changes. */
export interface Subscription {
  /** Resolves when the handler was told of everything that was in the cache when it came. */
  readonly caughtUp: Promise<void>;
  cancel(): void;
}

/**
 * A collection of the API server, complete in memory and kept in step by one list and watch, however many handlers
 * there are. Its objects are shared by all readers: never change one.
 */
export class SharedCache<Kept extends KubeObject> {
  readonly name: string;
  readonly #path: string;
  readonly #contents: CacheContents<Kept>;
  readonly #watch: CollectionWatch<Kept>;
  readonly #logger: Logger;
  readonly #slices: WorkSlices;
  readonly #indexes = new Map<string, CacheIndex<Kept>>();
  readonly #feeds = new Set<HandlerFeed<Kept>>();
  readonly #firstSync = Promise.withResolvers<void>();

  constructor(options: Omit<CollectionWatchOptions<Kept>, 'sink'>, dependencies: WatchDependencies) {
    this.name = options.name;
    this.#path = collectionPath(options.resource, options.scope.namespace);
    this.#logger = dependencies.logger.child({ cache: options.name });
    this.#slices = dependencies.slices;
    this.#contents = new CacheContents({
      changed: (change) => this.#tell(change),
      completed: () => {
        this.#firstSync.resolve();
        for (const feed of this.#feeds) feed.release();
      },
    });
    this.#watch = new CollectionWatch({ ...options, sink: this.#contents }, dependencies);
    // It may be stopped while no caller waits for it.
    this.#firstSync.promise.catch(() => {});
  }

  /** Keeps the cache in step until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#watch.run(signal);
    this.#firstSync.reject(
      new FairleadError(`the cache of ${this.name} was stopped before it was complete`, {
        verdict: 'stale',
        code: 'cache-stopped',
      }),
    );
  }

  /** Lists once more: what is wanted has changed. What is held stays meanwhile. */
  relist(): void {
    this.#watch.relist();
  }

  /** By `namespace/name`, or `name` for a cluster-wide object. */
  get(key: string | ObjectKey): Kept | undefined {
    return this.#contents.objects.get(typeof key === 'string' ? key : keyText(key));
  }

  list(): readonly Kept[] {
    return [...this.#contents.objects.values()];
  }

  keys(): Iterable<string> {
    return this.#contents.objects.keys();
  }

  get size(): number {
    return this.#contents.objects.size;
  }

  /**
   * Finds objects by what `valuesOf` says of them. Asked again with the same name and function, gives the same index.
   * An object for which the function throws is logged, and not found by this index.
   */
  index(name: string, valuesOf: IndexFunction<Kept>): CacheIndex<Kept> {
    const existing = this.#indexes.get(name);
    if (existing === undefined) {
      const created = new CacheIndex(valuesOf, this.#contents.objects, (key, error) =>
        this.#logger.error({ key, index: name, ...errorFields(error) }, 'an object could not be indexed'),
      );
      this.#indexes.set(name, created);
      return created;
    }
    if (existing.isBy(valuesOf)) return existing;
    throw new FairleadError(`the cache of ${this.name} has another index named ${name}: choose another name`, {
      verdict: 'terminal',
      code: 'index-name-taken',
    });
  }

  /** Tells the handler of all objects there are, and from then on of every change. */
  subscribe(handler: CacheHandler<Kept>, { whole = false }: SubscribeOptions = {}): Subscription {
    const feed = new HandlerFeed(handler, this.#logger, () => whole && this.#contents.isListing);
    this.#feeds.add(feed);
    const cancel = () => {
      feed.cancel();
      this.#feeds.delete(feed);
    };
    return { caughtUp: feed.replay(this.#contents.objects, this.#slices), cancel };
  }

  get hasSynced(): boolean {
    return this.#contents.isComplete;
  }

  /** Resolves once all objects were listed. */
  async synced(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await orAborted(this.#firstSync.promise, signal);
  }

  get status(): CacheStatus {
    const { name, size: objects, hasSynced: synced } = this;
    return { ...this.#watch.status, name, path: this.#path, synced, objects };
  }

  /** Indexes first: a handler may look something up. One that is added meanwhile finds the change in the objects. */
  #tell(change: CacheChange<Kept>): void {
    for (const index of this.#indexes.values()) index.update(change);
    const present = [...this.#feeds];
    for (const feed of present) feed.deliver(change);
  }
}
