import { FairleadError, Lanes, serviceUid } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import type { LeaderEnvironment } from '@fairlead/part';
import { recordOnService, type ServiceEventReason, type ServiceKey, serviceNotes } from '@fairlead/service';
import type { ArmClient } from '../../arm/index.ts';
import type { ResourceHolding } from '../azure-resource-locker.ts';
import type { BackendTracker } from '../backend-pools/backend-tracker.ts';
import type { PoolRegister } from '../backend-pools/pool-registry.ts';
import { serviceMark } from '../names.ts';
import type { AzureSite } from '../site.ts';
import { AzureIndex } from './azure-index.ts';
import { poolNameFor } from './child-resources.ts';
import { type ConvergenceFailure, converge } from './convergence.ts';
import { type DesiredOptions, recordedLoadBalancer } from './desired.ts';
import { type ObservedAzure, observe } from './observed.ts';
import { type Decision, decide, detachedFrom, intentionFor, presentAt } from './outcome.ts';
import type { ServiceWriter } from './service-writer.ts';
import { refusedStatus, servedAddresses, servedStatus } from './service-writes.ts';
import type { AzureWrite, Intention } from './target.ts';

const CONCURRENT_SERVICES = 10;
/** Azure gives an address a moment after it has made the resource for it. */
const ADDRESS_DELAY_MILLISECONDS = 2_000;

export interface PassOptions {
  readonly environment: Pick<LeaderEnvironment, 'events' | 'journal'>;
  readonly arm: ArmClient;
  readonly site: AzureSite;
  readonly desired: DesiredOptions;
  readonly backends: BackendTracker;
  readonly register: PoolRegister;
  readonly writer: ServiceWriter;
}

export interface PassInput {
  /** Those to work on. */
  readonly services: readonly Service[];
  /** All there are. */
  readonly cluster: readonly Service[];
  readonly holding: ResourceHolding;
  readonly signal: AbortSignal;
}

/** How a pass went. */
export interface PassOutcome {
  readonly decisions: ReadonlyMap<ServiceKey, Decision>;
  readonly failures: ReadonlyMap<ServiceKey, ConvergenceFailure>;
  /** Services that are as they should be, in the version that they have now. */
  readonly settled: ReadonlyMap<ServiceKey, Service>;
  readonly writes: readonly AzureWrite[];
}

type Serve = Extract<Decision, { kind: 'serve' }>;

/** Brings some Services to what they should be, in one go: in as many writes as there are things to change. */
export class ServicePass {
  readonly #options: PassOptions;
  readonly #input: PassInput;
  readonly #decisions = new Map<ServiceKey, Decision>();
  readonly #failures = new Map<ServiceKey, ConvergenceFailure>();
  readonly #settled = new Map<ServiceKey, Service>();
  readonly #writes: AzureWrite[] = [];

  constructor(options: PassOptions, input: PassInput) {
    this.#options = options;
    this.#input = input;
  }

