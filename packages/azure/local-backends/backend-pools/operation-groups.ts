import type { ServiceKey } from '@fairlead/service';
import type { PoolKey } from './local-services.ts';
import { type BackendPoolOperation, poolOf } from './operation-queue.ts';

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
