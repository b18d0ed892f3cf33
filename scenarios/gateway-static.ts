import { type Clock, type Random, randomInteger, randomPick, silentLogger } from '@fairlead/control';
import { gatewayPart } from '@fairlead/gateway';
import {
  addFinalizer,
  isNotFound,
  keyText,
  namespaces,
  type ObjectKey,
  removeFinalizer,
  type Service,
  type ServicePort,
  services,
} from '@fairlead/kube';
import { type LeaderPart, writesOf } from '@fairlead/part';
import { type Invariant, ROUGH_RATES, type Scenario, type Timed } from '@fairlead/sim';
import { type Cluster, KUBE, serveKubernetes } from './kubernetes.ts';
import { LEASE_NAMESPACE, runReplica } from './replica.ts';

const NAMESPACE = 'shop';
const REPLICAS = ['replica-1', 'replica-2'];
const POOL = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1'];
const CLASS = 'fairlead.dev/gateway';
const FINALIZER = 'fairlead.dev/gateway';
const L2_PORTS = 'gateway.fairlead.dev/l2-ports';
const L4_PORTS = 'gateway.fairlead.dev/l4-ports';
const SHARING = 'gateway.fairlead.dev/sharing';
/** Of another controller, which takes it off only when the Service is being deleted and nothing else holds it. */
const BACKUP = 'example.com/backup';

/** What a user does. */
type Edit =
  | { readonly kind: 'create'; readonly name: string; readonly spec: Service['spec']; readonly exclusive: boolean }
  | { readonly kind: 'ports'; readonly name: string; readonly ports: readonly ServicePort[] }
  | { readonly kind: 'type'; readonly name: string; readonly type: 'LoadBalancer' | 'ClusterIP' }
  | { readonly kind: 'sharing'; readonly name: string; readonly sharing: 'shared' | 'exclusive' }
  /** Its owner writes what only a leader should: a record of an address and ports of all kinds. */
  | { readonly kind: 'forge'; readonly name: string; readonly address: string }
  /** Another controller holds it, too. */
  | { readonly kind: 'backup'; readonly name: string }
  | { readonly kind: 'delete'; readonly name: string };

interface World extends Cluster {
  readonly part: LeaderPart;
  readonly promises: Promises;
  /** UIDs of the Services that another controller holds. */
  readonly backedUp: Set<string>;
  /** UIDs of those whose owner forged a record: it is theirs to take off where we never held it. */
  readonly forged: Set<string>;
}

/** The gateway part in two replicas, and users who create, edit and delete Services that compete for few addresses. */
export const gatewayStatic: Scenario<World, Edit> = {
  name: 'gateway-static',
  description: 'no address is given twice, lost or leaked, whatever happens to Services, replicas and the network',
  minutes: 4,
  convergesWithinMinutes: 12,
  faults: [{ rates: { ...ROUGH_RATES, crash: 0.004 } }],
  disturbances: {
    perMinute: {
      crash: 0.5,
      pause: 0.5,
      'clock-jump': 0.3,
      partition: 0.4,
      reset: 0.5,
      refusal: 0.3,
      suspend: 0.3,
      drift: 0.3,
    },
    processes: REPLICAS,
    servers: [KUBE],
    longestMilliseconds: 40_000,
  },
  actions: (random, milliseconds) => drawEdits(random, milliseconds, 60),
  build,
  apply,
  describe: describeEdit,
  invariants,
  unfinished,
  rest: { minutes: 10, allows: ({ name }) => name.includes('leases') || name.includes('events') },
  leaked,
  lost: () => [],
};

