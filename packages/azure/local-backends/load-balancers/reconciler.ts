import { codeOf, messageOf, verdictOf } from '@fairlead/control';
import { ObjectWriter, type Service, services as serviceResource } from '@fairlead/kube';
import { ClusterEvents, DeletionGuard, type Health, type LeaderEnvironment, type OutcomeCounts } from '@fairlead/part';
import { claimService, type ServiceEventReason, type ServiceKey, serviceKey } from '@fairlead/service';
import { findArmError } from '../../arm/index.ts';
import { holdingBoth, LOCKED_CODE, type ResourceHolding, type UpdateLocks } from '../azure-resource-locker.ts';
import { driftTotal, heldDeletions } from '../metrics.ts';
import { PART_NAME, type ServiceMark } from '../names.ts';
import { FailedWrites } from './failed-writes.ts';
import { type ConvergenceFailure, converge, isRefusedAlone, mayBlameOneService } from './apply.ts';
import { LEFTOVER_BRAKE, servicesInAzure } from './leftovers.ts';
import { type ObservedAzure, type ObservedFor, observe } from './observed.ts';
import type { Outcome } from './outcome.ts';
import { type PassOptions, type PassResult, ReconcilePass, unservedIn } from './reconcile-pass.ts';
import { RefusedServices } from './refused-services.ts';
import type { SettledServices } from './settled-services.ts';
import { leftover } from './target.ts';

const READING = 'reading Azure';

export interface ReconcilerOptions extends Omit<PassOptions, 'writer' | 'environment' | 'failedWrites'> {
  readonly environment: LeaderEnvironment;
  /** The cache of Services. */
  readonly services: { get(key: ServiceKey): Service | undefined; list(): readonly Service[] };
  readonly settled: SettledServices;
  readonly outcomes: OutcomeCounts<Outcome['kind']>;
  readonly locks: UpdateLocks;
  readonly health: Health;
  /** A Service that may have something in Azure is gone without having been let go. */
  readonly vanished: (key: ServiceKey) => void;
}

type Failures = Map<ServiceKey, ConvergenceFailure>;

