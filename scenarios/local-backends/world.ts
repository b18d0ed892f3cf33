import { type HttpTransport, type Random, randomInteger, randomPick } from '@fairlead/control';
import { localBackendsPart } from '@fairlead/azure/local-backends';
import { endpointSlices, leases, type Node, namespaces, nodes, type Service, services, statusOf } from '@fairlead/kube';
import type { LeaderPart } from '@fairlead/part';
import type { Incarnation, SimulatedProcess, Simulation } from '@fairlead/sim';
import { type ArmBehaviour, FAST } from '@fairlead/sim/azure';
import { AZURE, CLOUD, openAzureOver, serveAzure } from '../azure.ts';
import { behaviourOf, type Variant, variantOf } from '../azure-variant.ts';
import { type Cluster, serveKubernetes } from '../kubernetes.ts';
import { LEASE_NAMESPACE, runReplica } from '../replica.ts';
import { AzureView, CLUSTER_ID, LOAD_BALANCERS, type LoadBalancerName, serviceMark } from './azure-view.ts';
import { BackendHistory } from './backend-history.ts';
import { ForeignThings } from './foreign-things.ts';
import { UpdaterWitness } from './updater-witness.ts';

const PART = 'azure-local';
export const CLASS = 'fairlead.dev/azure-local';
export const INTERNAL = 'service.beta.kubernetes.io/azure-load-balancer-internal';
export const CONFIGURATIONS = 'service.beta.kubernetes.io/azure-load-balancer-configurations';
/** Names a public address that the user has made. */
export const ADDRESS_NAME = 'service.beta.kubernetes.io/azure-pip-name';
/** Where the part has put the Service. */
export const PLACE = 'azure-local.fairlead.dev/load-balancer';
export const NAMESPACE = 'shop';
export const REPLICAS = ['replica-1', 'replica-2'];
/** A Service of another class. */
export const OTHERS_SERVICE = 'others';
export const NODES = ['a', 'b', 'c', 'd'];
/** What every component takes first that changes load balancers. */
export const RESOURCE_LOCK = { namespace: 'kube-system', name: 'aks-managed-resource-locker' };
export const OWN_HOLDER = 'fairlead-azure-local';

/** The longest that a replica goes without hearing of an edit, and is at the work that it causes. */
const LONGEST_EFFECT_MILLISECONDS = 90_000;

/** How the part is configured and how Azure behaves: another way with each seed. */
export interface Settings {
  readonly leadingEdge: boolean;
  readonly maxRetries: number;
  readonly intervalSeconds: number;
  /** 0: never. */
  readonly comparisonIntervalSeconds: number;
  readonly behaviour: Partial<ArmBehaviour>;
}

export function drawSettings(random: Random, seed: number): Settings {
  const variant = variantOf(seed);
  const isSlow = random.next() < 0.5;
  return {
    leadingEdge: random.next() < 0.5,
    maxRetries: randomInteger(random, 0, 3),
    intervalSeconds: randomPick(random, [5, 10, 30]),
    comparisonIntervalSeconds: comparisonOf(variant, randomPick(random, [60, 150, 240])),
    behaviour: {
      ...(isSlow
        ? {
            operationTime: { minimum: 0, maximum: randomPick(random, [500, 5_000]) },
            operationStyle: randomPick(random, ['async-operation', 'location']),
            pollAfterSeconds: random.next() < 0.5 ? undefined : 1,
            addressDelay: { minimum: 0, maximum: 3_000 },
          }
        : FAST),
      ...behaviourOf(variant),
    },
  };
}

/** `default`: what the part has where nothing is configured. */
function comparisonOf({ comparison }: Variant, often: number): number {
  return { often, default: 300, off: 0 }[comparison];
}

/** Who watches the updater, and what is wrong with what they saw. */
class Watch {
  readonly #witnesses = new Set<UpdaterWitness>();
  #complaint: string | undefined;
  /** When a write was last sent to Azure or to a Service, and when to a Service, on the world's clock. */
  lastWriteAt = 0;
  lastServiceWriteAt = 0;
  /** Whether everything was as it should be, with nothing under way. */
  hasRested = false;
  /** Marks of Services of which a pool was given up, for the leader that did so: the next one compares. */
  readonly givenUp = new Set<string>();

  complain(what: string): void {
    this.#complaint ??= what;
  }

  async during(witness: UpdaterWitness, work: () => Promise<void>): Promise<void> {
    this.#witnesses.add(witness);
    this.givenUp.clear();
    try {
      await work();
    } finally {
      this.#witnesses.delete(witness);
    }
  }

  check(): string | undefined {
    for (const witness of this.#witnesses) {
      const what = witness.check();
      if (what !== undefined) this.complain(what);
    }
    return this.#complaint;
  }
}

