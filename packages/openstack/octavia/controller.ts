import { picked } from '@fairlead/control';
import {
  Controller,
  type EndpointSlice,
  endpointSlices,
  keyText,
  type Node,
  nodes,
  ObjectWriter,
  type Service,
  type SharedCache,
  services,
} from '@fairlead/kube';
import {
  ClusterEvents,
  Comparison,
  DeletionGuard,
  Health,
  intervalOf,
  type LeaderEnvironment,
  objectController,
} from '@fairlead/part';
import { EndpointIndex, nodeProjection, serviceProjection } from '@fairlead/service';
import { BalancerCloud } from './balancer/cloud.ts';
import { servedOn, sharersIn } from './balancer/sharing/sharers.ts';
import { claimRules } from './claim.ts';
import type { OctaviaConfiguration } from './configuration.ts';
import { NeutronSecurityGroups } from './drivers/security-groups.ts';
import { NeutronSubnets } from './drivers/subnet-driver.ts';
import { EndpointsHandler } from './handlers/endpoints-handler.ts';
import { KuryrLoadBalancerHandler } from './handlers/loadbalancer-handler.ts';
import { MemberReach } from './handlers/member-reach.ts';
import { PendingWaits } from './handlers/waiting/pending.ts';
import { ServiceHandler } from './handlers/service-handler.ts';
import { Takedown } from './handlers/takedown.ts';
import { LEFTOVER_BRAKE, livingOwners } from './leftovers.ts';
import { leftoversHeld, writesTotal } from './metrics.ts';
import type { OpenStack } from './openstack.ts';
import { type KuryrLoadBalancer, kuryrLoadBalancers, serviceUidOf } from './resource/types.ts';

const CONCURRENT_SERVICES = 10;
/** Each waits for nothing but its own calls: one that is PENDING takes no place. */
const CONCURRENT_BALANCERS = 20;
/** Who needs fewer rules takes those away that it needed; a resource that is written anew in between keeps its own. */
const SWEEP_DELAY_MILLISECONDS = 10_000;
const RULES = 'rules';

/**
 * Runs the three handlers for as long as we lead. Each has a queue of its own, and they meet only in the resource:
 * nothing is decided before all caches are complete.
 */
