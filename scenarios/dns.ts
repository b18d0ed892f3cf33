import { type ServiceImport, SERVICE_NAME, serviceImports, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import { mcsDefinitions } from '@fairlead/clusterset';
import { Journal, noMetrics, type Random, randomInteger, randomPick, silentLogger } from '@fairlead/control';
import { dnsPart } from '@fairlead/dns';
import { FakeSockets, lookUp, TestZone } from '@fairlead/dns/testing';
import {
  customResourceDefinitions,
  type EndpointSlice,
  endpointSlices,
  type KubeObject,
  namespaces,
  type ObjectKey,
  type Resource,
} from '@fairlead/kube';
import { runPart } from '@fairlead/part';
import {
  type Incarnation,
  type Invariant,
  ROUGH_DISTURBANCES,
  ROUGH_RATES,
  type Scenario,
  type Timed,
} from '@fairlead/sim';
import { type Cluster, connectToKubernetes, KUBE, serveKubernetes } from './kubernetes.ts';
import { LEASE_NAMESPACE } from './replica.ts';

const NAMESPACE = 'shop';
const SERVERS = ['dns-1', 'dns-2'];
const SERVICES = ['a', 'b', 'c'];
/** This cluster, others, one with older software, and one that claims to have it. */
const LOCAL = 'west';
const OLD = 'old';
const CLUSTERS = [LOCAL, 'east', OLD, 'forged'];
const CONFIGURATION = { cluster: LOCAL, olderClusters: [OLD], olderNamespace: LEASE_NAMESPACE };
/** A Service that is there from the beginning, and never changes. */
const STEADY = 'steady';
const STEADY_ADDRESS = '10.77.0.1';
const BEGIN_MILLISECONDS = 2_000;
const EDITS = 60;
/** More than there are clusters: each has its turn. */
const TURNS = 6;
/** A watch whose other end is gone without a word counts as dead after 130 s: three of them one after the other. */
const LONGEST_GONE_MILLISECONDS = 420_000;

const imports = serviceImports('v1beta1');

/** Any of them makes sense at any time: what is there is replaced, what is not is made, or left alone. */
type Edit =
  | { readonly kind: 'begin' }
  | { readonly kind: 'import'; readonly service: string; readonly type: 'ClusterSetIP' | 'Headless' | 'none' }
  /** The ServiceImport of a cluster before aggregation; undefined takes it away. */
  | { readonly kind: 'older'; readonly service: string; readonly cluster: string; readonly host: number | undefined }
  /** What a cluster exports; undefined takes it away, and an empty list says that it has no pods. */
  | {
      readonly kind: 'slice';
      readonly service: string;
      readonly cluster: string;
      readonly hosts: readonly number[] | undefined;
    }
  /** The API server forgets its history: who is behind has to list anew. */
  | { readonly kind: 'compact' };

/** A server in one of its lives. */
interface Life {
  readonly sockets: FakeSockets;
  readonly startedAt: number;
  readonly process: () => { readonly state: string };
}

interface World extends Cluster {
  readonly lives: Map<string, Life>;
  /** Every address that a Service ever had, as far as it is to be believed -> since when it has it no longer. */
  readonly known: Map<string, Map<string, number | undefined>>;
  begunAt: number | undefined;
  readonly now: () => number;
}

/** Two DNS servers, each behind a bad network of its own, of a clusterset that never stands still. */
export const dnsScenario: Scenario<World, Edit> = {
  name: 'dns',
  description:
    'DNS servers invent no address, deny no name before they have seen all, and agree with the cluster in the end',
  minutes: 4,
  convergesWithinMinutes: 6,
  faults: [{ rates: { ...ROUGH_RATES, crash: 0.002 } }],
  disturbances: {
    perMinute: { ...ROUGH_DISTURBANCES, pause: 0.4, refusal: 0.5 },
    processes: SERVERS,
    servers: [KUBE],
    longestMilliseconds: 40_000,
  },
  actions: (random, milliseconds) => [
    { at: BEGIN_MILLISECONDS, event: { kind: 'begin' } },
    ...Array.from(
      { length: EDITS },
      (): Timed<Edit> => ({ at: randomInteger(random, BEGIN_MILLISECONDS + 1, milliseconds), event: drawEdit(random) }),
    ),
  ],
  build,
  apply,
  describe: describeEdit,
  invariants,
  unfinished,
  // It writes nothing, ever.
  rest: { minutes: 5, allows: () => false },
};

async function build(simulation: Parameters<typeof serveKubernetes>[0]): Promise<World> {
  const cluster = serveKubernetes(simulation);
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await cluster.editor.create(namespaces, { metadata: { name } });
  for (const definition of mcsDefinitions) await cluster.editor.create(customResourceDefinitions, definition);
  const lives = new Map<string, Life>();
  const now = () => simulation.clock.monotonic();
  for (const name of SERVERS) {
    const process = simulation.process(name, (incarnation) => {
      const sockets = new FakeSockets();
      lives.set(name, { sockets, startedAt: now(), process: () => process });
      return serve(sockets, incarnation);
    });
  }
  return { ...cluster, lives, known: new Map(), begunAt: undefined, now };
}

function serve(sockets: FakeSockets, incarnation: Incarnation): Promise<void> {
  const { clock, random, name, signal } = incarnation;
  return runPart(
    dnsPart(sockets).configure(CONFIGURATION),
    {
      part: 'dns',
      connection: connectToKubernetes(incarnation),
      clock,
      random,
      logger: silentLogger,
      metrics: noMetrics,
      journal: new Journal(clock),
      readiness: { set() {} },
      namespace: LEASE_NAMESPACE,
      replica: name,
      leaseDurationMilliseconds: 15_000,
    },
    signal,
  );
}

function drawEdit(random: Random): Edit {
  const service = randomPick(random, SERVICES);
  const cluster = randomPick(random, CLUSTERS);
  const luck = random.next();
  if (luck < 0.2) return { kind: 'import', service, type: randomPick(random, ['ClusterSetIP', 'Headless', 'none']) };
  if (luck < 0.35) {
    const host = random.next() < 0.6 ? randomInteger(random, 1, 9) : undefined;
    return { kind: 'older', service, cluster: randomPick(random, [OLD, 'forged']), host };
  }
  if (luck < 0.38) return { kind: 'compact' };
  const count = randomInteger(random, 0, 3);
  const hosts = Array.from({ length: count }, () => randomInteger(random, 10, 99));
  return { kind: 'slice', service, cluster, hosts: random.next() < 0.2 ? undefined : hosts };
}

async function apply(world: World, edit: Edit): Promise<void> {
  await change(world, edit);
  if ('service' in edit) forget(world, edit.service);
}

async function change(world: World, edit: Edit): Promise<void> {
  switch (edit.kind) {
    case 'begin':
      await put(world, imports, importOf(STEADY, 'ClusterSetIP'));
      await put(world, endpointSlices, sliceOf(STEADY, 'east', [STEADY_ADDRESS]));
      world.begunAt = world.now();
      return;
    case 'compact':
      world.kube.compact();
      return;
    case 'import':
      if (edit.type === 'none') return remove(world, imports, { namespace: NAMESPACE, name: edit.service });
      return put(world, imports, importOf(edit.service, edit.type));
    case 'older': {
      const one = olderImportOf(edit.service, edit.cluster, edit.host ?? 0);
      if (edit.host === undefined)
        return remove(world, imports, { namespace: LEASE_NAMESPACE, name: one.metadata.name });
      if (edit.cluster === OLD) remember(world, edit.service, one.spec.ips ?? []);
      return put(world, imports, one);
    }
    case 'slice': {
      const addresses = (edit.hosts ?? []).map((host) => `10.${CLUSTERS.indexOf(edit.cluster)}.0.${host}`);
      const slice = sliceOf(edit.service, edit.cluster, addresses);
      if (edit.hosts === undefined)
        return remove(world, endpointSlices, { namespace: NAMESPACE, name: slice.metadata.name });
      remember(world, edit.service, addresses);
      return put(world, endpointSlices, slice);
    }
  }
}

/** The Service may be answered with these from now on. */
function remember({ known }: World, service: string, addresses: readonly string[]): void {
  const all = known.get(service) ?? new Map<string, number | undefined>();
  for (const address of addresses) all.set(address, undefined);
  known.set(service, all);
}

/** What of a Service is gone: no cluster has an endpoint there any more. */
function forget(world: World, service: string): void {
  const slices = world.objects(endpointSlices).filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === service);
  const older = world.objects(imports).filter(({ metadata }) => metadata.name === `${service}-${NAMESPACE}-${OLD}`);
  const left = new Set([
    ...slices.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses)),
    ...older.flatMap(({ spec }) => spec?.ips ?? []),
  ]);
  for (const [address, goneAt] of world.known.get(service) ?? []) {
    if (!left.has(address)) world.known.get(service)?.set(address, goneAt ?? world.now());
  }
}

