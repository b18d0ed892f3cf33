import { messageOf, untilDone } from '@fairlead/control';
import {
  Controller,
  endpointSlices,
  nodes as nodeResource,
  pods as podResource,
  services as serviceResource,
} from '@fairlead/kube';
import {
  ClusterEvents,
  Comparison,
  Health,
  intervalOf,
  type LeaderEnvironment,
  objectController,
} from '@fairlead/part';
import {
  endpointSliceProjection,
  nodeProjection,
  podProjection,
  type ServiceKey,
  serviceProjection,
  toServiceKey,
} from '@fairlead/service';
import type { ArmClient } from '../arm/index.ts';
import { AzureRefusals, type Refusal } from './cloud/azure-refusals.ts';
import { AzureComparison } from './cloud/comparison.ts';
import { Inventory } from './cloud/inventory.ts';
import { Leftovers } from './cloud/leftovers.ts';
import { Repository } from './cloud/repository.ts';
import { ClusterFeed } from './cluster/cluster-feed.ts';
import { gatewayRules } from './cluster/desired.ts';
import { NodeDirectory } from './cluster/node-directory.ts';
import { PodFeed } from './cluster/pod-feed.ts';
import { PodFinalizers } from './cluster/pod-finalizers.ts';
import { ServiceReconciler } from './cluster/service-reconciler.ts';
import { egressPolicy, type ServiceGatewayConfiguration } from './configuration.ts';
import type { Notice, StateChange } from './engine/effects.ts';
import type { Engine } from './engine/engine.ts';
import { EGRESS_LABEL, type NrpKey, podUid } from './engine/nrp-key.ts';
import { Initialization, type InitialWork } from './initialization.ts';
import { keepGauges } from './metrics.ts';
import { EnginePump } from './pump.ts';
import { Announcer, azureRefuses, refusalText } from './report/events.ts';
import { LeftoverFailures } from './report/leftover-failures.ts';
import { StateJournal } from './report/state-journal.ts';
import type { GatewayScope } from './scope.ts';

const CONCURRENT_SERVICES = 20;
const CONCURRENT_PODS = 10;
const egressPod = podProjection(EGRESS_LABEL);

export interface ControllerOptions {
  readonly environment: LeaderEnvironment;
  readonly azure: ArmClient;
  readonly scope: GatewayScope;
  readonly configuration: ServiceGatewayConfiguration;
}

/** The service gateway of a cluster, for as long as we lead. */
export class ServiceGatewayController {
  readonly #environment: LeaderEnvironment;
  /** The Services that the engine was told of. */
  readonly #names = new Map<NrpKey, ServiceKey>();
  readonly #pump: EnginePump;
  readonly #services: Controller;
  readonly #pods: Controller;
  readonly #podFeed: PodFeed;
  readonly #feed: ClusterFeed;
  readonly #reconciler: ServiceReconciler;
  readonly #podFinalizers: PodFinalizers;
  readonly #announcer: Announcer;
  readonly #journal: StateJournal;
  readonly #health: Health;
  readonly #comparison: Comparison;
  readonly #initialization: Initialization;

