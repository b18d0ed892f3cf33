import {
  type Clock,
  type HttpRequest,
  type HttpResponse,
  type HttpTransport,
  type Random,
  randomInteger,
  randomPick,
  silentLogger,
  sleep,
} from '@fairlead/control';
import { addressDeskPart } from '@fairlead/examples/address-desk';
import { isNotFound, keyText, namespaces, type Service, services } from '@fairlead/kube';
import { type LeaderPart, writesOf } from '@fairlead/part';
import { type Invariant, ROUGH_DISTURBANCES, ROUGH_RATES, type Scenario, type Timed } from '@fairlead/sim';
import { type Cluster, KUBE, serveKubernetes } from './kubernetes.ts';
import { LEASE_NAMESPACE, runReplica } from './replica.ts';

const NAMESPACE = 'shop';
const DESK = 'desk';
const REPLICAS = ['replica-1', 'replica-2'];
const CLASS = 'fairlead.dev/address-desk';
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const { duplicate: _, ...deskRates } = ROUGH_RATES;

/** A lease of another cluster. */
const FOREIGN = { uid: 'of-others', cluster: 'another-cluster', address: '198.51.100.1' };

/** What a user does. */
type Edit =
  | { readonly kind: 'create'; readonly name: string; readonly family: 'IPv4' | 'IPv6'; readonly isOurs: boolean }
  | { readonly kind: 'type'; readonly name: string; readonly type: 'LoadBalancer' | 'ClusterIP' }
  | { readonly kind: 'delete'; readonly name: string }
  /** The desk loses a lease, as when an operator deletes it there. */
  | { readonly kind: 'lose-lease'; readonly name: string };

interface World extends Cluster {
  readonly part: LeaderPart;
  readonly desk: Desk;
}

/** The part of docs/a-new-part.md in two replicas, a desk that takes its time, and users who edit Services. */
export const addressDesk: Scenario<World, Edit> = {
  name: 'address-desk',
  description: 'the part of docs/a-new-part.md leaks no lease and loses no Service, whatever happens to both',
  minutes: 4,
  convergesWithinMinutes: 12,
  faults: [
    // To be told twice what was undone meanwhile is more than a program can guard against.
    { matches: ({ server }) => server === DESK, rates: { ...deskRates, crash: 0.004 } },
    { rates: { ...ROUGH_RATES, crash: 0.004 } },
  ],
  disturbances: {
    perMinute: ROUGH_DISTURBANCES,
    processes: REPLICAS,
    servers: [KUBE, DESK],
    longestMilliseconds: 40_000,
  },
  actions: (random, milliseconds) =>
    Array.from({ length: 30 }, () => ({ at: randomInteger(random, 0, milliseconds), event: drawEdit(random) })),
  build,
  apply,
  describe: (edit) => `${edit.kind} ${edit.name}`,
  invariants,
  unfinished,
  rest: { minutes: 25, allows: ({ name }) => name.includes('leases') || name.includes('events') },
  leaked: ({ desk, objects }) => {
    const uids = new Set(
      objects(services)
        .filter(isOurs)
        .map(({ metadata }) => metadata.uid),
    );
    return desk.leases
      .filter(({ uid }) => uid !== FOREIGN.uid && !uids.has(uid))
      .map(({ uid }) => `the lease of ${uid}`);
  },
  lost: ({ objects }) =>
    objects(services)
      .filter((service) => isOurs(service) && wantsIpv4(service) && ingressOf(service).length === 0)
      .map((service) => `the address of ${keyText(service.metadata)}`),
};

/** The same without faults: the crash matrix kills a replica at each of the calls that these edits cause. */
export const addressDeskCrash: Scenario<World, Edit> = {
  ...addressDesk,
  name: 'address-desk-crash',
  description: 'one replica of the part of docs/a-new-part.md is killed before and after each of its calls',
  minutes: 2,
  faults: [],
  disturbances: { perMinute: {}, processes: REPLICAS, servers: [KUBE, DESK], longestMilliseconds: 0 },
  isCrashPoint: ({ name, ordinal }) => !name.includes('leases') || ordinal <= 3,
  actions: () =>
    [
      { at: 1_000, event: { kind: 'create', name: 'a', family: 'IPv4', isOurs: true } },
      { at: 2_000, event: { kind: 'create', name: 'b', family: 'IPv6', isOurs: true } },
      { at: 3_000, event: { kind: 'create', name: 'c', family: 'IPv4', isOurs: true } },
      { at: 20_000, event: { kind: 'type', name: 'b', type: 'ClusterIP' } },
      { at: 25_000, event: { kind: 'type', name: 'c', type: 'ClusterIP' } },
      { at: 50_000, event: { kind: 'delete', name: 'a' } },
    ] satisfies readonly Timed<Edit>[],
};

