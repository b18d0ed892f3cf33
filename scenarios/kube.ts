import { type HttpTransport, noMetrics, type Random, randomInteger, randomPick, silentLogger } from '@fairlead/control';
import {
  CacheFactory,
  configMaps,
  type EndpointSlice,
  endpointSlices,
  type KubeObject,
  type Resource,
  SERVICE_NAME_LABEL,
  type Service,
  type SharedCache,
  services,
} from '@fairlead/kube';
import { type Incarnation, ROUGH_DISTURBANCES, ROUGH_RATES, type Scenario, type Timed } from '@fairlead/sim';
import { CacheWitness } from './cache-witness.ts';
import { type Cluster, connectToKubernetes, KUBE, serveKubernetes } from './kubernetes.ts';

type Kind = 'services' | 'endpointslices' | 'configmaps';

/** Any of them makes sense at any time: what is there is replaced, what is not is made, or left alone. */
type Edit =
  | { readonly set: Kind; readonly name: string; readonly value: number }
  | { readonly remove: Kind; readonly name: string }
  /** The API server forgets its history: who is behind has to list anew. */
  | { readonly compact: true };

interface WatchedCache {
  readonly process: string;
  readonly kind: Kind;
  readonly cache: SharedCache<KubeObject>;
  readonly witness: CacheWitness;
}

interface World extends Cluster {
  /** Those of the current lives, by process. */
  readonly caches: Map<string, readonly WatchedCache[]>;
  /** What a cache told its handler that it must not have. */
  readonly complaints: string[];
}

const NAMESPACE = 'default';
const PROCESSES = ['cache-1', 'cache-2', 'cache-3'];
const KINDS: readonly Kind[] = ['services', 'endpointslices', 'configmaps'];
const SERVICES = 50;
const ENDPOINTS_PER_SERVICE = 10;
const CONFIG_MAPS = 10;
const EDITS = 120;

const resources: Readonly<Record<Kind, Resource<KubeObject>>> = {
  services,
  endpointslices: endpointSlices,
  configmaps: configMaps,
};

/**
 * Caches in several processes, each with a bad network of its own, of a cluster that never stands still. `wire` is what
 * a test puts in between to see that it is found out.
 */
export function kubeScenario(wire: (transport: HttpTransport) => HttpTransport = unchanged): Scenario<World, Edit> {
  return {
    name: 'kube',
    description: 'caches behind bad networks never go back in time, and agree with the API server in the end',
    minutes: 4,
    // A watch that fell silent is noticed after two minutes without a bookmark.
    convergesWithinMinutes: 6,
    faults: [{ rates: ROUGH_RATES }],
    disturbances: {
      perMinute: { ...ROUGH_DISTURBANCES, crash: 0.3, refusal: 0.5 },
      processes: PROCESSES,
      servers: [KUBE],
    },
    actions: drawEdits,
    async build(simulation) {
      const world: World = { ...serveKubernetes(simulation), caches: new Map(), complaints: [] };
      for (const { kind, name } of initialObjects())
        await world.editor.create(resources[kind], objectOf(kind, name, 0));
      for (const name of PROCESSES) simulation.process(name, (incarnation) => runCaches(world, incarnation, wire));
      return world;
    },
    apply,
    describe,
    invariants: (world) => [{ name: 'no cache goes back in time', check: () => world.complaints[0] }],
    unfinished,
  };
}

const unchanged = (transport: HttpTransport) => transport;

function* initialObjects(): Generator<{ readonly kind: Kind; readonly name: string }> {
  for (let number = 1; number <= SERVICES; number += 1) {
    yield { kind: 'services', name: `service-${number}` };
    yield { kind: 'endpointslices', name: `service-${number}-a` };
  }
  for (let number = 1; number <= CONFIG_MAPS; number += 1) yield { kind: 'configmaps', name: `map-${number}` };
}

