import { type Random, randomInteger, randomPick, silentLogger } from '@fairlead/control';
import { gatewayPart } from '@fairlead/gateway';
import { isNotFound, keyText, namespaces, type Service, type ServicePort, services } from '@fairlead/kube';
import { type LeaderPart, writesOf } from '@fairlead/part';
import { type Invariant, ROUGH_RATES, type Scenario, type Timed } from '@fairlead/sim';
import { type Cluster, KUBE, serveKubernetes } from './kubernetes.ts';
import { LEASE_NAMESPACE, runReplica } from './replica.ts';

const NAMESPACE = 'shop';
const REPLICAS = ['replica-1', 'replica-2'];
const POOL = ['192.0.2.1', '192.0.2.2', '2001:db8::1'];
const CLASS = 'fairlead.dev/gateway';
const FINALIZER = 'fairlead.dev/gateway';
const L2_PORTS = 'gateway.fairlead.dev/l2-ports';
const L4_PORTS = 'gateway.fairlead.dev/l4-ports';

/** What a user does. */
type Edit =
  | { readonly kind: 'create'; readonly name: string; readonly spec: Service['spec']; readonly exclusive: boolean }
  | { readonly kind: 'ports'; readonly name: string; readonly ports: readonly ServicePort[] }
  | { readonly kind: 'type'; readonly name: string; readonly type: 'LoadBalancer' | 'ClusterIP' }
  | { readonly kind: 'delete'; readonly name: string };

interface World extends Cluster {
  readonly part: LeaderPart;
  readonly given: Given;
}

/** The gateway part in two replicas, and users who create, edit and delete Services that compete for few addresses. */
export const gatewayStatic: Scenario<World, Edit> = {
  name: 'gateway-static',
  description: 'no address is given twice, lost or leaked, whatever happens to Services, replicas and the network',
  minutes: 4,
  convergesWithinMinutes: 12,
  faults: [{ rates: { ...ROUGH_RATES, crash: 0.004 } }],
  disturbances: {
    perMinute: { crash: 0.5, pause: 0.5, 'clock-jump': 0.3, partition: 0.4, reset: 0.5, refusal: 0.3 },
    processes: REPLICAS,
    servers: [KUBE],
    longestMilliseconds: 40_000,
  },
  actions: (random, milliseconds) => drawEdits(random, milliseconds, 40),
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
    { at: 20_000, event: { kind: 'ports', name: 'web', ports: portsOf([80, 8443]) } },
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
  return { ...cluster, part, given: new Given() };
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const PORT_NUMBERS = [53, 80, 443];

function drawEdits(random: Random, milliseconds: number, count: number): readonly Timed<Edit>[] {
  return Array.from({ length: count }, () => ({ at: randomInteger(random, 0, milliseconds), event: drawEdit(random) }));
}

function drawEdit(random: Random): Edit {
  const name = randomPick(random, NAMES);
  const luck = random.next();
  if (luck < 0.45) return drawCreate(random, name);
  if (luck < 0.65) return { kind: 'ports', name, ports: drawPorts(random) };
  if (luck < 0.8) return { kind: 'type', name, type: random.next() < 0.5 ? 'ClusterIP' : 'LoadBalancer' };
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

function create(name: string, numbers: readonly number[]): Edit {
  return {
    kind: 'create',
    name,
    exclusive: false,
    spec: { type: 'LoadBalancer', loadBalancerClass: CLASS, ipFamilies: ['IPv4'], ports: portsOf(numbers) },
  };
}

async function apply({ editor }: World, edit: Edit): Promise<void> {
  const key = { namespace: NAMESPACE, name: edit.name };
  const found = await editor.find(services, key);
  if (edit.kind === 'create') {
    if (found !== undefined) return;
    const annotations = edit.exclusive ? { annotations: { 'gateway.fairlead.dev/sharing': 'exclusive' } } : {};
    await editor.create(services, { metadata: { ...key, ...annotations }, spec: edit.spec });
    return;
  }
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
  if (edit.kind === 'type' && edit.type === found.spec.type) return;
  try {
    if (edit.kind === 'delete') await editor.delete(services, key);
    if (edit.kind === 'ports') await editor.patchMerge<Service>(services, key, { spec: { ports: edit.ports } });
    if (edit.kind === 'type') await editor.patchMerge<Service>(services, key, { spec: typeChange(edit.type) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
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
  return `delete ${edit.name}`;
}

function portText(ports: readonly ServicePort[] = []): string {
  return ports.map(({ port, protocol }) => `${protocol}/${port}`).join(',');
}

function invariants(world: World): readonly Invariant[] {
  return [
    { name: 'no address twice', check: () => givenTwice(world) },
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

/**
 * What a Service was given on an address, from what was recorded on it while it was to have that address. Its own ports
 * do not tell: a user may add one that another has, which is not given to it by that.
 */
class Given {
  /** uid + address -> the L4 ports */
  readonly #l4Ports = new Map<string, readonly string[]>();

  on(address: string, { metadata }: Service): readonly string[] {
    const { uid = '', annotations = {} } = metadata;
    const key = `${uid} ${address}`;
    if ((annotations[L2_PORTS] ?? '').split(',').includes(address)) {
      this.#l4Ports.set(key, (annotations[L4_PORTS] ?? '').split(','));
    }
    return this.#l4Ports.get(key) ?? [];
  }
}

function givenTwice({ objects, given }: World): string | undefined {
  const holders = new Map<string, Service>();
  for (const service of objects(services)) {
    for (const { ip = '' } of ingressOf(service)) {
      for (const port of given.on(ip, service)) {
        const other = holders.get(`${ip} ${port}`);
        if (other !== undefined) return `${ip} ${port} is given to ${nameOf(other)} and ${nameOf(service)}`;
        holders.set(`${ip} ${port}`, service);
      }
    }
  }
  return undefined;
}

function nameOf(service: Service): string {
  return keyText(service.metadata);
}

function touched({ objects }: World): string | undefined {
  for (const service of objects(services)) {
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

async function unfinished(world: World): Promise<string | undefined> {
  for (const service of world.objects(services)) {
    if (service.metadata.deletionTimestamp !== undefined) return `${nameOf(service)} is still being deleted`;
  }
  const plan = await world.part.plan({
    client: world.editor,
    clock: { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel() {} }), turn: async () => {} },
    logger: silentLogger,
    signal: new AbortController().signal,
  });
  if (writesOf(plan) === 0) return undefined;
  const first = plan.changes.find((change) => change.writes > 0);
  return `${first?.subject}: ${first?.action}, ${first?.detail}`;
}

function leaked({ objects }: World): readonly string[] {
  return [...objects(services)]
    .filter((service) => !isOurs(service))
    .filter(({ metadata }) => metadata.finalizers?.includes(FINALIZER) || L2_PORTS in (metadata.annotations ?? {}))
    .map((service) => `${nameOf(service)} is not ours any more, and still marked as if it were`);
}
