import { FairleadError, type IpAddress, Lanes } from '@fairlead/control';
import type { ObjectWriter, Service } from '@fairlead/kube';
import type { LeaderEnvironment } from '@fairlead/part';
import {
  recordOnService,
  type ServiceEventReason,
  type ServiceKey,
  serviceKey,
  serviceNotes,
  shownAddresses,
} from '@fairlead/service';
import type { ArmClient } from '../../arm/index.ts';
import type { ResourceHolding } from '../azure-resource-locker.ts';
import type { BackendTracker } from '../backend-pools/backend-tracker.ts';
import type { PoolRegistry } from '../backend-pools/pool-registry.ts';
import { markOf, type ServiceMark } from '../names.ts';
import type { AzureSite } from '../site.ts';
import { type ConvergenceFailure, converge } from './apply.ts';
import { localServiceInfo } from './request-bodies/child-resources.ts';
import { type DesiredOptions, recordedLoadBalancer } from './desired.ts';
import { AzureIndex, type ObservedAzure } from './observed.ts';
import type { FailedWrites } from './failed-writes.ts';
import { decide, detachedTargetOf, type Outcome, type ServedService, targetOf } from './outcome.ts';
import type { AzureWrite } from './plan.ts';
import { writesAfterAzure, writesBeforeAzure } from './service-writes.ts';
import type { Target } from './target.ts';

const CONCURRENT_SERVICES = 10;
/** Azure gives an address a moment after it has made the resource for it. */
const ADDRESS_DELAY_MILLISECONDS = 2_000;

export interface PassOptions {
  readonly environment: Pick<LeaderEnvironment, 'clock' | 'events' | 'journal'>;
  readonly arm: ArmClient;
  readonly site: AzureSite;
  readonly desired: DesiredOptions;
  readonly backends: BackendTracker;
  readonly pools: PoolRegistry;
  readonly writer: ObjectWriter<Service>;
  readonly failedWrites: FailedWrites;
}

export interface PassInput {
  /** Those to work on. */
  readonly services: readonly Service[];
  /** All there are. */
  readonly cluster: readonly Service[];
  readonly observed: ObservedAzure;
  readonly holding: ResourceHolding;
  readonly signal: AbortSignal;
}

/** How far the pass has come with one Service. */
interface Task {
  readonly key: ServiceKey;
  readonly outcome: Outcome;
  /** As our writes left it; undefined when it is gone. */
  service: Service | undefined;
  failure?: ConvergenceFailure;
}

export interface PassResult {
  readonly tasks: readonly Readonly<Task>[];
  readonly writes: readonly AzureWrite[];
}

/** Brings some Services to what they should be, in one go: in as many writes as there are things to change. */
export class ReconcilePass {
  readonly #options: PassOptions;
  readonly #input: PassInput;
  readonly #tasks: readonly Task[];
  readonly #writes: AzureWrite[] = [];

  constructor(options: PassOptions, input: PassInput) {
    const { site, desired } = options;
    this.#options = options;
    this.#input = input;
    const outcomes = decide({ ...input, site, options: desired, loadBalancers: input.observed.loadBalancers });
    this.#tasks = [...outcomes].map(([key, outcome]) => ({ key, outcome, service: outcome.claim.service }));
  }