function drawEdits(random: Random, milliseconds: number): readonly Timed<Edit>[] {
  const names = [...initialObjects()];
  return Array.from({ length: EDITS }, () => {
    const at = randomInteger(random, 0, milliseconds);
    const { kind, name } = randomPick(random, names);
    const luck = random.next();
    if (luck < 0.02) return { at, event: { compact: true } };
    if (luck < 0.2) return { at, event: { remove: kind, name } };
    return { at, event: { set: kind, name, value: randomInteger(random, 1, 1000) } };
  });
}

function describe(edit: Edit): string {
  if ('compact' in edit) return 'forget the history';
  return 'set' in edit ? `set ${edit.set} ${edit.name} to ${edit.value}` : `remove ${edit.remove} ${edit.name}`;
}

async function apply(world: World, edit: Edit): Promise<void> {
  if ('compact' in edit) world.kube.compact();
  else if ('set' in edit) await set(world, edit.set, edit.name, edit.value);
  else await remove(world, edit.remove, edit.name);
}

async function set({ editor }: Cluster, kind: Kind, name: string, value: number): Promise<void> {
  const object = objectOf(kind, name, value);
  const existing = await editor.find(resources[kind], { namespace: NAMESPACE, name });
  if (existing === undefined) await editor.create(resources[kind], object);
  else await editor.patchMerge(resources[kind], { namespace: NAMESPACE, name }, object);
}

async function remove({ editor }: Cluster, kind: Kind, name: string): Promise<void> {
  const key = { namespace: NAMESPACE, name };
  if ((await editor.find(resources[kind], key)) !== undefined) await editor.delete(resources[kind], key);
}

function objectOf(kind: Kind, name: string, value: number): KubeObject | Service | EndpointSlice {
  const metadata = { name, namespace: NAMESPACE, annotations: { value: String(value) } };
  if (kind === 'configmaps') return { metadata };
  if (kind === 'services') {
    return { metadata, spec: { type: 'ClusterIP', ports: [{ port: 80 }] } };
  }
  const endpoints = Array.from({ length: ENDPOINTS_PER_SERVICE }, (_, index) => ({
    addresses: [`10.${value % 250}.${Math.floor(value / 250)}.${index + 1}`],
    conditions: { ready: (value + index) % 7 !== 0 },
    nodeName: `node-${index % 5}`,
  }));
  const labels = { [SERVICE_NAME_LABEL]: name.replace(/-a$/, '') };
  return { metadata: { ...metadata, labels }, addressType: 'IPv4', ports: [{ port: 8080 }], endpoints };
}

async function runCaches(
  world: World,
  incarnation: Incarnation,
  wire: (transport: HttpTransport) => HttpTransport,
): Promise<void> {
  const factory = new CacheFactory({
    connection: connectToKubernetes(incarnation, wire),
    clock: incarnation.clock,
    random: incarnation.random,
    logger: silentLogger,
    metrics: noMetrics,
    signal: incarnation.signal,
  });
  const watched = KINDS.map((kind) => {
    const cache = factory.cache(resources[kind]);
    const process = incarnation.name;
    const witness = new CacheWitness((what) => void world.complaints.push(`${process}, ${kind}: ${what}`));
    cache.subscribe((change) => witness.see(change));
    return { process, kind, cache, witness };
  });
  world.caches.set(incarnation.name, watched);
  await new Promise(() => {});
}

function unfinished({ caches, objects }: World): string | undefined {
  const all = [...caches.values()].flat();
  const waiting = all.find(({ cache }) => !cache.hasSynced);
  if (waiting !== undefined) return `${waiting.process} has not yet listed ${waiting.kind}`;
  for (const kind of KINDS) {
    const truth = versionsOf(objects(resources[kind]));
    for (const { process, cache, witness } of all.filter((candidate) => candidate.kind === kind)) {
      const found = versionsOf(cache.list());
      if (found !== truth) return `${process} differs in ${kind}: ${found} instead of ${truth}`;
      if (versionsOf(witness.objects) !== truth) return `${process} told its handler other ${kind} than it has`;
    }
  }
  return undefined;
}

function versionsOf(objects: Iterable<KubeObject>): string {
  return [...objects]
    .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
    .sort()
    .join(' ');
}