async function put<Kind extends KubeObject>({ editor }: World, resource: Resource<Kind>, object: Kind): Promise<void> {
  const found = await editor.find(resource, object.metadata);
  if (found === undefined) await editor.create(resource, object);
  else await editor.update(resource, { ...object, metadata: found.metadata });
}

async function remove<Kind extends KubeObject>(
  { editor }: World,
  resource: Resource<Kind>,
  key: ObjectKey,
): Promise<void> {
  if ((await editor.find(resource, key)) !== undefined) await editor.delete(resource, key);
}

function importOf(name: string, type: 'ClusterSetIP' | 'Headless'): ServiceImport {
  return { metadata: { namespace: NAMESPACE, name }, spec: { type, ports: [{ name: 'http', port: 80 }] } };
}

function olderImportOf(service: string, cluster: string, host: number): ServiceImport {
  const labels = {
    'lighthouse.submariner.io/sourceCluster': cluster,
    'lighthouse.submariner.io/sourceName': service,
    'lighthouse.submariner.io/sourceNamespace': NAMESPACE,
  };
  return {
    metadata: { namespace: LEASE_NAMESPACE, name: `${service}-${NAMESPACE}-${cluster}`, labels },
    spec: { type: 'ClusterSetIP', ports: [], ips: [cluster === OLD ? `10.90.0.${host}` : `10.66.0.${host}`] },
  };
}