export interface World extends Cluster {
  readonly simulation: Simulation;
  readonly settings: Settings;
  readonly azure: AzureView;
  readonly foreign: ForeignThings;
  readonly history: BackendHistory;
  readonly watch: Watch;
  readonly configuration: Configuration;
  readonly processes: ReadonlyMap<string, SimulatedProcess>;
  /** Mark -> the Service of that mark, also when it is gone. */
  readonly named: Map<string, { readonly name: string; readonly families: number }>;
  /** How often edits were about the Service, or about pools. */
  readonly editsOf: (service: string) => number;
  /** To be told of each; `undefined`: of one about pools. */
  readonly edited: (service: string | undefined) => void;
  /** Name -> when an edit last changed where the Service is to be, or deleted it. */
  readonly replacedAt: Map<string, number>;
  /** Marks of Services that were not to have the same public addresses all the time, or were to be open to all clients. */
  readonly onceNotPublic: Set<string>;
  readonly onceOpen: Set<string>;
  readonly addresses: FirstAddresses;
}

/** Where each Service could be reached at first: as long as it is public, it is so for ever. */
class FirstAddresses {
  /** Mark -> its addresses. */
  readonly #first = new Map<string, string>();

  see(mark: string, addresses: readonly string[]): void {
    if (!this.#first.has(mark)) this.#first.set(mark, addresses.join());
  }

  of(mark: string): string | undefined {
    return this.#first.get(mark);
  }
}

function newEdits(): Pick<World, 'editsOf' | 'edited'> {
  const counts = new Map<string | undefined, number>();
  const count = (service: string | undefined) => counts.get(service) ?? 0;
  return {
    editsOf: (service) => count(service) + count(undefined),
    edited: (service) => void counts.set(service, count(service) + 1),
  };
}

/** What the next process that starts finds in its configuration file. */
interface Configuration {
  loadBalancers: readonly LoadBalancerName[];
}

export async function buildWorld(simulation: Simulation, minutes: number, settings: Settings): Promise<World> {
  const cluster = serveKubernetes(simulation);
  const { editor } = cluster;
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await editor.create(namespaces, { metadata: { name } });
  const azure = new AzureView(serveAzure(simulation, settings.behaviour));
  // What was scripted and not met by then must not go on for ever.
  simulation.at(minutes * 60_000, () => azure.emulator.faults.clear());
  const world: World = {
    ...cluster,
    simulation,
    settings,
    azure,
    foreign: new ForeignThings(azure),
    history: new BackendHistory(),
    watch: new Watch(),
    configuration: { loadBalancers: LOAD_BALANCERS },
    processes: new Map(),
    named: new Map(),
    ...newEdits(),
    replacedAt: new Map(),
    onceNotPublic: new Set(),
    onceOpen: new Set(),
    addresses: new FirstAddresses(),
  };
  await editor.create<Service>(services, {
    metadata: { namespace: NAMESPACE, name: OTHERS_SERVICE },
    spec: { type: 'LoadBalancer', loadBalancerClass: 'example.com/other', ports: [{ port: 80 }] },
  });
  for (const [index, name] of NODES.entries()) await putNode(world, name, index, 1);
  noteBackends(world);
  simulation.onCall(({ write, server, name }) => {
    const isToService = server !== AZURE && name.includes('services');
    if (!write || !(isToService || server === AZURE)) return;
    world.watch.lastWriteAt = simulation.clock.monotonic();
    if (isToService) world.watch.lastServiceWriteAt = world.watch.lastWriteAt;
  });
  const processes = REPLICAS.map(
    (name) => [name, simulation.process(name, (incarnation) => run(world, incarnation))] as const,
  );
  return { ...world, processes: new Map(processes) };
}

/** The part as it is configured now, with this way to Azure. */
export function partOver({ settings, configuration }: World, transport: HttpTransport): LeaderPart {
  return localBackendsPart(openAzureOver(transport)).configure({
    cloud: {
      ...CLOUD,
      loadBalancerBackendPoolUpdateIntervalInSeconds: settings.intervalSeconds,
      loadBalancerBackendPoolUpdateMaxRetries: settings.maxRetries,
    },
    clusterId: CLUSTER_ID,
    loadBalancers: configuration.loadBalancers.map((name) => ({
      name,
      frontends: name === 'inside' ? 'internal' : 'public',
    })),
    leadingEdge: settings.leadingEdge,
    comparisonIntervalSeconds: settings.comparisonIntervalSeconds,
  });
}

/** A replica whose every leadership is watched from outside. */
function run(world: World, incarnation: Incarnation): Promise<void> {
  const { settings, watch, azure } = world;
  const watched: LeaderPart = {
    ...partOver(world, azure.emulator),
    async start(environment) {
      const { clock, client, random, logger } = environment;
      const witness = new UpdaterWitness({
        clock,
        worldClock: world.simulation.clock,
        intervalMilliseconds: settings.intervalSeconds * 1000,
        attemptsWithinInterval: settings.leadingEdge ? 1 : 2,
        maxRetries: settings.maxRetries,
        changesOf: (mark) => changesOf(world, mark),
        isSteady: (mark, since) => isSteady(world, mark, since),
        isToMove: (mark) => isToMove(world, mark),
        hasOnePool: (mark) => world.named.get(mark)?.families === 1,
        complain: (what) => watch.complain(`${incarnation.name}: ${what}`),
        givenUp: watch.givenUp,
      });
      const { metrics } = witness;
      const reporter = { controller: `fairlead.dev/${PART}`, instance: incarnation.name };
      const events = witness.events({ ...reporter, client, clock, random, logger, metrics });
      environment.signal.addEventListener('abort', () => events.close());
      const part = partOver(world, witness.watch(whileLocked(world, incarnation.connect(AZURE))));
      await watch.during(witness, () => part.start({ ...environment, events, metrics })).finally(() => events.close());
    },
  };
  return runReplica(PART, watched, incarnation);
}

/** Nothing is written to Azure but by who holds the lock. */
function whileLocked(world: World, transport: HttpTransport): HttpTransport {
  return {
    send: (request) => {
      const holder = resourceLock(world)?.spec?.holderIdentity ?? '';
      if (request.method !== 'GET' && holder !== OWN_HOLDER) {
        world.watch.complain(`${request.method} ${request.url} is sent while the lock is held by «${holder}»`);
      }
      return transport.send(request);
    },
  };
}

export function resourceLock({ objects }: World) {
  return objects(leases).find(({ metadata }) => metadata.name === RESOURCE_LOCK.name);
}

/** Including the comparisons with Azure, each of which may find the pool out of step anew. */
function changesOf({ named, history, editsOf, settings, simulation }: World, mark: string): number {
  const interval = settings.comparisonIntervalSeconds * 1000;
  const comparisons = interval === 0 ? 0 : Math.ceil(simulation.clock.monotonic() / interval);
  const name = named.get(mark)?.name ?? '';
  return history.changesOf(name) + comparisons + editsOf(name);
}

function isSteady({ named, replacedAt }: World, mark: string, since: number): boolean {
  const name = named.get(mark)?.name ?? '';
  return (replacedAt.get(name) ?? Number.NEGATIVE_INFINITY) < since - LONGEST_EFFECT_MILLISECONDS;
}

function isToMove(world: World, mark: string): boolean {
  const service = shopServices(world).find(({ metadata }) => serviceMark(metadata.uid ?? '') === mark);
  const place = service?.metadata.annotations?.[PLACE];
  return service !== undefined && place !== undefined && !placesFor(world, service).includes(place);
}

/** The load balancers on which the Service may be. */
export function placesFor({ configuration }: World, service: Service): readonly string[] {
  const named = service.metadata.annotations?.[CONFIGURATIONS]?.split(',');
  return configuration.loadBalancers
    .filter((name) => (name === 'inside') === isInternal(service))
    .filter((name) => named?.includes(name) ?? true);
}

/** To be called after each change of endpoints or nodes. */
export function noteBackends({ objects, history }: World): void {
  history.note(objects(endpointSlices), objects(nodes));
}

/** Remembers a Service that an edit made or changed. */
export function noteService({ named, onceNotPublic, onceOpen }: World, service: Service): void {
  const { metadata, spec } = service;
  const mark = serviceMark(metadata.uid ?? '');
  named.set(mark, { name: metadata.name, families: spec.ipFamilies?.length ?? 1 });
  if (isInternal(service) || spec.type !== 'LoadBalancer') onceNotPublic.add(mark);
  if (metadata.annotations?.[ADDRESS_NAME] !== undefined) onceNotPublic.add(mark);
  if ((spec.loadBalancerSourceRanges ?? []).length === 0) onceOpen.add(mark);
}

/** Whether its IPv4 address is the user's own. */
export function hasOwnAddress(service: Service): boolean {
  const isAsked = service.metadata.annotations?.[ADDRESS_NAME] !== undefined;
  return isAsked && !isInternal(service);
}

export function isInternal({ metadata }: Service): boolean {
  return metadata.annotations?.[INTERNAL] === 'true';
}

/** The node is there, at the address that goes with this number. */
export async function putNode({ editor }: World, name: string, index: number, number: number): Promise<void> {
  if ((await editor.find(nodes, { name })) === undefined) await editor.create<Node>(nodes, { metadata: { name } });
  const addresses = [
    { type: 'InternalIP', address: `10.0.${number}.${index + 1}` },
    { type: 'InternalIP', address: `fd00::${number}:${index + 1}` },
  ] as const;
  await editor.patchMerge<Node>(statusOf(nodes), { name }, { status: { addresses } });
}

/** All Services that there are, but the cluster's own. */
export function shopServices({ objects }: World): readonly Service[] {
  return objects(services).filter(({ metadata }) => metadata.namespace === NAMESPACE);
}
