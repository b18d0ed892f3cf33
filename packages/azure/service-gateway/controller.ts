import { Backoff, codeOf, findFairleadError, type IpFamily, messageOf, sleep, verdictOf } from '@fairlead/control';
import {
  endpointSlices,
  KeyedQueue,
  nodes as nodeResource,
  pods as podResource,
  type Service,
  services as serviceResource,
  type SharedCache,
} from '@fairlead/kube';
import { ClusterEvents, Comparison, Health, type LeaderEnvironment } from '@fairlead/part';
import { recordOnService, toServiceKey } from '@fairlead/service';
import type { ArmClient } from '../arm/index.ts';
import { AzureComparison } from './cloud/comparison.ts';
import { Inventory } from './cloud/inventory.ts';
import { Leftovers } from './cloud/leftovers.ts';
import { Repository } from './cloud/repository.ts';
import { ClusterFeed } from './cluster/cluster-feed.ts';
import { claimRules, likelyFamily, nrpKeyOf } from './cluster/desired.ts';
import { NodeDirectory } from './cluster/node-directory.ts';
import { PodFeed } from './cluster/pod-feed.ts';
import { PodFinalizers } from './cluster/pod-finalizers.ts';
import { ServiceReconciler } from './cluster/service-reconciler.ts';
import type { ServiceGatewayConfiguration } from './configuration.ts';
import { afterTheEngine, type StateChange } from './engine/effects.ts';
import type { Engine } from './engine/engine.ts';
import { EGRESS_LABEL, isOutbound, podUid, type NrpKey } from './engine/nrp-key.ts';
import { Initialization } from './initialization.ts';
import { RunningEngine } from './pump.ts';
import { Announcer } from './report/events.ts';
import { keepGauges } from './report/gauges.ts';
import { LeftoverFailures } from './report/leftover-failures.ts';
import { StateJournal } from './report/state-journal.ts';
import { egressPolicy, type GatewayScope } from './scope.ts';

const CONCURRENT_SERVICES = 20;
const CONCURRENT_PODS = 10;

export interface ControllerOptions {
  readonly environment: LeaderEnvironment;
  readonly azure: ArmClient;
  readonly scope: GatewayScope;
  readonly configuration: ServiceGatewayConfiguration;
}

/** The service gateway of a cluster, for as long as we lead. */
export class ServiceGatewayController {
  readonly #options: ControllerOptions;
  readonly #services: SharedCache<Service>;
  readonly #nodes = new NodeDirectory();
  readonly #repository: Repository;
  readonly #running: RunningEngine;
  readonly #pods: PodFeed;
  readonly #podFinalizers: PodFinalizers;
  readonly #feed: ClusterFeed;
  readonly #serviceQueue: KeyedQueue;
  readonly #podQueue: KeyedQueue;
  readonly #announcer: Announcer;
  readonly #story: StateJournal;
  readonly #health: Health;
  readonly #comparison: Comparison;
  readonly #initialization: Initialization;

