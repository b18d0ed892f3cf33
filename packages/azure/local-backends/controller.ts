import { KeyBatcher } from '@fairlead/cloud';
import { codeOf, Lanes, messageOf, sleep, verdictOf } from '@fairlead/control';
import {
  type CacheChange,
  endpointSlices,
  KeyedQueue,
  type KubeClient,
  type Node,
  nodes,
  type Service,
  type SharedCache,
  services,
} from '@fairlead/kube';
import { type LeaderEnvironment, readClusterId } from '@fairlead/part';
import { recordOnService, type ServiceKey, toServiceKey } from '@fairlead/service';
import type { CloudConfiguration, OpenedAzure } from '../arm/index.ts';
import { AzureResourceLocker, noResourceLock } from './azure-resource-locker.ts';
import { BackendPoolUpdater } from './backend-pools/backend-pool-updater.ts';
import { BackendTracker } from './backend-pools/backend-tracker.ts';
import { LocalServices } from './backend-pools/local-services.ts';
import { PoolRegister } from './backend-pools/pool-registry.ts';
import { UpdateReporter } from './backend-pools/update-reporter.ts';
import { type LocalBackendsConfiguration, updaterSettings } from './configuration.ts';
import { claimRules } from './load-balancers/desired.ts';
import { Reconciler } from './load-balancers/reconciler.ts';
import { localBackendsMetrics } from './metrics.ts';
import { type AzureSite, azureSite, poolId } from './site.ts';

/** So many Services at most are worked on in one go. */
const LARGEST_BATCH = 500;
/** When leftovers could not be removed, and nothing else is compared. */
const SWEEP_AGAIN_MILLISECONDS = 600_000;

/** Keeps load balancers and backend pools in step with the Services of the class, for as long as we lead. */
export async function runController(
  { client: arm, cloud }: Pick<OpenedAzure, 'client' | 'cloud'>,
  configuration: LocalBackendsConfiguration,
  environment: LeaderEnvironment,
): Promise<void> {
  const { client, clock, logger, metrics, journal, events, caches, readiness, signal } = environment;
  for (const definition of localBackendsMetrics) metrics.declare(definition);
  readiness.set({ ready: false, reason: 'reading the cluster' });
  const site = await siteOf(client, cloud, configuration, signal);
  const cache = caches.cache(services);
  const sliceCache = caches.cache(endpointSlices);
  const nodeCache = caches.projected(nodes, nodeFacts);
  await caches.synced(signal);

  const localServices = new LocalServices();
  const serviceReconcileLock = new Lanes(1);
  const azureResourceLocker = configuration.resourceLock
    ? new AzureResourceLocker({ client, clock, logger })
    : noResourceLock;
  const backends = new BackendTracker((service, family) => register.changed(service, family));
  const serviceOf = (key: ServiceKey) => cache.get(key);
  const updater = new BackendPoolUpdater({
    client: arm,
    poolId: (loadBalancer, pool) => poolId(site, loadBalancer, pool),
    networkId: site.networkId,
    services: localServices,
    backends,
    reporter: new UpdateReporter({ clock, metrics, journal, events, serviceOf }),
    serviceReconcileLock,
    azureResourceLocker,
    settings: updaterSettings(cloud, configuration.leadingEdge),
    clock,
    logger,
    poolMissing: (service) => {
      reconciler.doubt(service);
      queue.add(service);
    },
  });
  const register = new PoolRegister({ site, services: localServices, backends, serviceOf, updater });
  const reconciler = new Reconciler({
    environment,
    arm,
    site,
    desired: { rules: claimRules(environment.defaultClass), hasSecurityGroup: site.securityGroupId !== undefined },
    services: { get: serviceOf, list: () => cache.list() },
    backends,
    register,
    serviceReconcileLock,
    azureResourceLocker,
  });
  const queue = serviceQueue(environment, cache, reconciler);
  const subscriptions = [
    nodeCache.subscribe((change) => followNode(backends, change)),
    sliceCache.subscribe((change) => {
      if (change.type === 'delete') backends.deleteSlice(change.before.metadata);
      else backends.setSlice(change.after);
    }),
  ];
  // No pool is compared with endpoints that were not all read.
  await Promise.all(subscriptions.map(({ caughtUp }) => caughtUp));
  readiness.set({ ready: false, reason: 'reading Azure' });
  subscriptions.push(cache.subscribe((change) => followService(register, queue, change)));
  const batcher = new KeyBatcher<ServiceKey>(clock, (keys) => reconciler.reconcile(keys, signal));
  try {
    await Promise.all([
      queue.run((key) => batcher.submit(toServiceKey(key)), signal),
      updater.run(signal),
      keepComparing(environment, configuration, cache, reconciler, queue),
    ]);
  } finally {
    for (const subscription of subscriptions) subscription.cancel();
  }
}

