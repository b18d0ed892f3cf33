import type { IpFamily } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import { loadBalancerOf, type PoolKey, poolKey } from './local-services.ts';

/**
 * Bring a backend pool in step on behalf of a Service. It does not say what the pool is to hold: that is looked up when
 * the pool is written, so that an old operation never overwrites what a newer one wrote.
 */
export interface BackendPoolOperation {
  readonly service: ServiceKey;
  readonly loadBalancer: string;
  readonly backendPool: string;
  readonly family: IpFamily;
  /** Retriable failures that it has been through. */
  readonly retryCount: number;
  /** On the monotonic clock: the server asked not to be called before. */
  readonly nextEligibleAt: number | undefined;
  /** On the monotonic clock: since when the pool is out of step. */
  readonly since: number;
}

export function poolOf({ loadBalancer, backendPool }: BackendPoolOperation): PoolKey {
  return poolKey(loadBalancer, backendPool);
}

/**
 * Operations that wait for the updater. Those of one pool and Service with the same retry count are one, so that the
 * queue never holds more than one for each retry there may be, however long the pool waits.
 *
 * Each method runs to its end before another begins: that is all the protection the queue needs.
 */
export class OperationQueue {
  /** In the order in which they came. */
  readonly #operations = new Map<string, BackendPoolOperation>();
  /** Load balancer -> pool -> the keys of the operations that wait for it. */
  readonly #pools = new Map<string, Map<PoolKey, Set<string>>>();

  get size(): number {
    return this.#operations.size;
  }

  get operations(): readonly BackendPoolOperation[] {
    return [...this.#operations.values()];
  }

  /** Those with pools that operations wait for. */
  get loadBalancers(): readonly string[] {
    return [...this.#pools.keys()];
  }

  /** The pools of a load balancer that operations wait for. */
  pools(loadBalancer: string): readonly PoolKey[] {
    return [...(this.#pools.get(loadBalancer)?.keys() ?? [])];
  }

  hasPool(pool: PoolKey): boolean {
    return this.#keys(pool).length > 0;
  }

  /** On the monotonic clock: since when the pool is out of step; undefined when nothing waits for it. */
  since(pool: PoolKey): number | undefined {
    const times = this.#keys(pool).flatMap((key) => this.#operations.get(key)?.since ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Of two that become one, the longest wait and the earliest start count. */
  add(operation: BackendPoolOperation): void {
    const key = identity(operation);
    const waiting = this.#operations.get(key);
    this.#operations.set(key, waiting === undefined ? operation : merged(waiting, operation));
    if (waiting === undefined) this.#index(poolOf(operation)).add(key);
  }

  /** Takes back all operations of a Service. */
  removeService(service: ServiceKey): void {
    this.#take([...this.#operations].flatMap(([key, operation]) => (operation.service === service ? [key] : [])));
  }

  /** Takes out all operations. */
  drain(): readonly BackendPoolOperation[] {
    return this.#take([...this.#operations.keys()]);
  }

  /** Takes out those of one pool. */
  drainPool(pool: PoolKey): readonly BackendPoolOperation[] {
    return this.#take(this.#keys(pool));
  }

  #take(keys: readonly string[]): readonly BackendPoolOperation[] {
    return keys.flatMap((key) => {
      const operation = this.#operations.get(key);
      if (operation === undefined) return [];
      this.#operations.delete(key);
      this.#forget(poolOf(operation), key);
      return [operation];
    });
  }

  #keys(pool: PoolKey): readonly string[] {
    return [...(this.#pools.get(loadBalancerOf(pool))?.get(pool) ?? [])];
  }

  #index(pool: PoolKey): Set<string> {
    const loadBalancer = loadBalancerOf(pool);
    const pools = this.#pools.get(loadBalancer) ?? new Map<PoolKey, Set<string>>();
    const keys = pools.get(pool) ?? new Set();
    this.#pools.set(loadBalancer, pools.set(pool, keys));
    return keys;
  }

  #forget(pool: PoolKey, key: string): void {
    const loadBalancer = loadBalancerOf(pool);
    const pools = this.#pools.get(loadBalancer);
    const keys = pools?.get(pool);
    keys?.delete(key);
    if (keys?.size === 0) pools?.delete(pool);
    if (pools?.size === 0) this.#pools.delete(loadBalancer);
  }
}

function identity(operation: BackendPoolOperation): string {
  return `${poolOf(operation)} ${operation.service} ${operation.retryCount}`;
}

function merged(left: BackendPoolOperation, right: BackendPoolOperation): BackendPoolOperation {
  const waits = [left.nextEligibleAt, right.nextEligibleAt].filter((at) => at !== undefined);
  return {
    ...right,
    nextEligibleAt: waits.length === 0 ? undefined : Math.max(...waits),
    since: Math.min(left.since, right.since),
  };
}

/** All operations for one backend pool: they are tried, parked and repeated together. */
export interface OperationGroup {
  readonly pool: PoolKey;
  readonly loadBalancer: string;
  readonly backendPool: string;
  readonly operations: readonly BackendPoolOperation[];
}

/**
 * The operations by pool, in the order in which the pools came. Those of a Service that is gone, or that has its load
 * balancer elsewhere by now, are left out.
 */
export function groupOperations(
  operations: readonly BackendPoolOperation[],
  isRelevant: (operation: BackendPoolOperation) => boolean,
): readonly OperationGroup[] {
  return [...Map.groupBy(operations.filter(isRelevant), poolOf)].flatMap(([pool, grouped]) => {
    const [first] = grouped;
    if (first === undefined) return [];
    return [{ pool, loadBalancer: first.loadBalancer, backendPool: first.backendPool, operations: grouped }];
  });
}

/** Until when the server asked to be left alone about the pool; the most restrictive operation decides for all. */
export function parkedUntil({ operations }: OperationGroup, now: number): number | undefined {
  const latest = Math.max(...operations.map(({ nextEligibleAt }) => nextEligibleAt ?? Number.NEGATIVE_INFINITY));
  return latest > now ? latest : undefined;
}

/** What a retriable failure of the whole group does to each of its operations. */
export interface AfterFailure {
  readonly again: readonly BackendPoolOperation[];
  readonly exhausted: readonly BackendPoolOperation[];
}

/** Whose fault it was cannot be told, so that each operation uses up one retry. */
export function afterFailure(
  operations: readonly BackendPoolOperation[],
  maxRetries: number,
  nextEligibleAt: number | undefined,
): AfterFailure {
  const isExhausted = ({ retryCount }: BackendPoolOperation) => retryCount >= maxRetries;
  return {
    again: operations
      .filter((operation) => !isExhausted(operation))
      .map((operation) => ({ ...operation, retryCount: operation.retryCount + 1, nextEligibleAt })),
    exhausted: operations.filter(isExhausted),
  };
}

/** Each Service once, in order. */
export function distinctServices(operations: readonly BackendPoolOperation[]): readonly ServiceKey[] {
  return [...new Set(operations.map(({ service }) => service))];
}