  constructor({ environment, azure, scope, configuration }: ControllerOptions) {
    const { clock, caches, events } = environment;
    const names = this.#names;
    this.#environment = environment;
    this.#health = new Health(environment.readiness);
    const cluster = new ClusterEvents(environment);
    const refusals = new AzureRefusals(clock, (refusal) => this.#onRefusal(refusal, cluster));
    const repository = new Repository(azure, scope, new Inventory(clock), clock, refusals);
    this.#journal = new StateJournal(environment.journal, clock, names);
    const { maximumAddresses, maximumKilobytes } = configuration.addressLocations;
    const limits = { addresses: maximumAddresses, bytes: maximumKilobytes * 1_000 };
    this.#pump = new EnginePump({ ...environment, repository, journal: this.#journal, limits });
    const { engine } = this.#pump;

    const rules = gatewayRules(environment.defaultClass, configuration.annotations);
    const services = caches.projected(serviceResource, serviceProjection({ rules }));
    const pods = caches.projected(podResource, egressPod, { labelSelector: EGRESS_LABEL });
    this.#services = objectController(environment, {
      name: 'azure-service-gateway-services',
      resource: serviceResource,
      cache: services,
      concurrency: CONCURRENT_SERVICES,
      failureReason: () => 'SyncLoadBalancerFailed',
    });
    this.#pods = new Controller({ ...environment, name: 'azure-service-gateway-pods', concurrency: CONCURRENT_PODS });
    const nodes = new NodeDirectory();
    const policy = egressPolicy(configuration);
    this.#podFeed = new PodFeed({ engine, clock, pods, nodes, policy, queue: this.#pods });
    const feed = { engine, rules, services, nodes, names, pods: this.#podFeed, queue: this.#services };
    this.#feed = new ClusterFeed(feed);
    this.#reconciler = new ServiceReconciler({ environment, rules, services, engine, repository, feed: this.#feed });
    this.#podFinalizers = new PodFinalizers({ ...environment, feed: this.#podFeed });

    const leftoverFailures = new LeftoverFailures({ ...environment, cluster, names });
    const told = { engine, repository, services, names, pods: this.#podFeed };
    this.#announcer = new Announcer({ ...told, recorder: events, cluster, leftoverFailures });
    const keepsDefaultOutbound = configuration.defaultOutbound;
    const common = {
      ...environment,
      engine,
      repository,
      health: this.#health,
      leftovers: new Leftovers({ ...environment, engine, repository, cluster, keepsDefaultOutbound }),
      defaultOutbound: keepsDefaultOutbound ? nodes : undefined,
    };
    const azureComparison = new AzureComparison(common);
    this.#comparison = new Comparison({
      ...common,
      outside: 'Azure',
      intervalMilliseconds: intervalOf(configuration.comparisonIntervalSeconds),
      compare: (signal) => azureComparison.compare(signal),
    });
    this.#initialization = new Initialization({ ...common, intake: this.#feed });
    this.#services.watch(caches.projected(endpointSlices, endpointSliceProjection), (change) =>
      this.#feed.onSlice(change),
    );
    this.#services.watch(caches.projected(nodeResource, nodeProjection), (change) => this.#feed.onNode(change));
    this.#pods.watch(pods, (change) => this.#podFeed.onPod(change));
  }

  get engine(): Engine {
    return this.#pump.engine;
  }

  /** Runs until the signal aborts. */
  async run(): Promise<void> {
    const { clock, metrics, signal } = this.#environment;
    try {
      await Promise.all([keepGauges(this.engine, metrics, clock, signal), this.#lead(signal)]);
    } finally {
      await this.#pump.idle();
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#services.synced(signal), this.#pods.synced(signal)]);
    const work = await this.#initialization.initializeFromCluster(signal);
    await Promise.all([
      this.#pump.run((notice) => this.#onNotice(notice), signal),
      this.#services.run((name, stop) => this.#reconciler.reconcile(toServiceKey(name), stop), signal),
      this.#pods.run((uid, stop) => this.#podFinalizers.work(podUid(uid), stop), signal),
      this.#keepComparing(work, signal),
    ]);
  }

  /** From the initial sync on. */
  async #keepComparing(work: InitialWork, signal: AbortSignal): Promise<void> {
    try {
      await this.#initialization.waitForInitialSync(work, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#podFeed.onInitialSync();
    await Promise.all([this.#adoptStrays(signal), this.#comparison.run(signal)]);
  }

  /** Tries until it has seen all pods: those that lost their label before we led would be held for ever. */
  async #adoptStrays(signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#environment;
    const onFailure = (error: unknown) =>
      logger.warn({ error: messageOf(error) }, 'pods that lost their label were not all looked for: trying again');
    const adopt = () => this.#podFinalizers.adoptStrays(signal);
    await untilDone(adopt, { clock, random, onFailure }, signal).catch(() => {});
  }

  #onNotice(notice: Notice): void {
    switch (notice.kind) {
      case 'state-changed':
        return this.#onStateChanged(notice);
      case 'pods-drained':
        return this.#podFeed.onDrained(notice.pods);
      case 'pod-refused':
        return this.#announcer.podRefused(notice.pod, notice.error);
      case 'address-refused':
        return this.#announcer.addressRefused(notice.entry, notice.services, notice.error);
      case 'locations-round':
        this.#initialization.locationsRound(notice.error);
        return this.#health.round('updating addresses', notice.error);
      case 'drift-suspected':
        return this.#comparison.suspect(notice.why);
    }
  }

  /** One Event when it begins; whether it is over is for the readiness to tell. */
  #onRefusal(refusal: Refusal, cluster: ClusterEvents): void {
    this.#health.obstacle(refusal === undefined ? undefined : refusalText(refusal));
    if (refusal !== undefined) cluster.record(azureRefuses(refusal));
  }

  #onStateChanged(change: StateChange): void {
    const { key, after, outcome } = change;
    this.#initialization.stateChanged(change);
    this.#journal.stateChanged(change);
    this.#announcer.stateChanged(change);
    if (after === undefined) this.#feed.onGone(key);
    const name = this.#names.get(key);
    const hasNews = after !== undefined && (outcome !== undefined || after.kind === 'Parked');
    if (hasNews && name !== undefined) this.#services.add(name);
  }
}
