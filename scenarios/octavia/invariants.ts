import { endpointSlices, type KubeObject, keyText, nodes, type Service, services } from '@fairlead/kube';
import { silentLogger } from '@fairlead/control';
import type { Invariant } from '@fairlead/sim';
import { whenChanged } from '../when-changed.ts';
import { addressInvariants } from './addresses.ts';
import { isHeldByError, isLeftBehind, isNotRecovered } from './in-error.ts';
import { ownerByMark } from './marks.ts';
import { unreached } from './reach.ts';
import { PREDECESSORS, partsOf } from './predecessors.ts';
import { type LoadBalancerResource, resources } from './resources.ts';
import { addressOfNode, CLASS, CLUSTER, fieldText, NAMESPACE } from './site.ts';
import type { World } from './world.ts';

type Found = Readonly<Record<string, unknown>>;

/** What carries our mark, and of which Service: `kind id`, uid. */
function marked({ emulator }: World): readonly (readonly [what: string, uid: string, id: unknown])[] {
  const all: readonly (readonly [string, readonly Found[]])[] = [
    ['load balancer', emulator.octaviaResources('loadbalancers')],
    ['listener', emulator.octaviaResources('listeners')],
    ['pool', emulator.octaviaResources('pools')],
    ['port', emulator.resources('ports')],
    ['floating IP', emulator.resources('floatingips')],
  ];
  return all.flatMap(([kind, found]) =>
    found.flatMap((one) => {
      const uid = ownerByMark(one);
      return uid === undefined ? [] : [[`the ${kind} ${fieldText(one, 'id')}`, uid, one['id']] as const];
    }),
  );
}

/** On what is being deleted no finalizer can be put any more: that of a predecessor holds it for us. */
function isHeld({ metadata }: KubeObject): boolean {
  const { finalizers = [], deletionTimestamp, name } = metadata;
  const inherited = deletionTimestamp === undefined ? undefined : PREDECESSORS[name]?.finalizer;
  return finalizers.some((one) => one === CLASS || one === inherited);
}

function isOurs({ settings }: World): (service: Service) => boolean {
  const isTakenOver = settings.predecessors === 'adopted';
  return ({ metadata, spec }) =>
    spec.type === 'LoadBalancer' &&
    (spec.loadBalancerClass === CLASS || (isTakenOver && metadata.name in PREDECESSORS));
}

/** Who leaves asks for nothing any more: only one that a load balancer in ERROR holds is still there in the end. */
function isToBeServed(world: World): (service: Service) => boolean {
  const isWanted = isOurs(world);
  return (service) =>
    service.metadata.deletionTimestamp === undefined && isWanted(service) && !isHeldWithResource(world, service);
}

/** Its resource is deleted, and not gone: it is made anew only after that. */
function isHeldWithResource(world: World, service: Service): boolean {
  const isOfIt = ({ metadata }: LoadBalancerResource) => metadata.ownerReferences?.[0]?.uid === service.metadata.uid;
  const resource = world.objects(resources).find(isOfIt);
  return resource?.metadata.deletionTimestamp !== undefined && isHeldByError(world, service);
}

export function invariantsOf(world: World): readonly Invariant[] {
  const { objects, emulator } = world;
  const seen = () => [objects(services), objects(resources), emulator.log.calls.length];
  return whenChanged(seen, strictInvariants(world));
}

