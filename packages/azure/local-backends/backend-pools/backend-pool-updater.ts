import { type Clock, type IpAddress, type Logger, messageOf, sleep } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import type { ArmClient, ArmId } from '../../arm/index.ts';
import type { ResourceHolding, UpdateLocks } from '../azure-resource-locker.ts';
import type { UpdaterSettings } from '../configuration.ts';
import type { BackendTracker } from './backend-tracker.ts';
import { LeadingEdge } from './leading-edge.ts';
import { type LocalServices, type PoolKey, poolKey } from './local-services.ts';
import {
  afterFailure,
  type BackendPoolOperation,
  distinctServices,
  groupOperations,
  type OperationGroup,
  OperationQueue,
  parkedUntil,
  poolOf,
} from './operation-queue.ts';
import { mergeEntries } from './pool-entries.ts';
import { classifyUpdateError } from './update-error.ts';
import type { UpdateReporter } from './update-reporter.ts';

/** Which pool is out of step, and on whose behalf. */
export type FreshOperation = Pick<BackendPoolOperation, 'service' | 'loadBalancer' | 'backendPool' | 'family'>;

export interface BackendPoolUpdaterOptions extends UpdateLocks {
  readonly client: Pick<ArmClient, 'get' | 'put'>;
  readonly poolId: (loadBalancer: string, backendPool: string) => ArmId<'backendAddressPools'>;
  readonly networkId: ArmId<'virtualNetworks'>;
  readonly services: LocalServices;
  readonly backends: Pick<BackendTracker, 'addresses' | 'isNode'>;
  readonly reporter: UpdateReporter;
  readonly settings: UpdaterSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A pool that the Service should have was deleted by another program. */
  readonly poolMissing: (service: ServiceKey) => void;
}

/**
 * Brings backend pools in step with the nodes that serve their Services: gathers changes, and once in an interval reads
 * and writes each pool that is out of step. A pool gets what is right at that moment, never what was right
 * when the operation was queued.
 */
export class BackendPoolUpdater {
  readonly #options: BackendPoolUpdaterOptions;
  readonly #queue = new OperationQueue();
  readonly #leadingEdge: LeadingEdge;
  /** The tick that is waited for or worked on, on the monotonic clock. */
  #tickAt = 0;

  constructor(options: BackendPoolUpdaterOptions) {
    this.#options = options;
    this.#leadingEdge = new LeadingEdge(options.clock, options.settings);
  }

  /** What waits, in order. */
  get operations(): readonly BackendPoolOperation[] {
    return this.#queue.operations;
  }

  countOperations(): number {
    return this.#queue.size;
  }

  addOperation(fresh: FreshOperation): void {
    const pool = poolKey(fresh.loadBalancer, fresh.backendPool);
    const isFirst = !this.#queue.hasPool(pool);
    const since = this.#options.clock.monotonic();
    this.#queue.add({ ...fresh, retryCount: 0, nextEligibleAt: undefined, since });
    this.#options.reporter.queued(this.#queue.size);
    if (isFirst) this.#leadingEdge.follow(pool);
  }

  /** Takes back what waits for the Service; what is in hand is found to be stale before it is told or repeated. */
  removeOperation(service: ServiceKey): void {
    this.#queue.removeService(service);
    this.#options.reporter.queued(this.#queue.size);
  }

