import { type Lanes, messageOf, serviceUid, verdictOf } from '@fairlead/control';
import { OwnWrites, type Service } from '@fairlead/kube';
import { ClusterEvents, type LeaderEnvironment } from '@fairlead/part';
import { claimService, type ServiceEventReason, type ServiceKey, serviceEvents } from '@fairlead/service';
import { findArmError } from '../../arm/index.ts';
import type { ResourceHolding, ResourceLock } from '../azure-resource-locker.ts';
import { driftTotal, heldDeletions, servicesByOutcome } from '../metrics.ts';
import { type ServiceMark, serviceMark } from '../names.ts';
import { type ConvergenceFailure, converge, mayBeSomebodys } from './convergence.ts';
import { recordedLoadBalancer } from './desired.ts';
import { Leftovers, removalOf } from './leftovers.ts';
import { observe } from './observed.ts';
import type { Decision } from './outcome.ts';
import { type PassOptions, type PassOutcome, ServicePass } from './reconcile-pass.ts';
import { ServiceWriter } from './service-writer.ts';

export interface ReconcilerOptions extends Omit<PassOptions, 'writer' | 'environment'> {
  readonly environment: LeaderEnvironment;
  /** The cache of Services. */
  readonly services: { get(key: ServiceKey): Service | undefined; list(): readonly Service[] };
  readonly serviceReconcileLock: Lanes;
  readonly azureResourceLocker: ResourceLock;
}

/** What a Service was like when it was last found to be as it should be. */
interface Settled {
  readonly version: string | undefined;
  /** To be looked at again, although nothing about the Service changed. */
  readonly isDoubted: boolean;
}

type Failures = Map<ServiceKey, ConvergenceFailure>;

