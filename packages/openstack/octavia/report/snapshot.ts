import { messageOf } from '@fairlead/control';
import { endpointSlices, keyText, nodes, type Node, type Service, services } from '@fairlead/kube';
import type { ReadEnvironment } from '@fairlead/part';
import { EndpointIndex, holdWrites, type ReportedService, releaseWrites } from '@fairlead/service';
import type { OpenSession } from '../../ports/address-cloud.ts';
import { desiredBalancer } from '../balancer/desired.ts';
import type { BalancerCloud } from '../balancer/cloud.ts';
import { planBalancer } from '../balancer/plan.ts';
import { planRemoval } from '../balancer/removal.ts';
import { claimRules } from '../claim.ts';
import type { OctaviaConfiguration } from '../configuration.ts';
import type { Site } from '../drivers/site.ts';
import { endpointFields } from '../handlers/endpoint-fields.ts';
import { readAsked, type ServiceAsked, writesToService } from '../handlers/service-handler.ts';
import { openOpenStack } from '../openstack.ts';
import { appliedByEndpoints, appliedByService } from '../resource/applied.ts';
import { isOwnResource, type KuryrLoadBalancer, kuryrLoadBalancers, serviceUidOf } from '../resource/types.ts';

interface Cluster {
  readonly endpoints: EndpointIndex;
  readonly nodes: readonly Node[];
}

/** What is still to be done for each Service, from the very steps that a leader would make. */
export async function takeSnapshot(
  openSession: OpenSession,
  configuration: OctaviaConfiguration,
  environment: ReadEnvironment,
): Promise<ReadonlyMap<string, ReportedService>> {
  const { client, clock, signal, defaultClass } = environment;
  await using openstack = await openOpenStack(openSession, configuration, environment);
  const { site, cloud } = openstack;
  const rules = claimRules(configuration, defaultClass);
  const [all, resources, slices, listedNodes] = await Promise.all([
    client.list(services, { signal }),
    client.list(kuryrLoadBalancers, { signal }),
    client.list(endpointSlices, { signal }),
    client.list(nodes, { signal }),
  ]);
  const endpoints = new EndpointIndex();
  for (const slice of slices.items) endpoints.set(slice);
  const byKey = new Map(resources.items.map((one) => [keyText(one.metadata), one]));
  const reported = new Map<string, ReportedService>();
  for (const service of all.items) {
    const key = keyText(service.metadata);
    const asked = readAsked(service, rules, site);
    const resource = byKey.get(key);
    const cluster = { endpoints, nodes: listedNodes.items };
    reported.set(key, await reportFor(service, asked, resource, { cluster, site, cloud, clock, signal }));
  }
  return reported;
}

interface Surroundings {
  readonly cluster: Cluster;
  readonly site: Site;
  readonly cloud: BalancerCloud;
  readonly clock: ReadEnvironment['clock'];
  readonly signal: AbortSignal;
}

async function reportFor(
  service: Service,
  asked: ServiceAsked,
  resource: KuryrLoadBalancer | undefined,
  around: Surroundings,
): Promise<ReportedService> {
  const { site, cloud, clock, signal } = around;
  const id = resource?.status?.loadbalancer?.id;
  const isThere = id !== undefined;
  const has = isThere ? `has the load balancer ${id}` : 'has no load balancer yet';
  if (asked.kind === 'foreign' || asked.kind === 'unreadable')
    return { reading: asked, writes: 0, detail: has, isThere };
  if (asked.kind === 'release') {
    const owner = { cluster: site.cluster, uid: service.metadata.uid ?? '', name: keyText(service.metadata) };
    const { steps } = planRemoval(owner, false, await cloud.leftovers(owner, signal));
    const held = resource !== undefined && isOwnResource(resource) ? 2 : 0;
    return { reading: asked, writes: steps.length + held + releaseWrites(asked.claim).length, detail: has, isThere };
  }
  const told = [...holdWrites(asked.claim), ...writesToService(asked, resource, clock)].length;
  if (asked.kind === 'refuse') return { reading: asked, writes: told, detail: has, isThere };
  const slices = endpointFields(
    service,
    around.cluster.endpoints.endpoints(service.metadata),
    around.cluster.nodes,
    site,
  );
  const isOther = resource !== undefined && serviceUidOf(resource) !== service.metadata.uid;
  const before = isOther ? undefined : resource;
  const applies = [appliedByService(service, asked.wanted, before), appliedByEndpoints(service, slices, before)];
  const applied = applies.filter((one) => one !== undefined);
  const wanted: KuryrLoadBalancer = {
    metadata: {
      ...service.metadata,
      ownerReferences: applied[0]?.metadata.ownerReferences ?? resource?.metadata.ownerReferences ?? [],
    },
    spec: { ...asked.wanted, endpointSlices: slices },
  };
  const desired = desiredBalancer(wanted, site);
  if (desired === undefined) return { reading: asked, writes: told + applied.length, detail: has, isThere };
  try {
    const observed = await cloud.observe(desired, signal);
    const { steps, waitsFor } = planBalancer(desired, observed);
    // A load balancer that is not there yet follows its port, and its floating IP follows both.
    const follow = steps.some(({ kind }) => kind === 'create-vip-port') ? 1 : 0;
    const published = steps.length > 0 || waitsFor !== undefined ? 1 : 0;
    const writes = told + applied.length + steps.length + follow + published;
    const waiting = waitsFor === undefined ? has : `${has}, which is ${waitsFor.provisioning_status}`;
    return { reading: asked, writes, detail: waiting, isThere };
  } catch (error) {
    signal.throwIfAborted();
    return { reading: asked, writes: told + applied.length, detail: `${has}: ${messageOf(error)}`, isThere };
  }
}
