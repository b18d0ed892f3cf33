import {
  SERVICE_NAME_LABEL,
  type Endpoint,
  endpointSlices,
  type IpFamily,
  leases,
  type Node,
  nodes,
  type Service,
  services,
} from '@fairlead/kube';
import type { LoadBalancer } from '@fairlead/azure/arm';
import { ownAddressName } from './foreign-things.ts';
import { isLoadBalancer, loadBalancerPath } from './azure-view.ts';
import { type Demands, type Edit, type EndpointEdit, type EndpointState, SERVICES } from './edits.ts';
import {
  ADDRESS_NAME,
  CLASS,
  CONFIGURATIONS,
  INTERNAL,
  isInternal,
  NAMESPACE,
  NODES,
  noteBackends,
  noteService,
  putNode,
  RESOURCE_LOCK,
  REPLICAS,
  resourceLock,
  type World,
} from './world.ts';

const EXCLUDE_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';
const AUTOSCALER_TAINT = { key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' } as const;

const CONDITIONS: Readonly<Record<EndpointState, Endpoint['conditions']>> = {
  ready: { ready: true, serving: true, terminating: false },
  unknown: {},
  'not-ready': { ready: false, serving: false, terminating: false },
  finishing: { ready: false, serving: true, terminating: true },
  finished: { ready: false, serving: false, terminating: true },
};

const SLICE_PORTS = [{ name: 'p80', protocol: 'TCP', port: 80 }] as const;

/** Does it, if it makes sense in the world as it is. */
/** As it holds the lock under its own name. */
const PEER = 'cloud-controller-manager';

/** What concerns pools otherwise than by their nodes. */
const ABOUT_POOLS = new Set<Edit['kind']>([
  'delete-load-balancer',
  'delete-pool',
  'foreign-entry',
  'foreign-rule',
  'reconfigure',
]);

export async function applyEdit(world: World, edit: Edit): Promise<void> {
  const { azure, foreign, simulation } = world;
  if ('name' in edit) world.edited(edit.name);
  else if (ABOUT_POOLS.has(edit.kind)) world.edited(undefined);
  switch (edit.kind) {
    case 'create':
      return create(world, edit);
    case 'demand':
      return demand(world, edit.name, edit.demands);
    case 'retype':
      return retype(world, edit.name, edit.type);
    case 'delete':
      return remove(world, edit.name, edit.how);
    case 'endpoints':
      return setEndpoints(world, edit);
    case 'renumber':
    case 'exclude':
    case 'remove-node':
    case 'drain':
      await editNode(world, edit);
      return noteBackends(world);
    case 'lock':
    case 'unlock':
      return lockElsewhere(world, edit.kind === 'lock' ? edit.seconds : 0);
    case 'azure-fault':
      return azure.emulator.faults.next(edit.match, edit.fault, edit.times);
    case 'storm':
      return azure.emulator.faults.throttle(edit.match, edit.milliseconds, edit.form);
    case 'delete-load-balancer':
      if (azure.delete(loadBalancerPath(edit.loadBalancer))) foreign.forget(edit.loadBalancer);
      return;
    case 'delete-pool':
      return deletePool(world, edit.number);
    case 'foreign-entry': {
      const pool = azure.ownPools.at(edit.number % Math.max(1, azure.ownPools.length));
      if (pool !== undefined) foreign.addEntry(pool.loadBalancer, pool.name);
      return;
    }
    case 'foreign-rule':
      return foreign.addRule(edit.loadBalancer);
    case 'foreign-security-rule':
      return foreign.addSecurityRule(`others-${edit.priority}`, edit.priority);
    case 'reconfigure': {
      world.configuration.loadBalancers = edit.loadBalancers;
      for (const name of SERVICES) world.replacedAt.set(name, simulation.clock.monotonic());
      for (const replica of REPLICAS) restart(world, replica, 1000);
      return;
    }
    case 'restart':
      restart(world, edit.replica, edit.milliseconds);
  }
}

function restart({ processes, simulation }: World, replica: string, milliseconds: number): void {
  const process = processes.get(replica);
  process?.stop();
  simulation.at(simulation.clock.monotonic() + milliseconds, () => process?.start());
}

async function create(world: World, { name, demands, ipFamilies }: Extract<Edit, { kind: 'create' }>): Promise<void> {
  const key = { namespace: NAMESPACE, name };
  if ((await world.editor.find(services, key)) !== undefined) return;
  const { sourceRanges: loadBalancerSourceRanges, ports, policy: externalTrafficPolicy, place, address } = demands;
  const annotations = { ...annotationsFor(place), ...addressAnnotation(name, ipFamilies, place, address) };
  const service = await world.editor.create<Service>(services, {
    metadata: { ...key, annotations: presentOnly(annotations) },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: CLASS,
      externalTrafficPolicy,
      ipFamilies,
      ipFamilyPolicy: ipFamilies.length === 2 ? 'RequireDualStack' : 'SingleStack',
      ports,
      ...(loadBalancerSourceRanges.length === 0 ? {} : { loadBalancerSourceRanges }),
    },
  });
  noteService(world, service);
}