/** A few edits without any faults: the crash matrix kills a replica at each of the calls they cause. */
export const gatewayStaticCrash: Scenario<World, Edit> = {
  ...gatewayStatic,
  name: 'gateway-static-crash',
  description: 'one replica is killed before and after each of its calls: nothing is given twice, lost or leaked',
  minutes: 2,
  faults: [],
  disturbances: { perMinute: {}, processes: REPLICAS, servers: [KUBE], longestMilliseconds: 0 },
  // A Lease is renewed in the same way over and over: the first few times tell.
  isCrashPoint: ({ name, ordinal }) => !name.includes('leases') || ordinal <= 3,
  actions: () => [
    { at: 1_000, event: create('web', [80, 443]) },
    { at: 1_500, event: create('shop', [80]) },
    { at: 2_000, event: create('late', [80]) },
    { at: 2_500, event: { ...create('alone', [443]), exclusive: true } },
    { at: 3_000, event: { kind: 'backup', name: 'shop' } },
    { at: 12_000, event: { kind: 'forge', name: 'web', address: '192.0.2.2' } },
    { at: 20_000, event: { kind: 'ports', name: 'web', ports: portsOf([80, 8443]) } },
    { at: 22_000, event: { kind: 'sharing', name: 'late', sharing: 'exclusive' } },
    { at: 25_000, event: { kind: 'type', name: 'shop', type: 'ClusterIP' } },
    { at: 50_000, event: { kind: 'delete', name: 'web' } },
    { at: 60_000, event: { kind: 'type', name: 'shop', type: 'LoadBalancer' } },
  ],
};

async function build(simulation: Parameters<typeof serveKubernetes>[0]): Promise<World> {
  const cluster = serveKubernetes(simulation);
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await cluster.editor.create(namespaces, { metadata: { name } });
  const part = gatewayPart.configure({ addresses: POOL });
  for (const name of REPLICAS)
    simulation.process(name, (incarnation) => runReplica(gatewayPart.name, part, incarnation));
  return { ...cluster, part, promises: new Promises(), backedUp: new Set(), forged: new Set() };
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n'];
const PORT_NUMBERS = [53, 80, 443];

function drawEdits(random: Random, milliseconds: number, count: number): readonly Timed<Edit>[] {
  return Array.from({ length: count }, () => ({ at: randomInteger(random, 0, milliseconds), event: drawEdit(random) }));
}

function drawEdit(random: Random): Edit {
  const name = randomPick(random, NAMES);
  const luck = random.next();
  if (luck < 0.45) return drawCreate(random, name);
  if (luck < 0.6) return { kind: 'ports', name, ports: drawPorts(random) };
  if (luck < 0.68) return { kind: 'forge', name, address: randomPick(random, POOL) };
  if (luck < 0.72) return { kind: 'backup', name };
  if (luck < 0.76) return { kind: 'sharing', name, sharing: random.next() < 0.5 ? 'shared' : 'exclusive' };
  if (luck < 0.86) return { kind: 'type', name, type: random.next() < 0.5 ? 'ClusterIP' : 'LoadBalancer' };
  return { kind: 'delete', name };
}

function drawCreate(random: Random, name: string): Edit {
  const ours = random.next() < 0.85;
  const ipFamilies = randomPick(random, [['IPv4'], ['IPv4'], ['IPv6'], ['IPv4', 'IPv6']] as const);
  const asks =
    random.next() < 0.2 && ipFamilies[0] === 'IPv4' ? { loadBalancerIP: randomPick(random, POOL.slice(0, 2)) } : {};
  return {
    kind: 'create',
    name,
    exclusive: random.next() < 0.1,
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: ours ? CLASS : 'example.com/other',
      ipFamilyPolicy:
        ipFamilies.length === 2 ? randomPick(random, ['RequireDualStack', 'PreferDualStack']) : 'SingleStack',
      ipFamilies,
      ports: drawPorts(random),
      ...asks,
    },
  };
}

function drawPorts(random: Random): readonly ServicePort[] {
  const protocol = random.next() < 0.8 ? 'TCP' : 'UDP';
  const numbers = PORT_NUMBERS.filter(() => random.next() < 0.5);
  return portsOf(numbers.length === 0 ? [randomPick(random, PORT_NUMBERS)] : numbers, protocol);
}

function portsOf(numbers: readonly number[], protocol: 'TCP' | 'UDP' = 'TCP'): readonly ServicePort[] {
  return numbers.map((port) => ({ name: `p${port}`, port, protocol, targetPort: port }));
}