  constructor(options: ControllerOptions) {
    const { environment, azure, scope, configuration } = options;
    const { clock, random, logger, metrics, journal, events, signal, caches } = environment;
    this.#options = options;
    this.#services = caches.cache(serviceResource);
    const inventory = new Inventory(clock);
    this.#repository = new Repository(azure, scope, inventory, () => clock.monotonic());
    this.#health = new Health(environment.readiness);
    this.#story = new StateJournal(journal, clock, (key) => this.#feed.nameOf(key));
    const { maximumAddresses, maximumKilobytes } = configuration.addressLocations;
    const shared = { clock, random, logger, metrics, repository: this.#repository };
    this.#running = new RunningEngine({
      ...shared,
      journal,
      signal,
      limits: { addresses: maximumAddresses, bytes: maximumKilobytes * 1_000 },
      journalKey: (key) => this.#story.keyOf(key),
      observer: {
        stateChanged: (change) => this.#onStateChanged(change),
        podsDrained: (pods) => this.#pods.onDrained(pods),
        addressRefused: (entry, services, error) => this.#announcer.addressRefused(entry, services, error),
        locationsRound: (error) => this.#onLocationsRound(error),
        driftSuspected: (why) => this.#comparison.suspect(why),
      },
    });
    const { engine } = this.#running;
    const queue = { clock, random, logger, metrics };
    this.#serviceQueue = new KeyedQueue({
      ...queue,
      name: 'azure-service-gateway-services',
      concurrency: CONCURRENT_SERVICES,
      onRetry: (name, error, retryAt) => {
        journal.record(`service ${name}`, { kind: 'waiting', for: `what failed: ${codeOf(error)}`, retryAt });
        const service = this.#services.get(name);
        if (service === undefined || verdictOf(error) === 'stale') return;
        recordOnService(events, service, 'SyncLoadBalancerFailed', `${messageOf(error)}; it is tried again.`);
      },
    });
    this.#podQueue = new KeyedQueue({ ...queue, name: 'azure-service-gateway-pods', concurrency: CONCURRENT_PODS });
    this.#pods = new PodFeed({
      engine,
      inventory,
      clock,
      pods: caches.cache(podResource, { labelSelector: EGRESS_LABEL }),
      nodes: this.#nodes,
      policy: egressPolicy(configuration),
      lookAgain: (uid, delayMilliseconds = 0) => this.#podQueue.add(uid, { delayMilliseconds }),
      onRefused: (pod, error) => this.#announcer.podRefused(pod, error),
      onVanished: (what) => this.#comparison.suspect(`${what} is gone without having been let go`),
    });
    this.#podFinalizers = new PodFinalizers({ ...environment, feed: this.#pods });
    const rules = claimRules(environment.defaultClass);
    this.#feed = new ClusterFeed({
      engine,
      rules,
      services: this.#services,
      nodes: this.#nodes,
      pods: this.#pods,
      lookAgain: (name) => this.#serviceQueue.add(name),
      onVanished: (what) => this.#comparison.suspect(`${what} is gone without having been let go`),
    });
    const clusterEvents = new ClusterEvents({ ...environment, recorder: events });
    const nameOf = (key: NrpKey) => this.#feed.nameOf(key);
    this.#announcer = new Announcer({
      recorder: events,
      cluster: clusterEvents,
      leftovers: new LeftoverFailures({ clock, logger, cluster: clusterEvents, nameOf }),
      serviceOf: (key) => this.#serviceOf(key),
      podOf: (uid) => this.#pods.podOf(uid),
      podsOf: (key) => (isOutbound(key) ? engine.tracker.pods.podsOf(key) : []),
      addressOf: (key) => this.#addressOf(key),
    });
    const leftovers = new Leftovers({
      ...shared,
      engine,
      keepsDefaultOutbound: configuration.defaultOutbound,
      cluster: clusterEvents,
    });
    const common = { ...shared, engine, leftovers, health: this.#health };
    const defaultOutboundFamilies = () => this.#defaultOutboundFamilies();
    const azureComparison = new AzureComparison({ ...common, defaultOutboundFamilies });
    this.#comparison = new Comparison({
      ...environment,
      health: this.#health,
      outside: 'Azure',
      intervalMilliseconds: configuration.comparisonIntervalSeconds * 1_000,
      compare: (stop) => azureComparison.compare(stop),
    });
    this.#initialization = new Initialization({
      ...common,
      defaultOutboundFamilies,
      running: this.#running,
      intake: this.#feed,
    });
  }

  get engine(): Engine {
    return this.#running.engine;
  }

  /** Runs until the signal aborts. */
  async run(): Promise<void> {
    const { environment } = this.#options;
    const { caches, signal, clock, metrics } = environment;
    const subscriptions = [
      this.#services.subscribe((change) => this.#feed.onService(toServiceKey(change.key))),
      caches.cache(endpointSlices).subscribe((change) => this.#feed.onSlice(change)),
      caches.cache(nodeResource).subscribe((change) => this.#feed.onNode(change)),
      caches.cache(podResource, { labelSelector: EGRESS_LABEL }).subscribe((change) => this.#pods.onPod(change)),
    ];
    try {
      await caches.synced(signal);
      await Promise.all(subscriptions.map(({ caughtUp }) => caughtUp));
      await Promise.all([
        this.#initialize(signal),
        this.#runQueues(signal),
        keepGauges(this.engine, metrics, clock, signal),
      ]);
    } finally {
      for (const subscription of subscriptions) subscription.cancel();
      await this.#running.idle();
    }
  }

  async #initialize(signal: AbortSignal): Promise<void> {
    try {
      await this.#initialization.initializeFromCluster(signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#pods.onInitialSync();
    await Promise.all([this.#adoptStrays(signal), this.#comparison.run(signal)]);
  }

  /** Tries until it has seen all pods: nobody else would ever let go of those that lost their label before we led. */
  async #adoptStrays(signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#options.environment;
    const backoff = new Backoff(random);
    while (!signal.aborted) {
      try {
        await this.#podFinalizers.adoptStrays(signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ error: messageOf(error) }, 'pods that lost their label were not all looked for: trying again');
        await sleep(clock, backoff.next(findFairleadError(error)?.retryAfterMilliseconds), signal).catch(() => {});
      }
    }
  }

  async #runQueues(signal: AbortSignal): Promise<void> {
    const { environment } = this.#options;
    const reconciler = new ServiceReconciler({
      environment,
      rules: claimRules(environment.defaultClass),
      services: this.#services,
      engine: this.engine,
      repository: this.#repository,
      feed: this.#feed,
    });
    const onService = async (name: string, stop: AbortSignal) => {
      await afterTheEngine();
      await reconciler.reconcile(toServiceKey(name), stop);
    };
    const onPod = async (uid: string, stop: AbortSignal) => {
      await afterTheEngine();
      await this.#podFinalizers.work(podUid(uid), stop);
    };
    await Promise.all([this.#serviceQueue.run(onService, signal), this.#podQueue.run(onPod, signal)]);
  }

  #onStateChanged(change: StateChange): void {
    const { key, after, outcome } = change;
    this.#initialization.stateChanged(change);
    this.#story.stateChanged(change);
    this.#announcer.stateChanged(change);
    if (after === undefined) this.#feed.onGone(key);
    else if (outcome !== undefined || after.kind === 'Parked') this.#lookAgain(key);
  }

  #onLocationsRound(error: unknown): void {
    this.#initialization.locationsRound(error);
    this.#health.round('updating addresses', error);
  }

  #lookAgain(key: NrpKey): void {
    const name = this.#feed.nameOf(key);
    if (name !== undefined) this.#serviceQueue.add(name);
  }

  #serviceOf(key: NrpKey): Service | undefined {
    const name = this.#feed.nameOf(key);
    const service = name === undefined ? undefined : this.#services.get(name);
    return service !== undefined && nrpKeyOf(service) === key ? service : undefined;
  }

  #addressOf(key: NrpKey): string | undefined {
    const service = this.#serviceOf(key);
    return service === undefined ? undefined : this.#repository.knownAddress(key, likelyFamily(service));
  }

  #defaultOutboundFamilies(): readonly IpFamily[] | undefined {
    return this.#options.configuration.defaultOutbound ? this.#nodes.families : undefined;
  }
}