/** The main path: one pass at a time, under the same two locks as the updater of backend pools. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #ownWrites = new OwnWrites<Service>();
  readonly #pass: PassOptions;
  readonly #leftovers: Leftovers;
  readonly #clusterEvents: ClusterEvents;
  readonly #settled = new Map<ServiceKey, Settled>();
  readonly #outcomes = new Map<ServiceKey, Decision['kind']>();

  constructor(options: ReconcilerOptions) {
    const { client, clock, journal, leadership } = options.environment;
    this.#options = options;
    const writer = new ServiceWriter({ client, clock, journal, leadership, ownWrites: this.#ownWrites });
    this.#pass = { ...options, writer };
    this.#leftovers = new Leftovers(options.site, clock);
    this.#clusterEvents = new ClusterEvents({ ...options.environment, recorder: options.environment.events });
  }

  /** Brings these Services to what they should be; gives those for which that failed, and why. */
  async reconcile(keys: readonly ServiceKey[], signal: AbortSignal): Promise<ReadonlyMap<ServiceKey, unknown>> {
    const pending = keys.flatMap((key) => this.#pending(key) ?? []);
    if (pending.length === 0) return new Map();
    const failures = await this.#locked(signal, (holding) => this.#reconcile(pending, holding, signal));
    this.#count();
    return new Map([...failures].map(([key, { error }]) => [key, error]));
  }

  /** Under which reason the owner of the Service is told that work on it failed. */
  failureReason(key: ServiceKey, error: unknown): ServiceEventReason {
    if (this.#outcomes.get(key) === 'release') return 'DeleteLoadBalancerFailed';
    const isRefused = verdictOf(error) === 'terminal' && findArmError(error) !== undefined;
    return isRefused ? 'ServiceQuarantined' : 'SyncLoadBalancerFailed';
  }

  /** Has all Services compared with Azure again, although nothing about them changed. */
  doubt(service?: ServiceKey): void {
    const keys = service === undefined ? [...this.#settled.keys()] : [service];
    for (const key of keys) {
      const settled = this.#settled.get(key);
      if (settled !== undefined) this.#settled.set(key, { ...settled, isDoubted: true });
    }
  }

  /** Removes what is left in Azure of Services that no longer exist; false while something of it remains. */
  async sweep(signal: AbortSignal): Promise<boolean> {
    return this.#locked(signal, async (holding) => {
      const { arm: client, site, environment, services, backends } = this.#options;
      const { clock, journal, logger } = environment;
      const readAt = clock.monotonic();
      const cluster = services.list();
      const alsoLoadBalancers = cluster.flatMap((service) => recordedLoadBalancer(service) ?? []);
      const observed = await this.#reading(signal, () => observe({ client, site, alsoLoadBalancers, signal }));
      const { allowed, hold } = this.#leftovers.judge(observed, this.#existing(cluster), readAt);
      environment.metrics.set(heldDeletions, hold?.held.length ?? 0);
      if (hold !== undefined) this.#tellHold(hold.message);
      const { failures } = await converge(allowed.map(removalOf), observed, {
        client,
        site,
        holding,
        signal,
        isNode: (address) => backends.isNode(address),
        recordFor: (subject) => ({ journal, key: subject }),
      });
      for (const [subject, { error }] of failures) {
        logger.warn({ subject, error: messageOf(error) }, 'what is left of a Service could not be removed');
      }
      return hold === undefined && failures.size === 0;
    });
  }

  async #locked<Result>(signal: AbortSignal, work: (holding: ResourceHolding) => Promise<Result>): Promise<Result> {
    const { serviceReconcileLock, azureResourceLocker } = this.#options;
    return serviceReconcileLock.run(
      'services',
      async () => {
        const holding = await azureResourceLocker.acquire(signal);
        try {
          return await work(holding);
        } finally {
          await holding.release();
        }
      },
      signal,
    );
  }

  /** We are ready while Azure can be read: whatever else fails concerns some Services, which are told. */
  async #reading<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const { readiness } = this.#options.environment;
    try {
      const result = await work();
      readiness.set({ ready: true });
      return result;
    } catch (error) {
      signal.throwIfAborted();
      readiness.set({ ready: false, reason: `cannot read Azure: ${messageOf(error)}` });
      throw error;
    }
  }

  /** The Service, when there is something to do for it. */
  #pending(key: ServiceKey): Service | undefined {
    const service = this.#ownWrites.latest(key, this.#options.services.get(key));
    if (service === undefined || claimService(service, this.#options.desired.rules).state === 'foreign') {
      this.#options.register.forget(key);
      this.#settled.delete(key);
      this.#outcomes.delete(key);
      return undefined;
    }
    const settled = this.#settled.get(key);
    const isSettled = settled?.version === service.metadata.resourceVersion && settled?.isDoubted === false;
    return isSettled ? undefined : service;
  }

  /** Where Azure refuses many at once, halves them until those to blame stand alone. */
  async #reconcile(services: readonly Service[], holding: ResourceHolding, signal: AbortSignal): Promise<Failures> {
    const outcome = await this.#run(services, holding, signal);
    const failures: Failures = new Map(outcome.failures);
    const blamed = [...failures].filter(([, failure]) => mayBeSomebodys(failure));
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

  async #run(services: readonly Service[], holding: ResourceHolding, signal: AbortSignal): Promise<PassOutcome> {
    const cluster = this.#options.services.list();
    const pass = new ServicePass(this.#pass, { services, cluster, holding, signal });
    const outcome = await this.#reading(signal, () => pass.run());
    for (const [key, decision] of outcome.decisions) this.#outcomes.set(key, decision.kind);
    for (const [key, service] of outcome.settled) this.#settle(key, service, outcome);
    return outcome;
  }

  /** Writes for a Service about which nothing changed put right what somebody else had changed. */
  #settle(key: ServiceKey, service: Service, { writes }: PassOutcome): void {
    const version = service.metadata.resourceVersion;
    if (this.#settled.get(key)?.version === version) {
      for (const { kind, subjects } of writes) {
        if (subjects.includes(key)) this.#options.environment.metrics.increment(driftTotal, { what: kind });
      }
    }
    this.#settled.set(key, { version, isDoubted: false });
  }

  #existing(cluster: readonly Service[]): ReadonlySet<ServiceMark> {
    const { rules } = this.#options.desired;
    return new Set(
      cluster
        .filter((service) => claimService(service, rules).state !== 'foreign')
        .map(({ metadata }) => serviceMark(serviceUid(metadata.uid ?? ''))),
    );
  }

  /** There is no Service left to tell: the cluster's own namespace stands for it. */
  #tellHold(note: string): void {
    const { logger } = this.#options.environment;
    const { type } = serviceEvents.DeletionHeldBack;
    this.#clusterEvents.record({ type, reason: 'DeletionHeldBack', note });
    logger.warn({}, note);
  }

  #count(): void {
    const counts: Record<string, number> = { serve: 0, refuse: 0, release: 0 };
    for (const kind of this.#outcomes.values()) counts[kind] = (counts[kind] ?? 0) + 1;
    const { metrics } = this.#options.environment;
    for (const [outcome, count] of Object.entries(counts)) metrics.set(servicesByOutcome, count, { outcome });
  }
}