  async run(): Promise<PassResult> {
    const detached = await this.#detachMovers();
    await this.#forEach((task, service) => this.#hold(task, service));
    const targets = this.#going().flatMap(({ key, outcome }) => targetOf(key, outcome) ?? []);
    const after = await this.#converge(targets, detached);
    const index = new AzureIndex(this.#options.site, after, targets);
    await this.#forEach((task, service) => this.#finish(task, service, index));
    this.#followFailed(index);
    return { tasks: this.#tasks, writes: this.#writes };
  }

  /** A Service leaves its old load balancer before its new place is recorded: else a crash would forget the old one. */
  async #detachMovers(): Promise<ObservedAzure> {
    const movers = this.#tasks.flatMap(({ key, outcome }) => {
      const target = detachedTargetOf(key, outcome);
      if (target !== undefined) this.#options.pools.forget(key);
      return target ?? [];
    });
    return movers.length === 0 ? this.#input.observed : this.#converge(movers, this.#input.observed);
  }

  async #hold(task: Task, service: Service): Promise<void> {
    const { outcome } = task;
    if (outcome.kind === 'release') {
      this.#options.pools.forget(task.key);
      this.#tell(task, 'DeletingLoadBalancer', `Taking the load balancer down: ${outcome.claim.sentence}.`);
    }
    const writes = writesBeforeAzure(outcome);
    task.service = await this.#options.writer.write(service, writes, this.#input.signal);
    if (outcome.kind !== 'serve' || task.service === undefined) return;
    this.#options.pools.expect(task.service, localServiceInfo(this.#options.site, outcome.target));
    if (writes.length === 0) return;
    const isNew = shownAddresses(service).length === 0;
    if (isNew) this.#tell(task, 'EnsuringLoadBalancer', `Placed on the load balancer ${outcome.target.loadBalancer}.`);
  }

  async #converge(targets: readonly Target[], before: ObservedAzure): Promise<ObservedAzure> {
    const { arm: client, environment, writer } = this.#options;
    const { journal } = environment;
    const unserved = unservedIn(this.#input.cluster, writer);
    const options = { ...this.#options, ...this.#input, client, journal, unserved };
    const { observed, writes, failures } = await converge(targets, before, options);
    this.#writes.push(...writes);
    for (const task of this.#tasks) {
      const failure = failures.get(task.key);
      if (failure !== undefined) task.failure = failure;
    }
    return observed;
  }

  async #finish(task: Task, service: Service, index: AzureIndex): Promise<void> {
    const { outcome } = task;
    if (outcome.kind === 'foreign') this.#options.pools.forget(task.key);
    if (outcome.kind === 'unreadable') throw outcome.error;
    const addresses = outcome.kind === 'serve' ? requireAddresses(outcome, index) : [];
    this.#followPools(task, service, index);
    const { environment, writer } = this.#options;
    const writes = writesAfterAzure(outcome, addresses, environment.clock);
    task.service = await writer.write(service, writes, this.#input.signal);
    this.#announce(task, addresses, writes.length > 0);
  }

  #followPools(task: Task, service: Service, index: AzureIndex): void {
    const { site, pools } = this.#options;
    const { outcome } = task;
    if (outcome.kind === 'refuse') this.#followWhatIsThere(task, service, index);
    if (outcome.kind !== 'serve') return;
    const { loadBalancer } = outcome.target;
    const body = index.observed.loadBalancers.get(loadBalancer.toLowerCase());
    pools.register(service, localServiceInfo(site, outcome.target), body);
  }

  /** A change that fails, such as to an address that is not there, must not keep pools from following their pods. */
  #followFailed(index: AzureIndex): void {
    for (const task of this.#tasks) {
      if (task.outcome.kind !== 'serve' || task.failure === undefined || task.service === undefined) continue;
      this.#followWhatIsThere(task, task.service, index);
    }
  }

  /** A mistake in a Service must not take down what it has. */
  #followWhatIsThere({ key }: Task, service: Service, { observed }: AzureIndex): void {
    const body = observed.loadBalancers.get(recordedLoadBalancer(service)?.toLowerCase() ?? '');
    this.#options.pools.registerWhatIsThere(key, service, body);
  }

  #announce(task: Task, addresses: readonly IpAddress[], isNews: boolean): void {
    const { key, outcome, service } = task;
    if (outcome.kind === 'release') this.#tell(task, 'DeletedLoadBalancer', serviceNotes.released(outcome.claim));
    if (service === undefined) return;
    if (outcome.kind === 'refuse') {
      if (isNews) this.#tell(task, 'LoadBalancerRefused', serviceNotes.refused(outcome.refusal));
    } else if (outcome.kind === 'serve') {
      const { loadBalancer } = outcome.target;
      if (isNews) this.#tell(task, 'EnsuredLoadBalancer', serviceNotes.reachable(addresses));
      else if (this.#writes.some(({ subjects }) => subjects.includes(key))) {
        this.#tell(task, 'UpdatedLoadBalancer', `The load balancer ${loadBalancer} follows.`);
      }
    }
  }

  #tell({ outcome }: Task, reason: ServiceEventReason, note: string): void {
    recordOnService(this.#options.environment.events, outcome.claim.service, reason, note);
  }

  /** Those that have neither failed nor gone. */
  #going(): readonly Task[] {
    return this.#tasks.filter(({ service, failure }) => service !== undefined && failure === undefined);
  }

  /** Side by side; one that fails degrades alone. */
  async #forEach(work: (task: Task, service: Service) => Promise<void>): Promise<void> {
    const lanes = new Lanes(CONCURRENT_SERVICES);
    const run = async (task: Task) => {
      try {
        if (task.service !== undefined) await work(task, task.service);
      } catch (error) {
        this.#input.signal.throwIfAborted();
        task.failure = { error, isShared: false };
      }
    };
    await Promise.all(this.#going().map((task) => lanes.run(task.key, () => run(task))));
  }
}

/**
 * The Services that nobody can reach yet, as our own writes left them: one that has just got its address must not lose
 * it.
 */
export function unservedIn(
  cluster: readonly Service[],
  writer: Pick<ObjectWriter<Service>, 'latest'>,
): ReadonlySet<ServiceMark> {
  const latest = cluster.flatMap((service) => writer.latest(serviceKey(service.metadata), service) ?? []);
  return new Set(latest.filter((service) => shownAddresses(service).length === 0).map(markOf));
}

/** Where the Service can be reached, in the order of its families. */
function requireAddresses({ target }: ServedService, index: AzureIndex): readonly IpAddress[] {
  const addresses = index.addressesOf(target);
  if (addresses.length === target.wanted.families.length) return addresses;
  throw new FairleadError('Azure has not given the Service all its addresses yet: asking again in a moment', {
    verdict: 'retriable',
    code: 'address-pending',
    retryAfterMilliseconds: ADDRESS_DELAY_MILLISECONDS,
  });
}
