import type { Clock, Logger, Metrics, Random } from '@fairlead/control';
import type { ApiConnection } from '../api/connection.ts';
import { collectionPath, type Resource } from '../api/resource.ts';
import type { KubeObject } from '../types/meta.ts';
import type { CollectionScope } from '../watch/collection-watch.ts';
import { Interner } from '../watch/interner.ts';
import { ObjectDecoder, type Projection } from '../watch/object-decoder.ts';
import { WorkSlices } from '../watch/work-slices.ts';
import { type CacheStatus, SharedCache } from './shared-cache.ts';

/** What all caches of a process share. */
export interface CacheFactoryOptions {
  readonly connection: ApiConnection;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Is called when a cache failed to come in step, and when all its objects were listed. */
  readonly onStatus?: () => void;
  /** Stops all caches. */
  readonly signal: AbortSignal;
}

interface Entry {
  readonly id: string;
  readonly projection: unknown;
  readonly cache: Pick<SharedCache<KubeObject>, 'synced' | 'status'>;
}

/** Makes caches, which run from then on: one for the same objects, however many controllers ask for it. */
export class CacheFactory {
  readonly #options: CacheFactoryOptions;
  readonly #slices: WorkSlices;
  readonly #interner = new Interner();
  readonly #entries: Entry[] = [];

  constructor(options: CacheFactoryOptions) {
    this.#options = options;
    this.#slices = new WorkSlices(options.clock);
  }

  /** Whole objects, but for their managed fields. */
  cache<Kind extends KubeObject>(resource: Resource<Kind>, scope: CollectionScope = {}): SharedCache<Kind> {
    return this.projected(resource, wholeObject, scope);
  }

  /** Keeps of each object what the projection returns. Caches are shared by those who pass the same function. */
  projected<Kind extends KubeObject, Kept extends KubeObject>(
    resource: Resource<Kind>,
    projection: Projection<Kind, Kept>,
    scope: CollectionScope = {},
  ): SharedCache<Kept> {
    const id = idOf(resource, scope);
    for (const entry of this.#entries) {
      if (isCacheOf(entry, id, projection)) return entry.cache;
    }
    return this.#start(resource, projection, scope);
  }

  #start<Kind extends KubeObject, Kept extends KubeObject>(
    resource: Resource<Kind>,
    projection: Projection<Kind, Kept>,
    scope: CollectionScope,
    isWanted?: (object: Kept) => boolean,
  ): SharedCache<Kept> {
    const decoder = new ObjectDecoder(resource, projection, this.#interner);
    const decode = (value: unknown) => decoder.decode(value);
    const selection = isWanted === undefined ? {} : { isWanted };
    const cache = new SharedCache(
      { name: nameOf(resource, scope), resource, scope, decode, ...selection },
      { ...this.#options, slices: this.#slices },
    );
    this.#entries.push({ id: isWanted === undefined ? idOf(resource, scope) : '', projection, cache });
    void cache.run(this.#options.signal);
    return cache;
  }

  /**
   * Keeps only objects that are wanted, and shares the cache with no one. Asked when an object is listed or changes:
   * when something else is wanted, list again.
   */
  selected<Kind extends KubeObject>(
    resource: Resource<Kind>,
    isWanted: (object: Kind) => boolean,
    scope: CollectionScope = {},
  ): SharedCache<Kind> {
    return this.#start(resource, wholeObject<Kind>, scope, isWanted);
  }

  /** Resolves when all caches made so far are complete. */
  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#entries.map(({ cache }) => cache.synced(signal)));
  }

  /** Of all caches, for readiness. */
  statuses(): readonly CacheStatus[] {
    return this.#entries.map(({ cache }) => cache.status);
  }
}

function idOf(resource: Resource<KubeObject>, scope: CollectionScope): string {
  return `${collectionPath(resource, scope.namespace)}${selectorText(scope)}`;
}

function wholeObject<Kind extends KubeObject>(object: Kind): Kind {
  return object;
}

/** The path says what is served, and the projection what is kept of it. */
function isCacheOf<Kind extends KubeObject, Kept extends KubeObject>(
  entry: Entry,
  id: string,
  projection: Projection<Kind, Kept>,
): entry is Entry & { readonly cache: SharedCache<Kept> } {
  return entry.id === id && entry.projection === projection;
}

/** `services` or `endpointslices.discovery.k8s.io in shop?labelSelector=app`: for people and metrics. */
function nameOf(resource: Resource<KubeObject>, scope: CollectionScope): string {
  const plural = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
  const place = scope.namespace === undefined ? '' : ` in ${scope.namespace}`;
  return `${plural}${place}${selectorText(scope)}`;
}

function selectorText({ labelSelector, fieldSelector }: CollectionScope): string {
  const parts = Object.entries({ labelSelector, fieldSelector }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