function sliceOf(service: string, cluster: string, addresses: readonly string[]): EndpointSlice {
  const labels = { [SERVICE_NAME]: service, [SOURCE_CLUSTER]: cluster };
  return {
    metadata: { namespace: NAMESPACE, name: `${service}.${cluster}`, labels },
    addressType: 'IPv4',
    endpoints: [...new Set(addresses)].map((address) => ({ addresses: [address] })),
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  };
}

function describeEdit(edit: Edit): string {
  if (edit.kind === 'import') return `make ${edit.service} ${edit.type}`;
  if (edit.kind === 'older') return `${edit.cluster}, before aggregation, has ${edit.service} at ${edit.host}`;
  if (edit.kind === 'slice') return `${edit.cluster} has ${edit.service} at ${edit.hosts?.join(', ')}`;
  return edit.kind;
}

function nameOf(service: string): string {
  return `${service}.${NAMESPACE}.svc.clusterset.local`;
}

const WORDS = new Set(['SERVFAIL', 'NXDOMAIN', 'NOERROR', 'no', 'reply']);

function invariants(world: World): readonly Invariant[] {
  return [
    {
      name: 'no address is invented',
      check() {
        for (const [server, { sockets }] of world.lives) {
          for (const service of SERVICES) {
            const answer = lookUp(nameOf(service), 1, (query) => sockets.ask(query)).split(' ');
            const strange = answer.find((word) => !WORDS.has(word) && world.known.get(service)?.has(word) !== true);
            if (strange !== undefined) return `${server} leads to ${strange}, where ${service} never was`;
          }
        }
        return undefined;
      },
    },
    {
      name: 'no address is answered for long that is gone',
      check() {
        for (const [server, { sockets, process }] of world.lives) {
          // One that is frozen answers no client, and has yet to hear what it missed.
          if (process().state !== 'running') continue;
          for (const service of SERVICES) {
            const answer = lookUp(nameOf(service), 1, (query) => sockets.ask(query)).split(' ');
            for (const word of answer) {
              const goneAt = world.known.get(service)?.get(word);
              if (goneAt !== undefined && world.now() - goneAt > LONGEST_GONE_MILLISECONDS) {
                return `${server} leads to ${word} of ${service}, which is gone since ${world.now() - goneAt} ms`;
              }
            }
          }
        }
        return undefined;
      },
    },
    {
      name: 'what was there when it started is never denied',
      check() {
        for (const [server, { sockets, startedAt }] of world.lives) {
          if (world.begunAt === undefined || startedAt <= world.begunAt) continue;
          const answer = lookUp(nameOf(STEADY), 1, (query) => sockets.ask(query));
          if (![STEADY_ADDRESS, 'SERVFAIL', 'no reply'].includes(answer))
            return `${server} says ${answer} of ${STEADY}`;
        }
        return undefined;
      },
    },
  ];
}

/** Every server says what one would that read all objects now. */
function unfinished(world: World): string | undefined {
  const objects = { imports: world.objects(imports), slices: world.objects(endpointSlices) };
  const right = new TestZone(CONFIGURATION, objects);
  const names = [...SERVICES, STEADY].flatMap((service) => [
    nameOf(service),
    ...CLUSTERS.map((cluster) => `${cluster}.${nameOf(service)}`),
  ]);
  for (const [server, { sockets }] of world.lives) {
    for (const name of names) {
      const expected = lookUp(name, TURNS, (query) => right.ask(query));
      const found = lookUp(name, TURNS, (query) => sockets.ask(query));
      if (found !== expected) return `${server} says ${found} of ${name}, not ${expected}`;
    }
  }
  return undefined;
}