/** Where everything is. */
export async function siteOf(
  client: KubeClient,
  cloud: CloudConfiguration,
  configuration: LocalBackendsConfiguration,
  signal: AbortSignal,
): Promise<AzureSite> {
  const cluster = await readClusterId(configuration.clusterId, client, { signal });
  return azureSite(cluster, cloud, configuration.loadBalancers);
}

function serviceQueue(environment: LeaderEnvironment, cache: SharedCache<Service>, reconciler: Reconciler): KeyedQueue {
  const { clock, random, logger, metrics, journal, events } = environment;
  return new KeyedQueue({
    name: 'azure-local-services',
    clock,
    random,
    logger,
    metrics,
    concurrency: LARGEST_BATCH,
    onRetry(key, error, retryAt) {
      journal.record(`service ${key}`, { kind: 'waiting', for: `what failed: ${codeOf(error)}`, retryAt });
      const service = cache.get(key);
      // What changed under our hands is no news.
      if (service === undefined || verdictOf(error) === 'stale') return;
      const reason = reconciler.failureReason(toServiceKey(key), error);
      recordOnService(events, service, reason, `${messageOf(error)}; it is tried again.`);
    },
  });
}

/** A Service that is on its way out is left alone by the updater from the moment we hear of it. */
function followService(register: PoolRegister, queue: KeyedQueue, change: CacheChange<Service>): void {
  const isLeaving = change.type === 'delete' || change.after.metadata.deletionTimestamp !== undefined;
  if (isLeaving) register.forget(toServiceKey(change.key));
  queue.add(change.key);
}

function followNode(backends: BackendTracker, change: CacheChange<Node>): void {
  if (change.type === 'delete') backends.deleteNode(change.before.metadata.name);
  else backends.setNode(change.after);
}

/** Of a node that reports its health all the time, what a load balancer needs changes rarely. */
function nodeFacts({ metadata, spec, status }: Node): Node {
  const { name, uid, resourceVersion, deletionTimestamp, labels } = metadata;
  return {
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(labels === undefined ? {} : { labels }),
    },
    spec: { taints: spec?.taints ?? [] },
    status: { addresses: status?.addresses ?? [] },
  };
}

/** Removes leftovers at the start, and from then on compares everything with Azure again and again. */
async function keepComparing(
  { clock, logger, signal }: LeaderEnvironment,
  { comparisonIntervalSeconds }: LocalBackendsConfiguration,
  cache: SharedCache<Service>,
  reconciler: Reconciler,
  queue: KeyedQueue,
): Promise<void> {
  const isOff = comparisonIntervalSeconds === 0;
  const interval = isOff ? SWEEP_AGAIN_MILLISECONDS : comparisonIntervalSeconds * 1000;
  try {
    for (;;) {
      const isClean = await reconciler.sweep(signal).catch((error: unknown) => {
        signal.throwIfAborted();
        logger.warn({ error: messageOf(error) }, 'could not look for leftovers; trying again later');
        return false;
      });
      if (isOff && isClean) return;
      await sleep(clock, interval, signal);
      if (isOff) continue;
      reconciler.doubt();
      for (const key of cache.keys()) queue.add(key);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