  /** Rejects when Azure cannot be read. */
  async run(): Promise<PassOutcome> {
    const { arm: client, site, desired } = this.#options;
    const { services, cluster, signal } = this.#input;
    const alsoLoadBalancers = services.flatMap((service) => recordedLoadBalancer(service) ?? []);
    const before = await observe({ client, site, alsoLoadBalancers, signal });
    const decided = decide({ site, options: desired, services, cluster, loadBalancers: before.loadBalancers });
    for (const [key, decision] of decided) this.#decisions.set(key, decision);
    const detached = await this.#detachMovers(before);
    await this.#forEach((key, decision) => this.#hold(key, decision));
    const intentions = this.#intentions();
    const after = await this.#converge(intentions, detached);
    const index = new AzureIndex(site, after, intentions);
    await this.#forEach((key, decision) => this.#finish(key, decision, index));
    return { decisions: this.#decisions, failures: this.#failures, settled: this.#settled, writes: this.#writes };
  }

  /** A Service leaves its old load balancer before its new place is recorded: so nobody forgets the old one. */
  async #detachMovers(before: ObservedAzure): Promise<ObservedAzure> {
    const movers = [...this.#decisions].flatMap(([key, decision]) => {
      if (decision.kind !== 'serve' || decision.movesFrom === undefined) return [];
      this.#options.register.forget(key);
      return [detachedFrom(key, decision.claim.service)];
    });
    return movers.length === 0 ? before : this.#converge(movers, before);
  }

  async #hold(key: ServiceKey, decision: Decision): Promise<void> {
    const { register, writer } = this.#options;
    if (decision.kind === 'release') {
      register.forget(key);
      this.#tell(decision, 'DeletingLoadBalancer', `Taking the load balancer down: ${decision.claim.sentence}.`);
    }
    if (decision.kind !== 'serve') return;
    const { claim, loadBalancer, wanted } = decision;
    const renewed = await writer.record(claim, loadBalancer, wanted.adoptedPools, this.#input.signal);
    this.#decisions.set(key, { ...decision, claim: renewed });
    if (renewed.service === claim.service || isServed(claim.service)) return;
    this.#tell(decision, 'EnsuringLoadBalancer', `Placed on the load balancer ${loadBalancer}.`);
  }

  #intentions(): readonly Intention[] {
    return [...this.#decisions].flatMap(([key, decision]) => {
      if (this.#failures.has(key)) return [];
      return intentionFor(key, decision, this.#options.backends) ?? [];
    });
  }

  async #converge(intentions: readonly Intention[], before: ObservedAzure): Promise<ObservedAzure> {
    const { arm: client, site, backends, environment } = this.#options;
    const { holding, signal } = this.#input;
    const { observed, writes, failures } = await converge(intentions, before, {
      client,
      site,
      holding,
      signal,
      isNode: (address) => backends.isNode(address),
      recordFor: (subject) => ({ journal: environment.journal, key: `service ${subject}` }),
    });
    this.#writes.push(...writes);
    for (const key of this.#decisions.keys()) {
      const failure = failures.get(key);
      if (failure !== undefined) this.#failures.set(key, failure);
    }
    return observed;
  }

  async #finish(key: ServiceKey, decision: Decision, index: AzureIndex): Promise<void> {
    switch (decision.kind) {
      case 'foreign':
        this.#options.register.forget(key);
        return;
      case 'unreadable':
        throw decision.error;
      case 'release':
        await this.#options.writer.letGo(decision.claim, this.#input.signal);
        this.#tell(decision, 'DeletedLoadBalancer', serviceNotes.released(decision.claim));
        return;
      case 'refuse':
        await this.#refuse(key, decision, index);
        return;
      case 'serve':
        await this.#publish(key, decision, index);
    }
  }

  async #publish(key: ServiceKey, decision: Serve, index: AzureIndex): Promise<void> {
    const { site, backends, register, writer } = this.#options;
    const { claim, wanted, loadBalancer } = decision;
    const present = presentAt(key, decision, backends);
    if (!index.knowsAllAddressesOf(present)) throw addressPending();
    const pools = wanted.families.map((family) => ({ family, name: poolNameFor(site, wanted, family) }));
    const body = index.observed.loadBalancers.get(loadBalancer.toLowerCase());
    register.register(claim.service, { service: key, loadBalancer, pools }, body);
    const addresses = servedAddresses(wanted, index.addressesOf(present));
    const written = await writer.publish(claim, servedStatus(addresses), this.#input.signal);
    this.#settled.set(key, written);
    if (written !== claim.service) this.#tell(decision, 'EnsuredLoadBalancer', serviceNotes.reachable(addresses));
    else if (this.#wasWritten(key))
      this.#tell(decision, 'UpdatedLoadBalancer', `The load balancer ${loadBalancer} follows.`);
  }

  /** What it has stays, and goes on following its endpoints: a mistake in a Service must not take it down. */
  async #refuse(key: ServiceKey, decision: Extract<Decision, { kind: 'refuse' }>, index: AzureIndex): Promise<void> {
    const { register, writer } = this.#options;
    const { claim, refusal } = decision;
    const { service } = claim;
    const mark = serviceMark(serviceUid(service.metadata.uid ?? ''));
    const body = index.observed.loadBalancers.get(recordedLoadBalancer(service)?.toLowerCase() ?? '');
    register.registerWhatIsThere(key, service, mark, body);
    const written = await writer.publish(claim, refusedStatus(service, refusal), this.#input.signal);
    this.#settled.set(key, written);
    if (written !== service) this.#tell(decision, 'LoadBalancerRefused', serviceNotes.refused(refusal));
  }

  #wasWritten(key: ServiceKey): boolean {
    return this.#writes.some(({ subjects }) => subjects.includes(key));
  }

  #tell({ claim }: Decision, reason: ServiceEventReason, note: string): void {
    recordOnService(this.#options.environment.events, claim.service, reason, note);
  }

  /** Side by side, for all that have not failed; one that fails degrades alone. */
  async #forEach(work: (key: ServiceKey, decision: Decision) => Promise<void>): Promise<void> {
    const lanes = new Lanes(CONCURRENT_SERVICES);
    const going = [...this.#decisions].filter(([key]) => !this.#failures.has(key));
    await Promise.all(
      going.map(([key, decision]) =>
        lanes.run(key, async () => {
          try {
            await work(key, decision);
          } catch (error) {
            this.#input.signal.throwIfAborted();
            this.#failures.set(key, { error, isShared: false });
          }
        }),
      ),
    );
  }
}

function isServed({ status }: Service): boolean {
  return (status?.loadBalancer?.ingress ?? []).length > 0;
}

function addressPending(): FairleadError {
  return new FairleadError('Azure has not given the Service all its addresses yet: asking again in a moment', {
    verdict: 'retriable',
    code: 'address-pending',
    retryAfterMilliseconds: ADDRESS_DELAY_MILLISECONDS,
  });
}
