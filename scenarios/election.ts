import {
  type HttpTransport,
  type Random,
  randomInteger,
  randomPick,
  readText,
  silentLogger,
  sleep,
  withDeadline,
} from '@fairlead/control';
import { Election, KubeClient, type Leadership, leases, namespaces } from '@fairlead/kube';
import {
  type Incarnation,
  ROUGH_DISTURBANCES,
  ROUGH_RATES,
  type Scenario,
  type SimulatedProcess,
  type Timed,
} from '@fairlead/sim';
import { EpochAgent } from './epoch-agent.ts';
import { type Cluster, connectToKubernetes, KUBE, serveKubernetes } from './kubernetes.ts';

type Happening =
  | { readonly kind: 'delete-lease' }
  /** Asked to stop, as by a rolling update, and started again after so long. */
  | { readonly kind: 'restart'; readonly candidate: string; readonly milliseconds: number };

/** A leadership that a replica was given. */
interface Reign {
  readonly incarnation: Incarnation;
  readonly leadership: Leadership;
}

interface World extends Cluster {
  readonly agent: EpochAgent;
  readonly candidates: ReadonlyMap<string, SimulatedProcess>;
  readonly throne: Throne;
  readonly later: (milliseconds: number, callback: () => void) => void;
}

const CANDIDATES = ['candidate-1', 'candidate-2', 'candidate-3'];
const AGENT = 'agent';
const LEASE = { namespace: 'fairlead', name: 'leader' };
const LEASE_MILLISECONDS = 15_000;
const EPOCH_ANNOTATION = 'fairlead.dev/epoch';
/** At which the clocks of candidates run from the beginning: the margin of the Lease is needed only by those at odds. */
const DRIFTS = [0.96, 1, 1.04];
/** Longer than any request is on its way, so that none arrives after its deadline. */
const ORDER_DEADLINE_MILLISECONDS = 5000;
const ORDER_EVERY_MILLISECONDS = 1000;

/** A Lease that was deleted in the hands of a leader. */
interface Deposition {
  /** Until when the leader may go on without noticing. */
  readonly until: number;
  /** The candidates that had seen the Lease, or may have made it: they have to wait for that. */
  readonly witnesses: ReadonlySet<Incarnation>;
}

/** Who leads, as nobody in the simulated world can know it. */
class Throne {
  readonly #monotonic: () => number;
  #reigns: readonly Reign[] = [];
  #latestEpoch = 0;
  /** By the epoch. */
  readonly #deposed = new Map<number, Deposition>();
  /** The candidates that know of the Lease there is. */
  readonly #witnesses = new Set<Incarnation>();
  #complaint: string | undefined;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  begin(reign: Reign): void {
    const { epoch } = reign.leadership;
    if (epoch <= this.#latestEpoch) this.#complain(`${nameOf(reign)} begins after epoch ${this.#latestEpoch} began`);
    this.#latestEpoch = Math.max(this.#latestEpoch, epoch);
    this.#reigns = [...this.current, reign];
  }

