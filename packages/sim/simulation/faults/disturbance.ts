import { type Random, randomInteger, randomPick } from '@fairlead/control';

/** What befalls a whole process or everything between two sides, for a while. Plain data, as a fault is. */
export type Disturbance =
  | { readonly kind: 'crash'; readonly process: string; readonly milliseconds: number }
  | { readonly kind: 'pause'; readonly process: string; readonly milliseconds: number }
  /** The machine sleeps: as a pause, but monotonic time stands still meanwhile. */
  | { readonly kind: 'suspend'; readonly process: string; readonly milliseconds: number }
  /** From now on, so many milliseconds of the process pass in one of the world. */
  | { readonly kind: 'drift'; readonly process: string; readonly rate: number }
  /** Moves the wall clock of the process by so much, forwards or backwards. */
  | { readonly kind: 'clock-jump'; readonly process: string; readonly milliseconds: number }
  /** Nothing gets through, and what is open falls silent. */
  | { readonly kind: 'partition'; readonly process: string; readonly server: string; readonly milliseconds: number }
  /** All connections break. */
  | { readonly kind: 'reset'; readonly process: string; readonly server: string }
  /** Every call is turned down: an outage (503), a throttle (429), an expired token (401). */
  | {
      readonly kind: 'refusal';
      readonly process: string;
      readonly server: string;
      readonly status: number;
      readonly retryAfterSeconds?: number;
      readonly milliseconds: number;
    };

export type DisturbanceKind = Disturbance['kind'];

/** How often each kind happens, in times per virtual minute. */
export type DisturbanceRates = Readonly<Partial<Record<DisturbanceKind, number>>>;

/** What befalls which processes, and how often. */
export interface DisturbancePlan {
  readonly perMinute: DisturbanceRates;
  readonly processes: readonly string[];
  readonly servers: readonly string[];
  /** The longest that one of them lasts, and the farthest that a clock jumps; 30 s unless told otherwise. */
  readonly longestMilliseconds?: number;
}

/** Machines on a bad day; scenarios that have a reason to differ say in what. */
export const ROUGH_DISTURBANCES: DisturbanceRates = {
  crash: 0.5,
  pause: 0.5,
  'clock-jump': 0.3,
  partition: 0.4,
  reset: 0.5,
  refusal: 0.3,
  suspend: 0.3,
  drift: 0.3,
};

/** Something with a time, in virtual milliseconds since the start. */
export interface Timed<Event> {
  readonly at: number;
  readonly event: Event;
}

const DEFAULT_LONGEST_MILLISECONDS = 30_000;
/** In the order in which they are drawn: a new one comes last, so that seeds keep what they had. */
const KINDS: readonly DisturbanceKind[] = [
  'crash',
  'pause',
  'clock-jump',
  'partition',
  'reset',
  'refusal',
  'suspend',
  'drift',
];
/** By how much the clocks of a process run faster or slower than true time, at worst. */
const LARGEST_DRIFT = 0.04;
const REFUSALS = [401, 429, 500, 503] as const;

/** Disturbances for a run of this length; which kinds there are differs from seed to seed. */
export function drawDisturbances(random: Random, plan: DisturbancePlan, milliseconds: number): Timed<Disturbance>[] {
  const drawn: Timed<Disturbance>[] = [];
  for (const kind of KINDS) {
    // One on average over all seeds.
    const factor = random.next() < 0.5 ? 0 : 1.48 * 4 ** (2 * random.next() - 1);
    const expected = ((plan.perMinute[kind] ?? 0) * factor * milliseconds) / 60_000;
    const count = Math.floor(expected) + (random.next() < expected % 1 ? 1 : 0);
    for (let number = 0; number < count; number += 1) {
      const at = randomInteger(random, 0, milliseconds);
      drawn.push({ at, event: drawDisturbance(random, kind, plan) });
    }
  }
  return drawn;
}

function drawDisturbance(random: Random, kind: DisturbanceKind, plan: DisturbancePlan): Disturbance {
  const longest = plan.longestMilliseconds ?? DEFAULT_LONGEST_MILLISECONDS;
  const process = randomPick(random, plan.processes);
  // As many short ones as long ones.
  const milliseconds = Math.floor(longest ** random.next());
  switch (kind) {
    case 'crash':
    case 'pause':
    case 'suspend':
      return { kind, process, milliseconds };
    case 'drift':
      return { kind, process, rate: 1 + LARGEST_DRIFT * randomPick(random, [-1, -0.5, 0.5, 1]) };
    case 'clock-jump':
      return { kind, process, milliseconds: random.next() < 0.5 ? milliseconds : -milliseconds };
    case 'partition':
      return { kind, process, server: randomPick(random, plan.servers), milliseconds };
    case 'reset':
      return { kind, process, server: randomPick(random, plan.servers) };
    case 'refusal': {
      const server = randomPick(random, plan.servers);
      const status = randomPick(random, REFUSALS);
      const refusal = { kind, process, server, status, milliseconds };
      return status === 429 ? { ...refusal, retryAfterSeconds: randomInteger(random, 1, 5) } : refusal;
    }
  }
}

/** The disturbance in a few words. */
export function describeDisturbance(disturbance: Disturbance): string {
  const { kind, process } = disturbance;
  switch (kind) {
    case 'crash':
      return `${process} crashes, back after ${disturbance.milliseconds} ms`;
    case 'pause':
      return `${process} pauses for ${disturbance.milliseconds} ms`;
    case 'suspend':
      return `${process} is suspended for ${disturbance.milliseconds} ms`;
    case 'drift':
      return `${process} has clocks that run at ${disturbance.rate}`;
    case 'clock-jump':
      return `${process} has its clock moved by ${disturbance.milliseconds} ms`;
    case 'partition':
      return `${process} cannot reach ${disturbance.server} for ${disturbance.milliseconds} ms`;
    case 'reset':
      return `${process} loses its connections to ${disturbance.server}`;
    case 'refusal':
      return `${process} hears ${disturbance.status} from ${disturbance.server} for ${disturbance.milliseconds} ms`;
  }
}
