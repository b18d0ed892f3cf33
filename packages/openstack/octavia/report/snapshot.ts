import { codeOf, messageOf, verdictOf } from '@fairlead/control';
import { endpointSlices, keyText, nodes, type Node, type Service, services } from '@fairlead/kube';
import type { PlannedChange, ReadEnvironment } from '@fairlead/part';
import { EndpointIndex, holdWrites, type ReportedService, releaseWrites } from '@fairlead/service';
import type { OpenSession } from '../../ports/address-cloud.ts';
import { desiredBalancer } from '../balancer/desired.ts';
import { BalancerCloud } from '../balancer/cloud.ts';
import { isCreation } from '../balancer/plan.ts';
import { removalSteps } from '../balancer/removal.ts';
import { servedOn, sharersIn } from '../balancer/sharing/sharers.ts';
import { claimRules } from '../claim.ts';
import type { OctaviaConfiguration } from '../configuration.ts';
import type { Site } from '../drivers/site.ts';
import { endpointFields } from '../handlers/endpoint-fields.ts';
import { keepsFloatingIp } from '../handlers/annotations.ts';
import { fittedTo, planWithStrays } from '../handlers/loadbalancer-handler.ts';
import { failureWrites, settledWrites } from '../handlers/resource-status.ts';
import { readAsked, type ServiceAsked, withResource, writesToService } from '../handlers/service-handler.ts';
import { livingOwners } from '../leftovers.ts';
import { openOpenStack } from '../openstack.ts';
import { appliedByEndpoints, appliedByService } from '../resource/applied.ts';
import { readResource } from '../resource/older-shapes.ts';
import { isOwnResource, type KuryrLoadBalancer, kuryrLoadBalancers, serviceUidOf } from '../resource/types.ts';
import { type LeftBehind, leftoverChange } from './leftovers.ts';

export interface Snapshot {
  readonly services: ReadonlyMap<string, ReportedService>;
  readonly leftBehind: LeftBehind;
}

interface Cluster {
  readonly endpoints: EndpointIndex;
  readonly nodes: readonly Node[];
}

/** What is still to be done for each Service, and about those that are gone, from the very steps that a leader would make. */
export async function takeSnapshot(
  openSession: OpenSession,
  configuration: OctaviaConfiguration,
  environment: ReadEnvironment,
): Promise<Snapshot> {
  const { client, clock, signal, defaultClass } = environment;
  await using openstack = await openOpenStack(openSession, configuration, environment);
  const { site, lbaas, neutron } = openstack;
  const rules = claimRules(configuration, defaultClass);
  let listed: readonly KuryrLoadBalancer[] = [];
  const cloud = new BalancerCloud(lbaas, neutron, {
    sharers: () => sharersIn(listed),
    servedOn: (portId) => servedOn(portId, listed),
    hasChanged() {},
  });
  // First: what is there was made for a Service that is listed after it.
  const there = await cloud.owners(site.cluster, signal);
  const [all, resources, slices, listedNodes] = await Promise.all([
    client.list(services, { signal }),
    client.list(kuryrLoadBalancers, { signal }),
    client.list(endpointSlices, { signal }),
    client.list(nodes, { signal }),
  ]);
  listed = resources.items;
  const endpoints = new EndpointIndex();
  for (const slice of slices.items) endpoints.set(slice);
  const byKey = new Map(resources.items.map((one) => [keyText(one.metadata), one]));
  const reported = new Map<string, ReportedService>();
  for (const service of all.items) {
    const key = keyText(service.metadata);
    const resource = byKey.get(key);
    const asked = withResource(readAsked(service, rules, site), resource);
    const cluster = { endpoints, nodes: listedNodes.items };
    reported.set(key, await reportFor(service, asked, resource, { cluster, site, cloud, clock, signal }));
  }
  const living = livingOwners(all.items, resources.items, rules);
  const uids = [...there].filter((uid) => !living.has(uid));
  const changes: PlannedChange[] = [];
  for (const uid of uids) {
    const owner = { cluster: site.cluster, uid, name: uid };
    changes.push(leftoverChange(owner, await cloud.leftovers(owner, signal)));
  }
  return { services: reported, leftBehind: { changes, uids, knownCount: there.size } };
}