/** The main path: one pass at a time, under the same two locks as the updater of backend pools. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #pass: PassOptions;
  readonly #guard: DeletionGuard<ServiceMark>;
  readonly #failedWrites = new FailedWrites();
  readonly #refused: RefusedServices;
  /** Those that may have something in Azure, by UID. */
  readonly #served = new Map<ServiceKey, string | undefined>();
  #hasRead = false;

  constructor(options: ReconcilerOptions) {
    const { environment } = options;
    this.#options = options;
    this.#refused = new RefusedServices(environment.clock, environment.random);
    const writes = { resource: serviceResource, fieldManager: `fairlead-${PART_NAME}` };
    const writer = new ObjectWriter<Service>({ ...environment, ...writes });
    this.#pass = { ...options, writer, failedWrites: this.#failedWrites };
    const cluster = new ClusterEvents(environment);
    this.#guard = new DeletionGuard({ ...environment, cluster, brake: LEFTOVER_BRAKE, gauge: heldDeletions });
  }

  /** Brings these Services to what they should be; gives those for which that failed, and why. */
  async reconcile(keys: readonly ServiceKey[], signal: AbortSignal): Promise<ReadonlyMap<ServiceKey, unknown>> {
    const pending = keys.flatMap((key) => this.#pending(key) ?? []);
    if (pending.length === 0) return new Map();
    const work = (holding: ResourceHolding) => this.#reconcile(pending, holding, signal);
    const failures = await holdingBoth(this.#options.locks, signal, work);
    for (const { metadata } of pending) {
      const key = serviceKey(metadata);
      if (!failures.has(key)) this.#refused.delete(key);
    }
    return new Map([...failures].map(([key, failure]) => [key, this.#told(key, failure)]));
  }

  /** Whether the Service waits for its own time: Azure refuses it, and a comparison would find nothing new. */
  isRefused(key: ServiceKey): boolean {
    return this.#refused.has(key);
  }

  /** With the time after which to try again, where Azure refuses what the Service itself asks for. */
  #told(key: ServiceKey, failure: ConvergenceFailure): unknown {
    const service = this.#latest(key);
    const isRefused = this.#options.outcomes.get(key) === 'serve' && isRefusedAlone(failure);
    return isRefused && service !== undefined ? this.#refused.add(service, failure.error) : failure.error;
  }

  /**
   * Removes what is left in Azure of Services that no longer exist. False while something of it may remain, be it that
   * another component holds the lock.
   */
  async sweep(signal: AbortSignal): Promise<boolean> {
    try {
      return await holdingBoth(this.#options.locks, signal, (holding) => this.#sweep(holding, signal));
    } catch (error) {
      if (codeOf(error) !== LOCKED_CODE) throw error;
      this.#options.environment.logger.info({ error: messageOf(error) }, 'leftovers are looked for later');
      return false;
    }
  }

  async #sweep(holding: ResourceHolding, signal: AbortSignal): Promise<boolean> {
    const { arm: client, site, environment, services, backends, desired } = this.#options;
    const { clock, journal, logger } = environment;
    const readAt = clock.monotonic();
    const cluster = services.list();
    const observed = await this.#observe({ placed: cluster, addressed: [] }, signal);
    const { all, leftovers } = servicesInAzure(site, observed, cluster, desired.rules);
    const allowed = this.#guard.allow(leftovers, all.length, readAt);
    const unserved = unservedIn(cluster, this.#pass.writer);
    const known = { failedWrites: this.#failedWrites, unserved };
    const options = { client, site, backends, journal, ...known, holding, signal };
    const { failures } = await converge(allowed.map(leftover), observed, options);
    for (const [subject, { error }] of failures) {
      logger.warn({ subject, error: messageOf(error) }, 'what is left of a Service could not be removed');
    }
    return this.#guard.heldCount === 0 && failures.size === 0;
  }

  /** We are ready while Azure can be read: whatever else fails concerns some Services, which are told. */
  async #observe(services: ObservedFor, signal: AbortSignal): Promise<ObservedAzure> {
    const { arm, site, health } = this.#options;
    try {
      const observed = await observe(arm, site, services, signal);
      const { loadBalancers, securityGroup } = observed;
      for (const shared of [...loadBalancers.values(), securityGroup]) if (shared) this.#failedWrites.observed(shared);
      health.started();
      health.round(READING, undefined);
      this.#hasRead = true;
      return observed;
    } catch (error) {
      signal.throwIfAborted();
      if (this.#hasRead) health.round(READING, error);
      else health.starting(`Azure cannot be read: ${messageOf(error)}`);
      throw error;
    }
  }

  /** The Service, when there is something to do for it. */
  #pending(key: ServiceKey): Service | undefined {
    const { desired, pools, settled, outcomes } = this.#options;
    const service = this.#latest(key);
    const isOurs = service !== undefined && claimService(service, desired.rules).state !== 'foreign';
    this.#missServed(key, isOurs ? service : undefined);
    if (!isOurs) {
      pools.forget(key);
      settled.delete(key);
      this.#refused.delete(key);
      outcomes.set(key, undefined);
      return undefined;
    }
    return settled.has(service) ? undefined : service;
  }

  /** Whoever takes our finalizer off again and again would leave more behind than there is room for. */
  #missServed(key: ServiceKey, service: Service | undefined): void {
    if (!this.#served.has(key) || this.#served.get(key) === service?.metadata.uid) return;
    this.#served.delete(key);
    this.#options.vanished(key);
  }

  #latest(key: ServiceKey): Service | undefined {
    return this.#pass.writer.latest(key, this.#options.services.get(key));
  }

  /** Where Azure refuses many at once, halves them until those to blame stand alone. */
  async #reconcile(services: readonly Service[], holding: ResourceHolding, signal: AbortSignal): Promise<Failures> {
    const observed = await this.#observe({ placed: services, addressed: services }, signal);
    const cluster = this.#options.services.list();
    const pass = new ReconcilePass(this.#pass, { services, cluster, observed, holding, signal });
    const result = await pass.run();
    this.#note(result);
    const failures: Failures = new Map(
      result.tasks.flatMap(({ key, failure }) => (failure === undefined ? [] : [[key, failure]])),
    );
    const blamed = [...failures].filter(([, failure]) => mayBlameOneService(failure));
    for (const group of Map.groupBy(blamed, ([, { error }]) => error).values()) {
      const keys = group.map(([key]) => key);
      if (keys.length < 2) continue;
      for (const key of keys) failures.delete(key);
      for (const half of [keys.slice(0, keys.length >> 1), keys.slice(keys.length >> 1)]) {
        const again = half.flatMap((key) => this.#pending(key) ?? []);
        for (const [key, failure] of await this.#reconcile(again, holding, signal)) failures.set(key, failure);
      }
    }
    return failures;
  }

  /** Remembers what was decided, and which Services are as they should be. */
  #note({ tasks, writes }: PassResult): void {
    const { environment, settled, outcomes } = this.#options;
    for (const { key, outcome, service, failure } of tasks) {
      const { kind } = outcome;
      outcomes.set(key, kind);
      if (kind === 'serve') this.#served.set(key, outcome.claim.service.metadata.uid);
      else if (kind === 'release' && failure === undefined) this.#served.delete(key);
      const isSettled = failure === undefined && (kind === 'serve' || kind === 'refuse');
      if (!isSettled || service === undefined || !settled.add(service)) continue;
      // Writes for a Service about which nothing changed put right what another program had changed.
      for (const write of writes) {
        if (write.subjects.includes(key)) environment.metrics.increment(driftTotal, { what: write.kind });
      }
    }
  }
}

/** Under which reason the owner of a Service is told that work on it failed; `outcome` is what was last decided. */
export function failureReason(outcome: Outcome['kind'] | undefined, error: unknown): ServiceEventReason {
  if (outcome === 'release') return 'DeleteLoadBalancerFailed';
  const isRefused = verdictOf(error) === 'terminal' && findArmError(error) !== undefined;
  return isRefused ? 'ServiceQuarantined' : 'SyncLoadBalancerFailed';
}