function create(name: string, numbers: readonly number[]): Extract<Edit, { kind: 'create' }> {
  return {
    kind: 'create',
    name,
    exclusive: false,
    spec: { type: 'LoadBalancer', loadBalancerClass: CLASS, ipFamilies: ['IPv4'], ports: portsOf(numbers) },
  };
}

async function apply({ editor, backedUp, forged }: World, edit: Edit): Promise<void> {
  const key = { namespace: NAMESPACE, name: edit.name };
  const found = await editor.find(services, key);
  if (edit.kind === 'create') {
    if (found !== undefined) return;
    const annotations = edit.exclusive ? { annotations: { [SHARING]: 'exclusive' } } : {};
    await editor.create(services, { metadata: { ...key, ...annotations }, spec: edit.spec });
    return;
  }
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
  if (edit.kind === 'type' && edit.type === found.spec.type) return;
  // On a Service of another class it would be taken for ours.
  if (edit.kind === 'forge' && !isOurs(found)) return;
  try {
    if (edit.kind === 'delete') await editor.delete(services, key);
    if (edit.kind === 'sharing') await annotate(editor, key, { [SHARING]: edit.sharing });
    if (edit.kind === 'forge') forged.add(found.metadata.uid ?? '');
    if (edit.kind === 'forge') await annotate(editor, key, { [L2_PORTS]: edit.address, [L4_PORTS]: FORGED_PORTS });
    if (edit.kind === 'backup') {
      await addFinalizer(editor, services, found, BACKUP);
      backedUp.add(found.metadata.uid ?? '');
    }
    if (edit.kind === 'ports') await editor.patchMerge<Service>(services, key, { spec: { ports: edit.ports } });
    if (edit.kind === 'type') await editor.patchMerge<Service>(services, key, { spec: typeChange(edit.type) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

const FORGED_PORTS = PORT_NUMBERS.flatMap((port) => [`TCP/${port}`, `UDP/${port}`]).join(',');

function annotate(editor: World['editor'], key: ObjectKey, annotations: Readonly<Record<string, string>>) {
  return editor.patchMerge<Service>(services, key, { metadata: { annotations } });
}

/** The API allows the class only on load balancers, and wipes nothing by itself. */
function typeChange(type: 'LoadBalancer' | 'ClusterIP') {
  if (type === 'LoadBalancer') return { type, loadBalancerClass: CLASS };
  return { type, loadBalancerClass: null, loadBalancerIP: null };
}

function describeEdit(edit: Edit): string {
  if (edit.kind === 'create') return `create ${edit.name} ${portText(edit.spec.ports)}`;
  if (edit.kind === 'ports') return `give ${edit.name} the ports ${portText(edit.ports)}`;
  if (edit.kind === 'type') return `make ${edit.name} a ${edit.type}`;
  return `${edit.kind} ${edit.name}`;
}

function portText(ports: readonly ServicePort[] = []): string {
  return ports.map(({ port, protocol }) => `${protocol}/${port}`).join(',');
}

function invariants(world: World): readonly Invariant[] {
  return [
    { name: 'no address twice', check: () => givenTwice(world) },
    { name: 'what was given stays given', check: () => world.promises.broken(world.objects(services)) },
    { name: 'others untouched', check: () => touched(world) },
    { name: 'held while shown', check: () => shownAndLetGo(world) },
  ];
}

function isOurs({ spec }: Service): boolean {
  return spec.type === 'LoadBalancer' && spec.loadBalancerClass === CLASS;
}

function ingressOf(service: Service) {
  return service.status?.loadBalancer?.ingress ?? [];
}

/** What its status says that it was given: `192.0.2.1 TCP/80`. */
function givenTo(service: Service): readonly string[] {
  return ingressOf(service).flatMap(({ ip = '', ports = [] }) =>
    ports.flatMap(({ port, protocol, error }) => (error === undefined ? [`${ip} ${protocol}/${port}`] : [])),
  );
}

/** A Service loses nothing that it was given as long as its owner asks for the same, whatever others do or crash. */
class Promises {
  /** UID -> what it asks for, what it was given for that, and the status that said so. */
  readonly #promises = new Map<string, { asks: string; given: readonly string[]; status: string }>();

  broken(all: readonly Service[]): string | undefined {
    for (const service of all) {
      const { uid = '', annotations = {}, deletionTimestamp } = service.metadata;
      const asks = JSON.stringify([service.spec, annotations[SHARING], deletionTimestamp]);
      const status = JSON.stringify(ingressOf(service));
      const before = this.#promises.get(uid);
      if (before?.asks !== asks) {
        this.#promises.set(uid, { asks, given: [], status });
        continue;
      }
      if (before.status === status) continue;
      // One that is served in part moves to where all of it can be had.
      const isWhole = service.status?.conditions?.[0]?.status === 'True';
      const given = isWhole ? givenTo(service) : [];
      const lost = before.given.find((pair) => !givenTo(service).includes(pair));
      if (lost !== undefined) return `${nameOf(service)} lost ${lost} without having asked for anything else`;
      this.#promises.set(uid, { asks, given, status });
    }
    return undefined;
  }
}

function givenTwice({ objects }: World): string | undefined {
  const holders = new Map<string, Service>();
  for (const service of objects(services)) {
    for (const pair of givenTo(service)) {
      const other = holders.get(pair);
      if (other !== undefined) return `${pair} is given to ${nameOf(other)} and ${nameOf(service)}`;
      holders.set(pair, service);
    }
  }
  return undefined;
}

function nameOf(service: Service): string {
  return keyText(service.metadata);
}

function touched({ objects, backedUp }: World): string | undefined {
  for (const service of objects(services)) {
    if (backedUp.has(service.metadata.uid ?? '') && !service.metadata.finalizers?.includes(BACKUP)) {
      return `${nameOf(service)} lost the finalizer of another controller`;
    }
    if (service.spec.loadBalancerClass !== 'example.com/other') continue;
    const { finalizers = [], annotations = {} } = service.metadata;
    if (finalizers.includes(FINALIZER) || L2_PORTS in annotations || service.status?.conditions !== undefined) {
      return `${nameOf(service)} is of another class, and was touched`;
    }
  }
  return undefined;
}

function shownAndLetGo({ objects }: World): string | undefined {
  for (const service of objects(services)) {
    if (ingressOf(service).length === 0 || (service.metadata.finalizers ?? []).includes(FINALIZER)) continue;
    return `${nameOf(service)} shows an address, and nobody holds it by a finalizer`;
  }
  return undefined;
}

/** Stands still: no time passes while it is asked. */
const STILL: Clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel() {} }), turn: async () => {} };

async function unfinished(world: World): Promise<string | undefined> {
  for (const service of world.objects(services)) {
    if (service.metadata.deletionTimestamp === undefined) continue;
    // The other controller has done its work when nothing else holds the Service.
    if (service.metadata.finalizers?.join() === BACKUP) {
      world.backedUp.delete(service.metadata.uid ?? '');
      await removeFinalizer(world.editor, services, service, BACKUP);
    }
    return `${nameOf(service)} is still being deleted`;
  }
  const plan = await world.part.plan({
    client: world.editor,
    clock: STILL,
    logger: silentLogger,
    signal: new AbortController().signal,
  });
  if (writesOf(plan) === 0) return undefined;
  const first = plan.changes.find((change) => change.writes > 0);
  return `${first?.subject}: ${first?.action}, ${first?.detail}`;
}

function leaked({ objects, forged }: World): readonly string[] {
  const isRecorded = ({ metadata }: Service) =>
    L2_PORTS in (metadata.annotations ?? {}) && !forged.has(metadata.uid ?? '');
  return [...objects(services)]
    .filter((service) => !isOurs(service))
    .filter((service) => service.metadata.finalizers?.includes(FINALIZER) || isRecorded(service))
    .map((service) => `${nameOf(service)} is not ours any more, and still marked as if it were`);
}