function strictInvariants(world: World): readonly Invariant[] {
  const { emulator, foreign, objects } = world;
  return [
    {
      name: 'nothing is in OpenStack without an object that we hold',
      check() {
        const holding = [...objects(services), ...objects(resources)].filter(isHeld);
        const uids = new Set(
          holding.flatMap(({ metadata }) => [metadata.uid, ...(metadata.ownerReferences ?? []).map(({ uid }) => uid)]),
        );
        const stray = marked(world).find(([, uid]) => !uids.has(uid));
        return stray === undefined ? undefined : `${stray[0]} is of ${stray[1]}, which nothing holds any more`;
      },
    },
    {
      name: 'what is of others stays',
      check() {
        const { loadBalancer, listener, floatingIp, rule, securityGroup } = foreign;
        const lost = [
          ['load balancer', emulator.octaviaResources('loadbalancers'), loadBalancer],
          ['listener', emulator.octaviaResources('listeners'), listener],
          ['floating IP', emulator.resources('floatingips'), floatingIp],
          ['rule', emulator.resources('security-group-rules'), rule],
          ['security group', emulator.resources('security-groups'), securityGroup],
        ] as const;
        const gone = lost.find(([, there, id]) => there.every((one) => one['id'] !== id));
        if (gone !== undefined) return `the ${gone[0]} of a user is gone`;
        const touched = objects(services).find(
          ({ spec, metadata }) => spec.loadBalancerClass === 'example.com/other' && metadata.finalizers !== undefined,
        );
        return touched === undefined ? undefined : `${keyText(touched.metadata)} is of another class, and was touched`;
      },
    },
    ...addressInvariants(world),
    {
      name: 'what predecessors made stays as it was, but for a mark where it is taken over',
      check() {
        for (const { service: name, balancer, ingress, before } of world.inheritances) {
          const service = objects(services).find(({ metadata }) => metadata.name === name);
          if (service === undefined || service.metadata.deletionTimestamp !== undefined) continue;
          const shown = (service.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip).join();
          if (shown !== ingress) return `${name} had the address ${ingress}, and has ${shown}`;
          const after = partsOf(emulator, balancer, world.settings.members);
          const changed = before.find((part) => !after.includes(part));
          if (changed !== undefined) return `${changed} of the load balancer of ${name} has changed`;
          if (world.settings.predecessors === 'adopted') continue;
          const touched = marked(world).find(([, uid]) => uid === service.metadata.uid);
          if (touched !== undefined) return `${touched[0]} of ${name} has our mark`;
          if (service.metadata.finalizers?.includes(CLASS) === true) return `${name} has our finalizer`;
        }
        return undefined;
      },
    },
    {
      name: 'every member has its subnet',
      check() {
        const without = emulator.octaviaResources('members').find((member) => fieldText(member, 'subnet_id') === '');
        return without === undefined ? undefined : `${fieldText(without, 'address')} has none`;
      },
    },
  ];
}

export async function unfinished(world: World): Promise<string | undefined> {
  const { editor, objects, part, emulator } = world;
  const leaving = [...objects(services), ...objects(resources)].filter(
    ({ metadata }) => metadata.deletionTimestamp !== undefined,
  );
  const stuck = leaving.find((object) => !isHeldByError(world, object));
  if (stuck !== undefined) return `${keyText(stuck.metadata)} is still being deleted`;
  const busy = emulator
    .octaviaResources('loadbalancers')
    .find((one) => one['provisioning_status'] !== 'ACTIVE' && !isNotRecovered(world, one));
  if (busy !== undefined)
    return `the load balancer ${fieldText(busy, 'name')} is ${fieldText(busy, 'provisioning_status')}`;
  const plan = await part.plan({
    client: editor,
    clock: { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel() {} }), turn: async () => {} },
    logger: silentLogger,
    signal: new AbortController().signal,
  });
  const held = new Set(leaving.map(({ metadata }) => `Service ${keyText(metadata)}`));
  const first = plan.changes.find(({ writes, subject }) => writes > 0 && !held.has(subject));
  if (first !== undefined) return `${first.subject}: ${first.action}, ${first.detail}`;
  return missing(world);
}