async function demand(world: World, name: string, demands: Partial<Demands>): Promise<void> {
  const { editor, simulation, replacedAt } = world;
  const key = { namespace: NAMESPACE, name };
  const found = await editor.find(services, key);
  if (found?.spec.type !== 'LoadBalancer' || found.metadata.deletionTimestamp !== undefined) return;
  const { place, sourceRanges, ports, policy } = demands;
  const address = demands.address ?? (ADDRESS_NAME in (found.metadata.annotations ?? {}) ? 'own' : 'made');
  const now = place ?? (isInternal(found) ? 'internal' : 'any');
  const annotations = {
    ...(place === undefined ? {} : annotationsFor(place)),
    ...addressAnnotation(name, found.spec.ipFamilies ?? [], now, address),
  };
  if (place !== undefined || demands.address !== undefined) replacedAt.set(name, simulation.clock.monotonic());
  const ranges = sourceRanges?.length === 0 ? null : sourceRanges;
  const edited = await editor.patchMerge<Service>(services, key, {
    metadata: { annotations },
    spec: {
      ...(ports === undefined ? {} : { ports }),
      ...(policy === undefined ? {} : { externalTrafficPolicy: policy }),
      ...(ranges === undefined ? {} : { loadBalancerSourceRanges: ranges }),
    },
  });
  noteService(world, edited);
}

/** The API allows the class only on load balancers, and takes the rest away by itself. */
async function retype(world: World, name: string, type: 'ClusterIP' | 'LoadBalancer'): Promise<void> {
  const { editor, simulation, replacedAt } = world;
  const key = { namespace: NAMESPACE, name };
  const found = await editor.find(services, key);
  if (found === undefined || found.metadata.deletionTimestamp !== undefined || found.spec.type === type) return;
  replacedAt.set(name, simulation.clock.monotonic());
  const spec =
    type === 'LoadBalancer'
      ? ({ type, loadBalancerClass: CLASS, externalTrafficPolicy: 'Local' } as const)
      : ({ type, loadBalancerClass: null, loadBalancerSourceRanges: null } as const);
  noteService(world, await editor.patchMerge<Service>(services, key, { spec }));
}

/** A place that is impossible is one that the other annotation rules out. */
function annotationsFor(place: Demands['place']): Readonly<Record<string, string | null>> {
  switch (place) {
    case 'any':
      return { [INTERNAL]: null, [CONFIGURATIONS]: null };
    case 'internal':
      return { [INTERNAL]: 'true', [CONFIGURATIONS]: null };
    case 'impossible':
      return { [INTERNAL]: 'true', [CONFIGURATIONS]: 'one' };
    case 'one':
    case 'two':
      return { [INTERNAL]: null, [CONFIGURATIONS]: place };
  }
}

/** None for a Service that could not have it. */
function addressAnnotation(
  name: string,
  families: readonly IpFamily[],
  place: Demands['place'],
  address: Demands['address'],
): Readonly<Record<string, string | null>> {
  const isPossible = families.includes('IPv4') && place !== 'internal' && place !== 'impossible';
  return { [ADDRESS_NAME]: isPossible && address === 'own' ? ownAddressName(name) : null };
}