  /**
   * Nobody can keep a candidate that never saw a Lease from taking it when it is gone: its holder is told apart by its
   * epoch alone. The holder may not have heard yet that it leads.
   */
  leaseDeleted(epoch: number): void {
    const deposition = { until: this.#monotonic() + LEASE_MILLISECONDS, witnesses: new Set(this.#witnesses) };
    // One whose own Lease was deleted before that does not count on this one.
    const reigning = this.#reigns.map(({ leadership }) => leadership.epoch).filter((of) => !this.#deposed.has(of));
    for (const deposed of [...reigning, epoch]) this.#deposed.set(deposed, deposition);
  }

  /** A candidate has seen the Lease, or may have made it; or has seen that there is none. */
  witness(incarnation: Incarnation, sees: 'a Lease' | 'no Lease'): void {
    if (sees === 'a Lease') this.#witnesses.add(incarnation);
    else this.#witnesses.delete(incarnation);
  }

  /** An order has arrived. */
  order(epoch: number): void {
    if (epoch >= this.#latestEpoch || this.#deposed.has(epoch)) return;
    this.#complain(`an order of epoch ${epoch} arrives after ${this.#latestEpoch} began`);
  }

  /** Those who count on leading; one that is paused does so, too, when it goes on. */
  get current(): readonly Reign[] {
    return this.#reigns.filter(({ incarnation, leadership }) => incarnation.alive && leadership.covers(0));
  }

  /** What is wrong, if anything. */
  get complaint(): string | undefined {
    const [newest, ...older] = this.current.toReversed();
    const other = older.find((reign) => newest !== undefined && !this.#mayOverlap(reign, newest));
    if (other !== undefined && newest !== undefined)
      this.#complain(`${nameOf(other)} and ${nameOf(newest)} lead at once`);
    return this.#complaint;
  }

  #mayOverlap(older: Reign, newer: Reign): boolean {
    const deposition = this.#deposed.get(older.leadership.epoch);
    if (deposition === undefined || deposition.until < this.#monotonic()) return false;
    return !deposition.witnesses.has(newer.incarnation);
  }

  #complain(what: string): void {
    this.#complaint ??= what;
  }
}

const nameOf = ({ incarnation, leadership }: Reign) =>
  `${incarnation.name} (life ${incarnation.number}, epoch ${leadership.epoch})`;

/** A careless candidate asks nobody whether it still leads before it gives an order. */
type Habit = 'careful' | 'careless';

/** Candidates for one Lease, each of which orders an agent about for as long as it leads. */
export function electionScenario(habit: Habit = 'careful'): Scenario<World, Happening> {
  return {
    name: 'election',
    description:
      'whatever happens to a Lease and its candidates, an epoch has one leader and nobody writes after a loss',
    minutes: 5,
    convergesWithinMinutes: 2,
    faults: [{ rates: { ...ROUGH_RATES, crash: 0.003 } }],
    disturbances: {
      perMinute: {
        ...ROUGH_DISTURBANCES,
        pause: 1,
        'clock-jump': 0.5,
        partition: 0.7,
        refusal: 0.5,
        suspend: 0.7,
        drift: 0.7,
      },
      processes: CANDIDATES,
      servers: [KUBE, AGENT],
      longestMilliseconds: 40_000,
    },
    actions: drawHappenings,
    async build(simulation) {
      const throne = new Throne(() => simulation.clock.monotonic());
      const agent = new EpochAgent((epoch) => throne.order(epoch));
      simulation.serve(AGENT, agent);
      const cluster = serveKubernetes(simulation);
      await cluster.editor.create(namespaces, { metadata: { name: LEASE.namespace } });
      const drifts = simulation.random('drifts');
      const candidates = CANDIDATES.map((name) => {
        const process = simulation.process(name, (incarnation) => runCandidate(throne, incarnation, habit));
        process.drift(randomPick(drifts, DRIFTS));
        return [name, process] as const;
      });
      const later = (milliseconds: number, callback: () => void) =>
        simulation.at(simulation.clock.monotonic() + milliseconds, callback);
      return { ...cluster, agent, throne, candidates: new Map(candidates), later };
    },
    apply,
    describe: (happening) =>
      happening.kind === 'restart'
        ? `restart ${happening.candidate}, ${happening.milliseconds} ms apart`
        : 'delete the Lease',
    invariants: ({ throne }) => [{ name: 'one leader', check: () => throne.complaint }],
    unfinished,
  };
}

function drawHappenings(random: Random, milliseconds: number): readonly Timed<Happening>[] {
  const count = randomInteger(random, 0, 6);
  return Array.from({ length: count }, () => {
    const restart = { kind: 'restart', candidate: randomPick(random, CANDIDATES) } as const;
    const event = random.next() < 0.5 ? { ...restart, milliseconds: randomInteger(random, 10, 20_000) } : DELETION;
    return { at: randomInteger(random, 0, milliseconds), event };
  });
}

const DELETION = { kind: 'delete-lease' } as const;

async function apply(world: World, happening: Happening): Promise<void> {
  if (happening.kind === 'delete-lease') {
    const lease = await world.editor.find(leases, LEASE);
    if (lease === undefined) return;
    await world.editor.delete(leases, LEASE);
    world.throne.leaseDeleted(Number(lease.metadata.annotations?.[EPOCH_ANNOTATION] ?? 0));
    return;
  }
  const process = world.candidates.get(happening.candidate);
  process?.stop();
  world.later(happening.milliseconds, () => process?.start());
}

async function unfinished({ editor, agent, throne }: World): Promise<string | undefined> {
  const [reign, ...others] = throne.current;
  if (reign === undefined || others.length > 0) return `${others.length} lead`;
  const { epoch } = reign.leadership;
  const lease = await editor.find(leases, LEASE);
  if (lease?.spec?.holderIdentity?.startsWith(`${reign.incarnation.name}_`) !== true) {
    return `${nameOf(reign)} leads, and the Lease is held by ${lease?.spec?.holderIdentity ?? 'nobody'}`;
  }
  return agent.highestEpoch === epoch ? undefined : `${nameOf(reign)} has not reached the agent`;
}

async function runCandidate(throne: Throne, incarnation: Incarnation, habit: Habit): Promise<void> {
  const agent = incarnation.connect(AGENT);
  const { clock, random, name, signal } = incarnation;
  const election = new Election({
    client: new KubeClient(
      connectToKubernetes(incarnation, (transport) => witnessing(transport, throne, incarnation)),
      clock,
    ),
    clock,
    random,
    logger: silentLogger,
    lease: LEASE,
    durationMilliseconds: LEASE_MILLISECONDS,
    name,
  });
  await election.run(signal, async (leadership) => {
    throne.begin({ incarnation, leadership });
    while (!leadership.signal.aborted) {
      if (habit === 'careless' || leadership.covers(ORDER_DEADLINE_MILLISECONDS))
        await giveOrder(incarnation, agent, leadership);
      await sleep(clock, ORDER_EVERY_MILLISECONDS, leadership.signal);
    }
  });
}

/** Notes what the candidate gets to know of the Lease: a body counts when it has arrived to its end. */
function witnessing(transport: HttpTransport, throne: Throne, incarnation: Incarnation): HttpTransport {
  async function* toItsEnd(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* body;
    throne.witness(incarnation, 'a Lease');
  }
  return {
    async send(request) {
      try {
        const response = await transport.send(request);
        if (request.method === 'GET' && response.status === 404) throne.witness(incarnation, 'no Lease');
        return response.status < 300 ? { ...response, body: toItsEnd(response.body) } : response;
      } finally {
        if (request.method === 'POST') throne.witness(incarnation, 'a Lease');
      }
    },
  };
}

async function giveOrder({ clock }: Incarnation, agent: HttpTransport, { epoch, signal }: Leadership): Promise<void> {
  const deadline = { name: `order ${epoch}`, milliseconds: ORDER_DEADLINE_MILLISECONDS };
  const order = { method: 'PUT', url: `http://agent/${epoch}`, headers: {} } as const;
  const send = async (within: AbortSignal) => readText(await agent.send({ ...order, signal: within }));
  await withDeadline(clock, deadline, signal, send).catch(() => {});
}