/** What should be so, worked out from the objects alone and not by the code that makes it so. */
function missing(world: World): string | undefined {
  const { objects, emulator } = world;
  for (const service of objects(services).filter(isToBeServed(world))) {
    const key = keyText(service.metadata);
    const condition = service.status?.conditions?.find(({ type }) => type === 'fairlead.dev/Programmed');
    if (condition?.status !== 'True') {
      if (condition?.message.startsWith('Refused') === true) continue;
      return `${key} is not served: ${condition?.reason ?? 'nothing is said'}`;
    }
    const { uid = '' } = service.metadata;
    const resource = objects(resources).find(({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid);
    const leftBehind = emulator
      .octaviaResources('loadbalancers')
      .filter((one) => resource !== undefined && isLeftBehind(resource, one));
    const isLeft = (one: Found) => leftBehind.some(({ id }) => id === one['loadbalancer_id']);
    const of = (kind: 'listeners' | 'pools') =>
      emulator.octaviaResources(kind).filter((one) => JSON.stringify(one).includes(uid) && !isLeft(one));
    const ports = (service.spec.ports ?? []).map(({ protocol, port }) => `${protocol} ${port}`).toSorted();
    const served = of('listeners').map(
      (one) => `${fieldText(one, 'protocol')} ${JSON.stringify(one['protocol_port'])}`,
    );
    if (ports.join() !== served.toSorted().join()) return `${key} has ${ports.join()}, and ${served.join()} are served`;
    const unlimited = of('listeners').find((one) => !isLimited(service, one));
    if (unlimited !== undefined) return `${key} has source ranges, and ${fieldText(unlimited, 'name')} admits others`;
    const isSticky = service.spec.sessionAffinity === 'ClientIP';
    const loose = of('pools').find(({ session_persistence }) => isSticky !== Boolean(session_persistence));
    if (loose !== undefined) return `${fieldText(loose, 'name')} has not the session affinity of ${key}`;
    const backends = world.settings.members === 'pods' ? podsOf(world, service) : nodePortsOf(world, service);
    const wanted = backends.map(({ address, port }) => `${address} ${port}`);
    const poolIds = new Set(of('pools').map(({ id }) => id));
    const members = emulator
      .octaviaResources('members')
      .filter(({ pool_id }) => poolIds.has(pool_id))
      .map((one) => `${fieldText(one, 'address')} ${JSON.stringify(one['protocol_port'])}`);
    const [left, right] = [wanted.toSorted().join(), members.toSorted().join()];
    if (left !== right) return `${key} should have the members ${left}, and has ${right}`;
  }
  return unreached(world);
}

function isLimited({ spec }: Service, { allowed_cidrs }: Found): boolean {
  const admitted: readonly unknown[] = Array.isArray(allowed_cidrs) ? allowed_cidrs : [];
  return (spec.loadBalancerSourceRanges ?? []).join() === admitted.join();
}

interface Backend {
  readonly address: string;
  readonly port: number;
}

function podsOf({ objects }: World, service: Service): readonly Backend[] {
  const [slice] = objects(endpointSlices).filter(
    ({ metadata }) => metadata.namespace === NAMESPACE && metadata.name === `${service.metadata.name}-1`,
  );
  const ready = (slice?.endpoints ?? []).map(({ addresses }) => addresses[0] ?? '');
  return (service.spec.ports ?? []).flatMap(({ name, protocol = 'TCP' }) => {
    const behind = (slice?.ports ?? []).find((port) => port.name === name && port.protocol === protocol);
    return ready.flatMap((address) => (behind?.port === undefined ? [] : [{ address, port: behind.port }]));
  });
}

function nodePortsOf({ objects }: World, { spec }: Service): readonly Backend[] {
  const taking = objects(nodes).filter(({ metadata }) => Object.keys(metadata.labels ?? {}).length === 0);
  return (spec.ports ?? []).flatMap(({ nodePort = 0 }) =>
    taking.map(({ metadata }) => ({ address: addressOfNode(metadata.name), port: nodePort })),
  );
}

export function leaked(world: World): readonly string[] {
  const { objects, emulator } = world;
  const isWanted = isOurs(world);
  // One that left by its type is held like one that is deleted.
  const uids = new Set(
    objects(services)
      .filter((service) => isWanted(service) || isHeldByError(world, service))
      .map(({ metadata }) => metadata.uid),
  );
  const needed = objects(services).some(isOurs(world));
  const isThere = (name: string) => objects(services).some(({ metadata }) => metadata.name === name);
  const isLeftAlone = (name: string) => world.settings.predecessors === 'left-alone' && name in PREDECESSORS;
  const rules = emulator
    .resources('security-group-rules')
    .filter((rule) => fieldText(rule, 'description').includes(`fairlead-cluster=${CLUSTER}`));
  // What a predecessor made may have passed to a Service that shared it.
  const passedOn = new Set(marked(world).flatMap(([, uid, id]) => (uids.has(uid) ? [id] : [])));
  const balancers = emulator.octaviaResources('loadbalancers').filter(({ id }) => !passedOn.has(id));
  const floatingIps = emulator.resources('floatingips').filter(({ id }) => !passedOn.has(id));
  return [
    ...marked(world).flatMap(([what, uid]) => (uids.has(uid) ? [] : [what])),
    ...world.inheritances.flatMap(({ service, balancer }) =>
      isThere(service) || balancers.every(({ name }) => name !== balancer) ? [] : [`the load balancer ${balancer}`],
    ),
    ...world.inheritances.flatMap(({ service, ingress, floatingIp }) =>
      isThere(service) || floatingIps.every(({ id }) => id !== floatingIp)
        ? []
        : [`the floating IP ${ingress} of ${service}`],
    ),
    ...(needed ? [] : rules.map((rule) => `the rule ${fieldText(rule, 'id')}`)),
    ...objects(resources).flatMap(({ metadata }) =>
      uids.has(metadata.ownerReferences?.[0]?.uid) || isLeftAlone(metadata.name)
        ? []
        : [`the resource ${keyText(metadata)}`],
    ),
  ];
}

export function lost(world: World): readonly string[] {
  const isWanted = isToBeServed(world);
  return world.objects(services).flatMap((service) => {
    const { loadBalancer, conditions = [] } = service.status ?? {};
    const isRefused = conditions.some(({ message }) => message.startsWith('Refused'));
    const hasAddress = (loadBalancer?.ingress ?? []).length > 0;
    return !isWanted(service) || hasAddress || isRefused ? [] : [`the address of ${keyText(service.metadata)}`];
  });
}