async function build(simulation: Parameters<typeof serveKubernetes>[0]): Promise<World> {
  const cluster = serveKubernetes(simulation);
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await cluster.editor.create(namespaces, { metadata: { name } });
  const desk = new Desk(simulation.clock);
  simulation.serve(DESK, desk);
  const configuration = { endpoint: `https://${DESK}` };
  for (const name of REPLICAS) {
    simulation.process(name, (incarnation) => {
      const part = addressDeskPart(incarnation.connect(DESK));
      return runReplica(part.name, part.configure(configuration), incarnation);
    });
  }
  const direct: HttpTransport = { send: async (request) => desk.answer(request) };
  return { ...cluster, desk, part: addressDeskPart(direct).configure(configuration) };
}

interface Lease {
  readonly uid: string;
  readonly cluster: string;
  readonly address: string;
}

/** Leases out addresses, the same one again to the same UID; a lease takes it two seconds. */
class Desk implements HttpTransport {
  readonly #clock: Clock;
  readonly #leases = new Map<string, Lease>([[FOREIGN.uid, FOREIGN]]);
  #given = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get leases(): readonly Lease[] {
    return [...this.#leases.values()];
  }

  lose(uid: string): void {
    this.#leases.delete(uid);
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    if (request.method !== 'GET') await sleep(this.#clock, 2_000);
    return this.answer(request);
  }

  answer({ method, url, body = '{}' }: HttpRequest): HttpResponse {
    const uid = decodeURIComponent(new URL(url).pathname.split('/')[2] ?? '');
    if (uid === '') return respond(200, this.leases);
    if (method === 'PUT' && !this.#leases.has(uid)) {
      const { cluster } = JSON.parse(body);
      this.#given += 1;
      this.#leases.set(uid, { uid, cluster, address: `198.51.100.${(this.#given % 200) + 10}` });
    }
    const found = this.#leases.get(uid);
    if (method === 'DELETE') this.#leases.delete(uid);
    return found === undefined ? respond(404, { error: 'no such lease' }) : respond(200, found);
  }
}

function respond(status: number, body: object): HttpResponse {
  const text = Buffer.from(JSON.stringify(body));
  return {
    status,
    headers: {},
    body: (async function* () {
      yield text;
    })(),
  };
}

function drawEdit(random: Random): Edit {
  const name = randomPick(random, NAMES);
  const luck = random.next();
  if (luck < 0.5) {
    return { kind: 'create', name, family: random.next() < 0.8 ? 'IPv4' : 'IPv6', isOurs: random.next() < 0.85 };
  }
  if (luck < 0.65) return { kind: 'type', name, type: random.next() < 0.5 ? 'ClusterIP' : 'LoadBalancer' };
  return luck < 0.9 ? { kind: 'delete', name } : { kind: 'lose-lease', name };
}

async function apply({ editor, desk }: World, edit: Edit): Promise<void> {
  const key = { namespace: NAMESPACE, name: edit.name };
  const found = await editor.find(services, key);
  if (edit.kind === 'create') {
    const loadBalancerClass = edit.isOurs ? CLASS : 'example.com/other';
    const spec = { type: 'LoadBalancer', loadBalancerClass, ipFamilies: [edit.family], ports: [{ port: 80 }] } as const;
    if (found === undefined) await editor.create<Service>(services, { metadata: key, spec });
    return;
  }
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
  if (edit.kind === 'lose-lease') return desk.lose(found.metadata.uid ?? '');
  try {
    if (edit.kind === 'delete') await editor.delete(services, key);
    else if (edit.type !== found.spec.type) {
      const loadBalancerClass = edit.type === 'LoadBalancer' ? CLASS : null;
      await editor.patchMerge<Service>(services, key, { spec: { type: edit.type, loadBalancerClass } });
    }
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function isOurs({ spec }: Service): boolean {
  return spec.type === 'LoadBalancer' && spec.loadBalancerClass === CLASS;
}

function wantsIpv4({ spec }: Service): boolean {
  return spec.ipFamilies?.includes('IPv4') ?? true;
}

function ingressOf({ status }: Service) {
  return status?.loadBalancer?.ingress ?? [];
}

function invariants({ desk, objects }: World): readonly Invariant[] {
  return [
    {
      name: 'no lease without a Service that we hold',
      check() {
        const held = objects(services).filter(({ metadata }) => metadata.finalizers?.includes(CLASS));
        const uids = new Set(held.map(({ metadata }) => metadata.uid));
        const stray = desk.leases.find(({ uid }) => uid !== FOREIGN.uid && !uids.has(uid));
        return stray === undefined ? undefined : `the lease of ${stray.uid} has no Service that holds it`;
      },
    },
    {
      name: 'what is of others stays',
      check() {
        if (!desk.leases.includes(FOREIGN)) return 'the lease of another cluster is gone';
        const touched = objects(services).find(
          ({ spec, metadata }) => spec.loadBalancerClass === 'example.com/other' && metadata.finalizers !== undefined,
        );
        return touched === undefined ? undefined : `${keyText(touched.metadata)} is of another class, and was touched`;
      },
    },
  ];
}

async function unfinished(world: World): Promise<string | undefined> {
  const leaving = world.objects(services).find(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (leaving !== undefined) return `${keyText(leaving.metadata)} is still being deleted`;
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