  /** Ticks until the signal aborts; what waits then is dropped with the process. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, settings } = this.#options;
    const { intervalMilliseconds } = settings;
    const leadingRuns = new Set<Promise<void>>();
    this.#leadingEdge.start((pools) => {
      const run = this.process(signal, pools)
        .catch((error: unknown) => {
          if (!signal.aborted) logger.error({ error: messageOf(error) }, 'backend pools wait for the tick');
        })
        .finally(() => leadingRuns.delete(run));
      leadingRuns.add(run);
    });
    this.#tickAt = clock.monotonic() + intervalMilliseconds;
    try {
      for (;;) {
        await sleep(clock, this.#tickAt - clock.monotonic(), signal);
        await this.process(signal);
        // Ticks that came due meanwhile are left out.
        this.#tickAt = this.#tickFrom();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#leadingEdge.stop();
      await Promise.all(leadingRuns);
    }
  }

  /** Tries each pool with operations that is due. `pools` are those for which a run outside the tick was asked. */
  async process(signal: AbortSignal, pools?: ReadonlySet<PoolKey>): Promise<void> {
    const { serviceReconcileLock } = this.#options;
    await serviceReconcileLock.run('backend-pool-updater', () => this.#process(signal, pools), signal);
  }

  async #process(signal: AbortSignal, pools: ReadonlySet<PoolKey> | undefined): Promise<void> {
    const { azureResourceLocker, logger, reporter } = this.#options;
    this.#leadingEdge.forgetQuietPools();
    // Whatever came due while this run waited for its turn goes along, as the locks are taken only once for all.
    const isTaken = (pool: PoolKey) => this.#leadingEdge.isDue(pool);
    // Tried while this run waited for its turn: each has an interval before it again.
    for (const pool of pools ?? []) {
      if (this.#queue.hasPool(pool) && !this.#leadingEdge.isDue(pool)) this.#leadingEdge.follow(pool);
    }
    if (!this.#queue.pools.some(isTaken)) return;
    let holding: ResourceHolding;
    try {
      holding = await azureResourceLocker.acquire(signal);
    } catch (error) {
      if (!signal.aborted) logger.info({ error: messageOf(error) }, 'backend pools wait for the next tick');
      return;
    }
    try {
      const drained = this.#queue.drain(isTaken);
      const groups = groupOperations(drained, (operation) => this.#isRelevant(operation));
      // Azure works on a load balancer one change at a time; on several it does so at once.
      const byLoadBalancer = Map.groupBy(groups, ({ loadBalancer }) => loadBalancer.toLowerCase());
      const work = async (list: readonly OperationGroup[]) => {
        for (const group of list) if (!signal.aborted) await this.#processGroup(group, holding, signal);
      };
      await Promise.all([...byLoadBalancer.values()].map(work));
    } finally {
      reporter.queued(this.#queue.size);
      await holding.release();
    }
  }

  async #processGroup(group: OperationGroup, holding: ResourceHolding, signal: AbortSignal): Promise<void> {
    const { clock, logger, reporter } = this.#options;
    const startedAt = clock.monotonic();
    const eligibleAt = parkedUntil(group, startedAt);
    if (eligibleAt !== undefined) {
      this.#requeue(group.operations);
      this.#leadingEdge.follow(group.pool, eligibleAt);
      return;
    }
    try {
      await holding.keep(signal);
    } catch (error) {
      if (signal.aborted) return;
      logger.info({ pool: group.pool, error: messageOf(error) }, 'a backend pool waits for the next tick');
      this.#requeue(group.operations);
      return;
    }
    this.#leadingEdge.tried(group.pool);
    try {
      await this.#bringInStep(group, signal);
    } catch (error) {
      if (!signal.aborted) this.#fail(group, error, startedAt);
      return;
    }
    reporter.succeeded(this.#relevant(group), startedAt);
  }

  /** Reads the pool and writes it if it differs. */
  async #bringInStep(group: OperationGroup, signal: AbortSignal): Promise<void> {
    const { client, poolId, networkId, backends, reporter } = this.#options;
    const id = poolId(group.loadBalancer, group.backendPool);
    const record = reporter.recordFor(group);
    const recorded = record === undefined ? {} : { record };
    const options = { signal, throttle: 'refuse', notFound: 'stale', ...recorded } as const;
    const { id: _id, name: _name, etag, ...pool } = await client.get(id, options);
    // A pool that belongs to no Service any more is not ours to empty.
    if (this.#relevant(group).length === 0) return;
    const current = pool.properties.loadBalancerBackendAddresses ?? [];
    // Asked only now: what changed since the operation was queued, or since the read began, is in it.
    const entries = mergeEntries(current, this.#wanted(group.pool), backends);
    if (entries === undefined) return;
    const virtualNetwork = pool.properties.virtualNetwork ?? { id: networkId };
    const properties = { ...pool.properties, virtualNetwork, loadBalancerBackendAddresses: entries };
    const precondition = etag === undefined ? {} : { ifMatch: etag };
    await client.put(id, { ...pool, properties }, { ...options, ...precondition, answer: 'accepted' });
  }

  /** The nodes of all Services behind the pool. */
  #wanted(pool: PoolKey): readonly IpAddress[] {
    const { services, backends } = this.#options;
    const addresses = services.sharing(pool).flatMap((service) => {
      const info = services.get(service);
      const own = info?.pools.filter(({ name }) => poolKey(info.loadBalancer, name) === pool) ?? [];
      return own.flatMap(({ family }) => backends.addresses(service, family));
    });
    return [...new Set(addresses)];
  }

  #fail(group: OperationGroup, error: unknown, startedAt: number): void {
    const { clock, logger, reporter, settings, poolMissing } = this.#options;
    const verdict = classifyUpdateError(error);
    const relevant = this.#relevant(group);
    logger.info({ pool: group.pool, verdict: verdict.kind, error: messageOf(error) }, 'a backend pool was not updated');
    switch (verdict.kind) {
      case 'stale':
        reporter.noted(group, 'it is not there');
        for (const service of distinctServices(relevant)) poolMissing(service);
        return;
      case 'terminal':
        reporter.failed(relevant, error, startedAt);
        return;
      case 'retriable': {
        const { retryAfterMilliseconds: delay } = verdict;
        const eligibleAt = delay === undefined ? undefined : clock.monotonic() + delay;
        const { again, exhausted } = afterFailure(relevant, settings.maxRetries, eligibleAt);
        reporter.failed(exhausted, error, startedAt, distinctServices(again));
        if (again.length === 0) return;
        this.#requeue(again);
        const retryAt = this.#leadingEdge.follow(group.pool, eligibleAt) ?? this.#tickFrom(eligibleAt);
        // Of a Service that is given up in part, only that is told: one Event for each attempt.
        const givenUp = distinctServices(exhausted);
        reporter.retrying(
          again.filter(({ service }) => !givenUp.includes(service)),
          error,
        );
        reporter.waiting({ ...group, operations: again }, retryAt, error);
      }
    }
  }

  #requeue(operations: readonly BackendPoolOperation[]): void {
    for (const operation of operations) this.#queue.add(operation);
  }

  /** The first tick to come that is not before this time. */
  #tickFrom(time = 0): number {
    const { clock, settings } = this.#options;
    const earliest = Math.max(time, clock.monotonic() + 1);
    const ticks = Math.ceil((earliest - this.#tickAt) / settings.intervalMilliseconds);
    return this.#tickAt + ticks * settings.intervalMilliseconds;
  }

  #isRelevant(operation: BackendPoolOperation): boolean {
    return this.#options.services.has(operation.service, poolOf(operation));
  }

  #relevant({ operations }: OperationGroup): readonly BackendPoolOperation[] {
    return operations.filter((operation) => this.#isRelevant(operation));
  }
}