function presentOnly(annotations: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

async function remove(world: World, name: string, how: 'politely' | 'without-finalizers'): Promise<void> {
  const { editor, simulation, replacedAt } = world;
  const key = { namespace: NAMESPACE, name };
  const found = await editor.find(services, key);
  if (found === undefined) return;
  replacedAt.set(name, simulation.clock.monotonic());
  if (found.metadata.deletionTimestamp === undefined) await editor.delete(services, key);
  if (how === 'politely' || (await editor.find(services, key)) === undefined) return;
  await editor.patchMerge<Service>(services, key, { metadata: { finalizers: null } });
}

type EndpointsEdit = Extract<Edit, { kind: 'endpoints' }>;

/** One slice after the other, as the cluster does it: the part may hear of some of it only. */
async function setEndpoints(world: World, edit: EndpointsEdit): Promise<void> {
  const { editor, objects } = world;
  const { name, family, slices } = edit;
  const prefix = `${name}-${family.toLowerCase()}-`;
  const there = objects(endpointSlices).filter(({ metadata }) => metadata.name.startsWith(prefix));
  for (const [index, listed] of slices.entries()) {
    const key = { namespace: NAMESPACE, name: `${prefix}${index}` };
    const endpoints = listed.map((endpoint) => toEndpoint(edit, endpoint));
    if (there.some(({ metadata }) => metadata.name === key.name)) {
      await editor.patchMerge(endpointSlices, key, { endpoints });
    } else {
      const metadata = { ...key, labels: { [SERVICE_NAME_LABEL]: name } };
      await editor.create(endpointSlices, { metadata, addressType: family, endpoints, ports: SLICE_PORTS });
    }
    noteBackends(world);
  }
  for (const { metadata } of there) {
    if (Number(metadata.name.slice(prefix.length)) < slices.length) continue;
    await editor.delete(endpointSlices, metadata);
    noteBackends(world);
  }
}

/** A pod has one address, in whichever slice it is. */
function toEndpoint({ name, family }: EndpointsEdit, { node, pod, state }: EndpointEdit): Endpoint {
  const [place, number] = [NODES.indexOf(node) + 1, 10 * (SERVICES.indexOf(name) + 1) + pod];
  const address = family === 'IPv4' ? `10.244.${place}.${number}` : `fd01::${place}:${number}`;
  const conditions = CONDITIONS[state];
  return { addresses: [address], nodeName: node, ...(conditions === undefined ? {} : { conditions }) };
}

type NodeEdit = Extract<Edit, { kind: 'renumber' | 'exclude' | 'remove-node' | 'drain' }>;

async function editNode(world: World, edit: NodeEdit): Promise<void> {
  const { editor } = world;
  const key = { name: edit.node };
  if (edit.kind === 'drain') return drain(world, edit.node);
  if (edit.kind === 'renumber') return putNode(world, edit.node, NODES.indexOf(edit.node), edit.number);
  if ((await editor.find(nodes, key)) === undefined) return;
  if (edit.kind === 'remove-node') return editor.delete(nodes, key);
  await editor.patchMerge<Node>(nodes, key, {
    metadata: { labels: { [EXCLUDE_LABEL]: edit.how === 'label' ? 'true' : null } },
    spec: { taints: edit.how === 'taint' ? [AUTOSCALER_TAINT] : null },
  });
}

async function drain(world: World, node: string): Promise<void> {
  const { editor, objects } = world;
  for (const { metadata, endpoints } of objects(endpointSlices)) {
    if (endpoints?.some(({ nodeName }) => nodeName === node) !== true) continue;
    const conditions = CONDITIONS.finishing ?? {};
    const drained = endpoints.map((endpoint) => (endpoint.nodeName === node ? { ...endpoint, conditions } : endpoint));
    await editor.patchMerge(endpointSlices, metadata, { endpoints: drained });
    noteBackends(world);
  }
}

/** Another component takes the lock as all of them do: when no other holds it. */
async function lockElsewhere(world: World, seconds: number): Promise<void> {
  const { editor, simulation } = world;
  const holder = resourceLock(world)?.spec?.holderIdentity ?? 'none yet';
  const renewTime = new Date(simulation.clock.now()).toISOString().replace('Z', '000Z');
  if (seconds > 0 && holder === '') {
    const spec = {
      holderIdentity: PEER,
      leaseDurationSeconds: seconds,
      acquireTime: renewTime,
      renewTime,
    };
    await editor.patchMerge(leases, RESOURCE_LOCK, { spec });
  }
  if (seconds === 0 && holder === PEER) {
    await editor.patchMerge(leases, RESOURCE_LOCK, { spec: { holderIdentity: '' } });
  }
}

/** With the rules that use it: Azure would not let it go otherwise. */
function deletePool({ azure }: World, number: number): void {
  const pool = azure.ownPools.at(number % Math.max(1, azure.ownPools.length));
  if (pool === undefined) return;
  const without = (body: LoadBalancer) => {
    const { backendAddressPools = [], loadBalancingRules = [] } = body.properties;
    const uses = (id = '') => id.toLowerCase().endsWith(`/${pool.name.toLowerCase()}`);
    return {
      ...body,
      properties: {
        ...body.properties,
        backendAddressPools: backendAddressPools.filter(({ name }) => name !== pool.name),
        loadBalancingRules: loadBalancingRules.filter(({ properties }) => !uses(properties.backendAddressPool?.id)),
      },
    };
  };
  azure.edit(loadBalancerPath(pool.loadBalancer), without, isLoadBalancer);
}
