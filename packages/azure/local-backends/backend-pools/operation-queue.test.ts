import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { poolKey } from './local-services.ts';
import {
  afterFailure,
  type BackendPoolOperation,
  distinctServices,
  groupOperations,
  OperationQueue,
  parkedUntil,
  poolOf,
} from './operation-queue.ts';

const operation = (more: Partial<BackendPoolOperation> = {}): BackendPoolOperation => ({
  service: 'shop/web',
  loadBalancer: 'lb',
  backendPool: 'web',
  family: 'IPv4',
  retryCount: 0,
  nextEligibleAt: undefined,
  since: 0,
  ...more,
});
const arbitraryOperation: fc.Arbitrary<BackendPoolOperation> = fc
  .record({
    service: fc.constantFrom('shop/web' as const, 'shop/api' as const, 'b/c' as const),
    loadBalancer: fc.constantFrom('lb', 'LB', 'lb-2'),
    backendPool: fc.constantFrom('web', 'Web', 'api'),
    retryCount: fc.integer({ min: 0, max: 3 }),
    nextEligibleAt: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
    since: fc.integer({ min: 0, max: 100 }),
  })
  .map(operation);
const operations = fc.array(arbitraryOperation, { maxLength: 40 });
const identity = (entry: BackendPoolOperation) => `${poolOf(entry)} ${entry.service} ${entry.retryCount}`;
const latest = (entries: readonly BackendPoolOperation[]) =>
  entries.reduce<number | undefined>(
    (found, { nextEligibleAt = Number.NEGATIVE_INFINITY }) =>
      nextEligibleAt > (found ?? Number.NEGATIVE_INFINITY) ? nextEligibleAt : found,
    undefined,
  );

describe('the queue of operations', () => {
  it('makes one of those with the same pool, Service and retry count', () => {
    const queue = new OperationQueue();
    queue.add(operation({ since: 5 }));
    queue.add(operation({ since: 9, loadBalancer: 'LB' }));
    queue.add(operation({ retryCount: 1, nextEligibleAt: 50, since: 2 }));
    queue.add(operation({ retryCount: 1, nextEligibleAt: 40, since: 3 }));
    queue.add(operation({ service: 'shop/api' }));
    expect(queue.operations).toMatchObject([
      { retryCount: 0, since: 5 },
      { retryCount: 1, since: 2, nextEligibleAt: 50 },
      { service: 'shop/api' },
    ]);
  });

  it('stays bounded however many come, and keeps the longest wait and the earliest start of each', () => {
    fc.assert(
      fc.property(operations, (added) => {
        const queue = new OperationQueue();
        for (const entry of added) queue.add(entry);
        const byIdentity = Map.groupBy(added, identity);
        expect(queue.operations.map(identity)).toEqual([...byIdentity.keys()]);
        for (const entry of queue.operations) {
          const same = byIdentity.get(identity(entry)) ?? [];
          expect(entry.nextEligibleAt).toBe(latest(same));
          expect(entry.since).toBe(Math.min(...same.map(({ since }) => since)));
        }
      }),
    );
  });

  it('gives every operation to exactly one drain, and knows what is left of each pool', () => {
    fc.assert(
      fc.property(operations, (added) => {
        const queue = new OperationQueue();
        for (const entry of added) queue.add(entry);
        const held = queue.operations;
        const pool = poolKey('lb', 'web');
        const ofPool = held.filter((entry) => poolOf(entry) === pool);
        expect(queue.since(pool)).toBe(ofPool.length === 0 ? undefined : Math.min(...ofPool.map(({ since }) => since)));
        expect(queue.drainPool(pool)).toEqual(ofPool);
        expect([queue.hasPool(pool), queue.since(pool)]).toEqual([false, undefined]);
        const left = new Set(queue.operations.map(poolOf));
        expect(new Set(queue.loadBalancers.flatMap((loadBalancer) => queue.pools(loadBalancer)))).toEqual(left);
        for (const entry of left) expect(queue.hasPool(entry)).toBe(true);
        expect(queue.drain()).toEqual(held.filter((entry) => poolOf(entry) !== pool));
        expect([queue.size, ...held.map((entry) => queue.hasPool(poolOf(entry)))].every((left) => !left)).toBe(true);
      }),
    );
  });

  it('forgets all operations of a Service, and no others', () => {
    fc.assert(
      fc.property(operations, (added) => {
        const queue = new OperationQueue();
        for (const entry of added) queue.add(entry);
        const others = queue.operations.filter(({ service }) => service !== 'shop/web');
        queue.removeService('shop/web');
        expect(queue.operations).toEqual(others);
      }),
    );
  });
});

describe('groups of operations', () => {
  it('hold each relevant operation once, with its own kind, in order', () => {
    fc.assert(
      fc.property(operations, (drained) => {
        const isRelevant = ({ service }: BackendPoolOperation) => service !== 'b/c';
        const groups = groupOperations(drained, isRelevant);
        expect(new Set(groups.map(({ pool }) => pool)).size).toBe(groups.length);
        for (const group of groups) {
          expect(group.operations).toEqual(
            drained.filter((entry) => isRelevant(entry) && poolOf(entry) === group.pool),
          );
        }
        const grouped = groups.flatMap((group) => group.operations);
        expect(grouped).toHaveLength(drained.filter(isRelevant).length);
      }),
    );
  });

  it('are parked as long as the most restrictive of them, and no longer', () => {
    fc.assert(
      fc.property(operations, fc.integer({ min: 0, max: 110 }), (drained, now) => {
        for (const group of groupOperations(drained, () => true)) {
          const until = latest(group.operations);
          expect(parkedUntil(group, now)).toBe(until !== undefined && until > now ? until : undefined);
        }
      }),
    );
  });

  it('use up one retry of each operation in a failure, and lose none', () => {
    const eligible = fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined });
    fc.assert(
      fc.property(operations, fc.integer({ min: 0, max: 4 }), eligible, (failed, maxRetries, eligibleAt) => {
        const { again, exhausted } = afterFailure(failed, maxRetries, eligibleAt);
        expect(exhausted).toEqual(failed.filter(({ retryCount }) => retryCount >= maxRetries));
        expect(again).toEqual(
          failed
            .filter(({ retryCount }) => retryCount < maxRetries)
            .map((entry) => ({ ...entry, retryCount: entry.retryCount + 1, nextEligibleAt: eligibleAt })),
        );
        expect(again.every(({ retryCount }) => retryCount <= maxRetries)).toBe(true);
      }),
    );
  });

  it('name each Service once', () => {
    expect(distinctServices([operation(), operation({ service: 'b/c' }), operation({ retryCount: 2 })])).toEqual([
      'shop/web',
      'b/c',
    ]);
  });
});