export async function runController(
  configuration: OctaviaConfiguration,
  openstack: OpenStack,
  environment: LeaderEnvironment,
): Promise<void> {
  const { caches, clock, journal, readiness, signal } = environment;
  const { site, lbaas, neutron } = openstack;
  const rules = claimRules(configuration, environment.defaultClass);
  const kept = { rules, nodePorts: true, clusterAddresses: true };
  const serviceCache = caches.projected(services, serviceProjection(kept));
  const resourceCache = caches.cache(kuryrLoadBalancers);
  const nodeCache = caches.projected(nodes, nodeProjection);

  const writes = { ...environment, writesMetric: writesTotal, fieldManager: 'fairlead-octavia' };
  const serviceWriter = new ObjectWriter<Service>({ ...writes, resource: services });
  const writer = new ObjectWriter<KuryrLoadBalancer>({ ...writes, resource: kuryrLoadBalancers });
  const { cluster: clusterId, memberSecurityGroupIds } = site;
  const sweeper = new Controller({ ...environment, name: 'octavia-rules' });
  const sweepSoon = () => sweeper.add(RULES, { delayMilliseconds: SWEEP_DELAY_MILLISECONDS });
  const securityGroups = new NeutronSecurityGroups(neutron, clusterId, memberSecurityGroupIds, clock, sweepSoon);
  const waits = new PendingWaits(clock);
  const cloud = new BalancerCloud(lbaas, neutron, {
    // As the handlers see them: the cache may not have what they wrote a moment ago.
    sharers: () => sharersIn(resourceCache.list().map((one) => writer.latest(keyText(one.metadata), one) ?? one)),
    servedOn: (portId) => servedOn(portId, resourceCache.list()),
    hasChanged(uid) {
      for (const one of resourceCache.list()) {
        if (serviceUidOf(one) !== uid) continue;
        balancerHandler.changed(keyText(one.metadata));
        balancerController.add(keyText(one.metadata));
      }
    },
  });
  const reach = new MemberReach(site, new NeutronSubnets(neutron), securityGroups, cloud);
  const takedown = new Takedown(cloud, securityGroups, site, journal, waits);
  const endpoints = new EndpointIndex();

  const shared = { environment, site, rules, services: serviceCache, resources: resourceCache, writer, takedown };
  const serviceHandler = new ServiceHandler({ ...shared, serviceWriter });
  const endpointsHandler = new EndpointsHandler({ ...shared, endpoints, nodes: () => nodeCache.list() });
  const balancerHandler = new KuryrLoadBalancerHandler({ ...shared, cloud, reach, waits });

  const serviceController = objectController(environment, {
    name: 'octavia-services',
    resource: services,
    cache: serviceCache,
    concurrency: CONCURRENT_SERVICES,
    failureReason: () => 'SyncLoadBalancerFailed',
  });
  serviceController.watch(resourceCache);
  const endpointsController = objectController(environment, {
    name: 'octavia-endpoints',
    resource: services,
    cache: serviceCache,
    concurrency: CONCURRENT_SERVICES,
    failureReason: () => 'SyncLoadBalancerFailed',
  });
  watchEndpoints(endpointsController, { ...shared, endpoints, nodeCache, serviceCache, environment });
  endpointsController.watch(resourceCache);
  const balancerController = objectController(environment, {
    name: 'octavia-load-balancers',
    resource: kuryrLoadBalancers,
    cache: resourceCache,
    concurrency: CONCURRENT_BALANCERS,
    // The condition tells, and the ServiceHandler passes it on to the Service.
    failureReason: () => undefined,
  });
  // A resource may be seen before the Service that it is of.
  balancerController.watch(serviceCache);

  function lookAgain(key: string): void {
    balancerHandler.suspect(key);
    balancerController.add(key);
  }

  const cluster = new ClusterEvents(environment);
  const guard = new DeletionGuard<string>({ ...environment, cluster, brake: LEFTOVER_BRAKE, gauge: leftoversHeld });
  const intervalMilliseconds = intervalOf(configuration.comparisonIntervalSeconds);
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** Has every load balancer looked at again, and takes down what no Service stands behind. */
  async function compare(): Promise<number | void> {
    const begunAt = clock.monotonic();
    // What is left of Services has rounds of its own, one soon after the other, until it is gone.
    if (begunAt - lookedAt >= intervalMilliseconds / 2) {
      lookedAt = begunAt;
      for (const key of resourceCache.keys()) lookAgain(key);
    }
    const there = await cloud.owners(site.cluster, signal);
    // Only now: what was listed was made for a Service that the caches had before.
    const living = livingOwners(serviceCache.list(), resourceCache.list(), rules);
    const leftovers = [...there].filter((uid) => !living.has(uid));
    let again: number | undefined;
    const failures: unknown[] = [];
    for (const uid of guard.allow(leftovers, there.size, begunAt)) {
      try {
        const left = await takedown.remove({ namespace: 'leftover', name: uid }, uid, false, signal);
        again = left?.afterMilliseconds ?? again;
      } catch (error) {
        signal.throwIfAborted();
        failures.push(error);
      }
    }
    // Only now: one that cannot be taken down keeps no other from going.
    if (failures.length > 0) throw failures[0];
    return again;
  }

  const health = new Health(readiness);
  const comparison = new Comparison({ ...environment, health, outside: 'OpenStack', intervalMilliseconds, compare });
  const all = [serviceController, endpointsController, balancerController];
  await Promise.all(all.map((controller) => controller.synced(signal)));
  const before = new Set([...resourceCache.keys(), ...serviceCache.keys()]);
  for (const key of before) await balancerHandler.restore(key, signal);
  sweepSoon();
  health.started();
  comparison.suspect('a new leader looks for what the one before it left behind');
  await Promise.all([
    serviceController.run((key) => serviceHandler.reconcile(key, signal), signal),
    endpointsController.run((key) => endpointsHandler.reconcile(key, signal), signal),
    balancerController.run((key) => balancerHandler.reconcile(key, signal), signal),
    sweeper.run(() => reach.sweep(signal), signal),
    comparison.run(signal),
  ]);
}

interface EndpointSources {
  readonly endpoints: EndpointIndex;
  readonly nodeCache: SharedCache<Node>;
  readonly serviceCache: SharedCache<Service>;
  readonly environment: LeaderEnvironment;
}

function watchEndpoints(
  controller: Controller,
  { endpoints, nodeCache, serviceCache, environment }: EndpointSources,
): void {
  controller.watch(environment.caches.projected(endpointSlices, keptSlice), (change) =>
    change.type === 'delete' ? endpoints.delete(change.before.metadata) : endpoints.set(change.after),
  );
  controller.watch(nodeCache, () => serviceCache.keys());
}

/** Where traffic goes, and what the pod there is called. */
function keptSlice(slice: EndpointSlice): EndpointSlice {
  const { metadata, addressType, endpoints } = slice;
  return {
    metadata: { name: metadata.name, ...picked(metadata, ['namespace', 'uid', 'resourceVersion', 'labels']) },
    addressType,
    endpoints: (endpoints ?? []).map((one) => ({
      addresses: one.addresses,
      ...picked(one, ['conditions', 'targetRef']),
    })),
    ...picked(slice, ['ports']),
  };
}