/** The resource as both handlers would have it, and in how many writes. */
function filled(
  service: Service,
  asked: Extract<ServiceAsked, { kind: 'serve' }>,
  before: KuryrLoadBalancer | undefined,
  { cluster }: Surroundings,
): { readonly applied: number; readonly wanted: KuryrLoadBalancer } {
  const slices = endpointFields(service, asked.wanted, cluster.endpoints.endpoints(service.metadata), cluster.nodes);
  const applies = [appliedByService(service, asked.wanted, before), appliedByEndpoints(service, slices, before)];
  const applied = applies.filter((one) => one !== undefined);
  const ownerReferences = applied[0]?.metadata.ownerReferences ?? before?.metadata.ownerReferences ?? [];
  const metadata = { ...service.metadata, ownerReferences };
  const spec = { ...asked.wanted, endpointSlices: slices };
  return { applied: applied.length, wanted: { ...before, metadata, spec } };
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
    const steps = removalSteps(owner, false, await cloud.leftovers(owner, signal));
    const held = resource !== undefined && isOwnResource(resource) ? 2 : 0;
    return { reading: asked, writes: steps.length + held + releaseWrites(asked.claim).length, detail: has, isThere };
  }
  const told = [...holdWrites(asked.claim), ...writesToService(asked, resource, clock)].length;
  const isOther = resource !== undefined && serviceUidOf(resource) !== service.metadata.uid;
  const before = isOther ? undefined : resource;
  // One that is refused keeps what it asked for before.
  const { applied, wanted } =
    asked.kind === 'refuse' ? { applied: 0, wanted: before } : filled(service, asked, before, around);
  const desired = wanted === undefined ? undefined : desiredBalancer(readResource(wanted), site);
  if (wanted === undefined || desired === undefined)
    return { reading: asked, writes: told + applied, detail: has, isThere };
  try {
    const observed = await cloud.observe(desired, signal);
    const fitting = fittedTo(observed, wanted, site) ?? desired;
    const { steps, waitsFor } = await planWithStrays(cloud, fitting, observed, keepsFloatingIp(service), signal);
    if (steps.some(({ kind }) => isCreation(kind))) await cloud.requireKnown(fitting, signal);
    // A load balancer that is not there yet follows its port, and its floating IP follows both.
    const follow = steps.some(({ kind }) => kind === 'create-vip-port') ? 1 : 0;
    const isSettled = steps.length === 0 && waitsFor === undefined && before !== undefined;
    const published = isSettled ? settledWrites(before, fitting, observed, clock.now()).length : 1;
    const writes = told + applied + steps.length + follow + published;
    const { serving } = observed;
    if (serving?.relation === 'adoptable') {
      const { id: adopted, name, vip_address } = serving.balancer;
      const detail = `takes over the load balancer ${adopted} (${name}) with its VIP ${vip_address}`;
      return { reading: asked, writes, detail, isThere, isTakenOver: true };
    }
    const waiting = waitsFor === undefined ? has : `${has}, which is ${waitsFor.provisioning_status}`;
    return { reading: asked, writes, detail: waiting, isThere };
  } catch (error) {
    signal.throwIfAborted();
    if (verdictOf(error) === 'terminal') {
      const refusal = { code: codeOf(error), message: messageOf(error) };
      const published = before === undefined ? 0 : failureWrites(before, error, clock.now()).length;
      const writes = told + applied + published;
      return { reading: { kind: 'refuse', claim: asked.claim, refusal }, writes, detail: has, isThere };
    }
    return { reading: asked, writes: told + applied, detail: `${has}: ${messageOf(error)}`, isThere };
  }
}
