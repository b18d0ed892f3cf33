import { type Clock, type Logger, messageOf, sleep } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import type { ResourceHolding, UpdateLocks } from '../azure-resource-locker.ts';
import type { UpdaterSettings } from '../configuration.ts';
import { LeadingEdge } from './leading-edge.ts';
import { loadBalancerOf, poolKey } from './local-services.ts';
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
import { PoolWriter, type PoolWriterOptions } from './pool-writer.ts';
import { type NextTask, KeyedWorkers } from './keyed-workers.ts';
import { mayGoOn, nextPool, type WaitingPool } from './turn-order.ts';
import { classifyUpdateError } from './update-error.ts';

/** Which pool is out of step, and on whose behalf. */
export type FreshOperation = Pick<BackendPoolOperation, 'service' | 'loadBalancer' | 'backendPool' | 'family'>;

export interface BackendPoolUpdaterOptions extends UpdateLocks, PoolWriterOptions {
  readonly settings: UpdaterSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A pool that the Service should have was deleted by another program. */
  readonly poolMissing: (service: ServiceKey) => void;
}

/** From taking the locks until they are given back. */
interface Turn {
  readonly holding: ResourceHolding;
  readonly signal: AbortSignal;
  /** Whether another component has the resources by now. */
  isLost: boolean;
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
  readonly #writer: PoolWriter;
  /** The tick that is waited for or worked on, on the monotonic clock. */
  #tickAt = 0;
  /** Whether a turn waits for the lock of the process: it takes whatever is due by then. */
  #isTurnClaimed = false;
  /** The turn that is under way, if it takes along what comes due meanwhile. */
  #turn: KeyedWorkers | undefined;

  constructor(options: BackendPoolUpdaterOptions) {
    this.#options = options;
    this.#leadingEdge = new LeadingEdge(options.clock, options.settings);
    this.#writer = new PoolWriter(options);
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
    const turns = new Set<Promise<void>>();
    this.#leadingEdge.start(() => {
      const turn = this.process(signal)
        .catch((error: unknown) => {
          if (!signal.aborted) logger.error({ error: messageOf(error) }, 'backend pools wait for the tick');
        })
        .finally(() => turns.delete(turn));
      turns.add(turn);
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
      await Promise.all(turns);
    }
  }

  /** Tries each pool with operations that is due, now or in the turn that is under way or waited for. */
  async process(signal: AbortSignal): Promise<void> {
    const { serviceReconcileLock } = this.#options;
    if (this.#isTurnClaimed || this.#turn?.offer(this.#queue.loadBalancers)) return;
    this.#isTurnClaimed = true;
    const turn = () => {
      this.#isTurnClaimed = false;
      return this.#takeTurn(signal);
    };
    const isMoreDue = await serviceReconcileLock.run('backend-pool-updater', turn, signal);
    if (isMoreDue) await this.process(signal);
  }

  /** Tells whether it ended, for the sake of others, before it got to all that is due. */
  async #takeTurn(signal: AbortSignal): Promise<boolean> {
    const { azureResourceLocker, logger, reporter, settings } = this.#options;
    this.#leadingEdge.forget((pool) => this.#queue.hasPool(pool));
    if (!this.#isAnyDue()) return false;
    let holding: ResourceHolding;
    try {
      holding = await azureResourceLocker.acquire(signal);
    } catch (error) {
      if (!signal.aborted) logger.info({ error: messageOf(error) }, 'backend pools wait for the next tick');
      return false;
    }
    const turn: Turn = { holding, signal, isLost: false };
    const { loadBalancers } = this.#queue;
    // Azure works on a load balancer one change at a time; on several it does so at once.
    const work = new KeyedWorkers(settings.leadingEdge ? this.#whateverIsDue(turn) : this.#whatWaitsNow(turn));
    try {
      if (settings.leadingEdge) this.#turn = work;
      work.offer(loadBalancers);
      await work.finished();
    } finally {
      this.#turn = undefined;
      reporter.queued(this.#queue.size);
      await holding.release();
    }
    return !turn.isLost && !signal.aborted && settings.leadingEdge && this.#isAnyDue();
  }

  /** What comes due during the turn goes along, as the locks are taken only once for all. */
  #whateverIsDue(turn: Turn): NextTask {
    const { clock, serviceReconcileLock } = this.#options;
    const startedAt = clock.monotonic();
    return (loadBalancer) => {
      const now = clock.monotonic();
      if (turn.signal.aborted || turn.isLost) return undefined;
      if (!mayGoOn(now - startedAt, serviceReconcileLock.waiting > 0)) return undefined;
      const pool = nextPool(this.#duePools(loadBalancer), now);
      if (pool === undefined) return undefined;
      const groups = this.#grouped(this.#queue.drainPool(pool));
      return async () => {
        for (const group of groups) await this.#processGroup(group, turn);
      };
    };
  }

  /** A tick takes what waits by then; all that comes later is for the next one. */
  #whatWaitsNow(turn: Turn): NextTask {
    const groups = Map.groupBy(this.#grouped(this.#queue.drain()), ({ pool }) => loadBalancerOf(pool));
    return (loadBalancer) => {
      const group = turn.signal.aborted ? undefined : groups.get(loadBalancer)?.shift();
      return group === undefined ? undefined : () => this.#processGroup(group, turn);
    };
  }

  #isAnyDue(): boolean {
    return this.#queue.loadBalancers.some((loadBalancer) => this.#duePools(loadBalancer).length > 0);
  }

  #duePools(loadBalancer: string): readonly WaitingPool[] {
    return this.#queue.pools(loadBalancer).flatMap((pool) => {
      const since = this.#queue.since(pool);
      if (since === undefined || !this.#leadingEdge.isDue(pool)) return [];
      return [{ pool, since, isFirstChange: this.#leadingEdge.isFirstChange(pool) }];
    });
  }

  #grouped(operations: readonly BackendPoolOperation[]): readonly OperationGroup[] {
    return groupOperations(operations, (operation) => this.#isRelevant(operation));
  }

  async #processGroup(group: OperationGroup, turn: Turn): Promise<void> {
    const { clock, logger, reporter } = this.#options;
    const { holding, signal } = turn;
    const startedAt = clock.monotonic();
    reporter.queued(this.#queue.size);
    if (parkedUntil(group, startedAt) !== undefined) {
      this.#requeue(group.operations);
      return;
    }
    try {
      await holding.keep(signal);
    } catch (error) {
      if (signal.aborted) return;
      turn.isLost = true;
      logger.info({ pool: group.pool, error: messageOf(error) }, 'a backend pool waits for the next tick');
      this.#requeue(group.operations);
      return;
    }
    this.#leadingEdge.tried(group.pool);
    // For what came while the lock was kept: it has its interval to wait.
    if (this.#queue.hasPool(group.pool)) this.#leadingEdge.follow(group.pool);
    try {
      await this.#writer.bringInStep(group, (operation) => this.#isRelevant(operation), signal);
    } catch (error) {
      if (!signal.aborted) this.#fail(group, error, startedAt);
      return;
    }
    reporter.succeeded(this.#relevant(group), startedAt);
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
