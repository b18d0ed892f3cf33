import { KeyBatcher } from '@fairlead/cloud';
import { Lanes } from '@fairlead/control';
import { type CacheFactory, type Controller, endpointSlices, nodes, services } from '@fairlead/kube';
import {
  Comparison,
  Health,
  intervalOf,
  type LeaderEnvironment,
  OutcomeCounts,
  objectController,
} from '@fairlead/part';
import {
  endpointSliceProjection,
  nodeProjection,
  type ServiceKey,
  serviceProjection,
  toServiceKey,
} from '@fairlead/service';
import type { OpenedAzure } from '../arm/index.ts';
import { AzureResourceLocker, noResourceLock } from './azure-resource-locker.ts';
import { BackendPoolUpdater } from './backend-pools/backend-pool-updater.ts';
import { BackendTracker } from './backend-pools/backend-tracker.ts';
import { LocalServices } from './backend-pools/local-services.ts';
import { PoolRegistry } from './backend-pools/pool-registry.ts';
import { UpdateReporter } from './backend-pools/update-reporter.ts';
import { type LocalBackendsConfiguration, updaterSettings } from './configuration.ts';
import { desiredOptions } from './load-balancers/desired.ts';
import type { Outcome } from './load-balancers/outcome.ts';
import { failureReason, Reconciler } from './load-balancers/reconciler.ts';
import { SettledServices } from './load-balancers/settled-services.ts';
import { servicesByOutcome } from './metrics.ts';
import { poolId, readSite } from './site.ts';

/** So many Services at most are worked on in one go. */
const LARGEST_BATCH = 500;
/** When leftovers may remain, however seldom everything is compared. */
const SWEEP_AGAIN_MILLISECONDS = 600_000;

/** Keeps load balancers and backend pools in step with the Services of the class, for as long as we lead. */
export async function runController(
  { client: arm, cloud }: Pick<OpenedAzure, 'client' | 'cloud'>,
  configuration: LocalBackendsConfiguration,
  environment: LeaderEnvironment,
): Promise<void> {
  const { client, clock, logger, metrics, caches, readiness, signal } = environment;
  const health = new Health(readiness);
  const site = await readSite(client, cloud, configuration, signal);
  const desired = desiredOptions(site, environment.defaultClass);
  const cache = caches.projected(services, serviceProjection({ rules: desired.rules }));
  const serviceOf = (key: ServiceKey) => cache.get(key);
  const settled = new SettledServices();
  const outcomes = new OutcomeCounts<Outcome['kind']>(metrics, servicesByOutcome);
  const controller = objectController(environment, {
    name: 'azure-local-services',
    resource: services,
    cache,
    concurrency: LARGEST_BATCH,
    failureReason: (key, error) => failureReason(outcomes.get(key), error),
  });
  const locks = {
    serviceReconcileLock: new Lanes(1),
    azureResourceLocker: configuration.resourceLock ? new AzureResourceLocker(environment) : noResourceLock,
  };

  const backends = new BackendTracker();
  const localServices = new LocalServices();
  const reporter = new UpdateReporter({ ...environment, serviceOf });
  const updater = new BackendPoolUpdater({
    ...locks,
    client: arm,
    poolId: (loadBalancer, pool) => poolId(site, loadBalancer, pool),
    networkId: site.networkId,
    services: localServices,
    backends,
    reporter,
    settings: updaterSettings(cloud, configuration.leadingEdge),
    clock,
    logger,
    poolMissing: (service) => {
      settled.doubt(service);
      controller.add(service);
    },
  });
  const pools = new PoolRegistry({ site, services: localServices, backends, serviceOf, updater, reporter });
  watchBackends(controller, caches, backends, pools);
  controller.watch(cache, (change) => {
    // The updater leaves a Service that is on its way out alone from the moment we hear of it.
    const isLeaving = change.type === 'delete' || change.after.metadata.deletionTimestamp !== undefined;
    if (isLeaving) pools.forget(toServiceKey(change.key));
  });

  const reconciler = new Reconciler({
    environment,
    arm,
    site,
    desired,
    services: { get: serviceOf, list: () => cache.list() },
    backends,
    pools,
    settled,
    outcomes,
    locks,
    health,
    vanished: (key) => comparison.suspect(`the Service ${key} is gone without having been let go`),
  });
  const batcher = new KeyBatcher<ServiceKey>(clock, (keys) => reconciler.reconcile(keys, signal));
  const comparison = new Comparison({
    ...environment,
    health,
    outside: 'Azure',
    intervalMilliseconds: intervalOf(configuration.comparisonIntervalSeconds),
    async compare(stop) {
      const isClean = await reconciler.sweep(stop);
      settled.doubtAll();
      for (const key of cache.keys()) if (!reconciler.isRefused(toServiceKey(key))) controller.add(key);
      return isClean ? undefined : SWEEP_AGAIN_MILLISECONDS;
    },
  });
  // Nothing is compared or swept before all Services, nodes and endpoints were read.
  await controller.synced(signal);
  health.starting('reading Azure');
  await Promise.all([
    comparison.run(signal, { startsNow: true }),
    controller.run((key) => batcher.submit(toServiceKey(key)), signal),
    updater.run(signal),
  ]);
}

/** Has the pools follow nodes and endpoints. */
function watchBackends(
  controller: Controller,
  caches: CacheFactory,
  backends: BackendTracker,
  pools: PoolRegistry,
): void {
  controller.watch(caches.projected(nodes, nodeProjection), (change) => {
    const isGone = change.type === 'delete';
    pools.follow(isGone ? backends.deleteNode(change.before.metadata.name) : backends.setNode(change.after));
  });
  controller.watch(caches.projected(endpointSlices, endpointSliceProjection), (change) => {
    const isGone = change.type === 'delete';
    pools.follow(isGone ? backends.deleteSlice(change.before.metadata) : backends.setSlice(change.after));
  });
}
