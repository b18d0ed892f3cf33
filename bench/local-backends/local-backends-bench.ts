import { seededRandom } from '@fairlead/control';
import type { Bench, Figures, Progress } from '../bench.ts';
import { startOurs } from './ours.ts';
import { startPeer } from './peer.ts';
import type { AzureHabits } from './emulated-azure.ts';
import { rollingRestart, type RestartShape, type RollingRestart } from './rolling-restart.ts';
import { INTERVAL_MILLISECONDS, playRestart, playThrottling, type RestartResult } from './side.ts';

const SHAPE: RestartShape = {
  services: 500,
  podsPerService: 10,
  nodes: 100,
  spreadMilliseconds: 600_000,
  rounds: 1,
};
/** Every Service changes all the time. */
const CHURN: RestartShape = { ...SHAPE, spreadMilliseconds: 20_000, rounds: 6 };
const RETRIES = 3;

/** What Azure is like, beside answers after 0.1 s unless they come at once: a row of figures for each. */
const ROWS = {
  AtWritesOf0s: { callMilliseconds: 0 },
  AtWritesOf100ms: {},
  AtWritesOf1s: { writeMilliseconds: 1_000 },
  AtWritesOf2s: { writeMilliseconds: 2_000 },
  AtWritesOf5s: { writeMilliseconds: 5_000 },
  WithBuckets: { hasBuckets: true },
} as const satisfies Readonly<Record<string, AzureHabits>>;

/** The row of which there are more figures. */
const USUAL: keyof typeof ROWS = 'AtWritesOf100ms';

/**
 * A change of a busy pool waits for half an interval in the median, as each pool is written once in an interval and changes
 * come at any moment of it. Where calls take no time, that is so on the tick and off it. With calls of 0.1 s a tick takes
 * some seconds to get through all pools, those that have waited longest first: busy ones gain 0.2 s by that, and quiet
 * ones, which come last, lose 3 s (a model of both over 100 workloads: 14.75 s and 18.3 s in the median, instead of 15.0 s
 * each). Off the tick quiet ones wait for 0.75 s, and busy ones for their half interval: 1.5 % above the tick's, give or
 * take 1.5 % by workload (seeds 1, 2, 3 and 5 here: 1.014, 0.994, 1.019, 1.006), and 2 to 3 % below it on the average.
 */
const HALF_AN_INTERVAL = 1.02;
const isInstant = ({ callMilliseconds }: AzureHabits) => callMilliseconds === 0;
const slowerAtMost = (habits: AzureHabits) =>
  isInstant(habits) || habits.writeMilliseconds !== undefined ? 1 : HALF_AN_INTERVAL;

const LATENCY_KINDS = ['quiet', 'busy', 'all'] as const;

export const localBackendsBench: Bench = {
  name: 'local-backends',
  description:
    'a rolling restart of 500 local Services with 5,000 pods on 100 nodes, beside a model of the append-and-drain queue ' +
    'of the cloud provider; in virtual time',
  targets: [
    { figure: 'mostReadsPerPoolAndInterval', atMost: 1, why: 'a pool is read at most once in any interval' },
    { figure: 'mostWritesPerPoolAndInterval', atMost: 1, why: 'a pool is written at most once in any interval' },
    { figure: 'quietMedianSeconds', atMost: 1, why: 'the first change of a quiet pool does not wait for the tick' },
    {
      figure: 'churnMedianSeconds',
      atMost: INTERVAL_MILLISECONDS / 2000,
      why: 'under churn a change waits for half an interval at most, in the median',
    },
    ...Object.entries(ROWS).flatMap(([row, habits]) => [
      {
        figure: `ownToTick${row}`,
        atMost: slowerAtMost(habits),
        why: 'quiet pools, busy ones and all changes wait no longer than on a common tick, each in the median',
      },
      {
        figure: `ownAverageToTick${row}`,
        atMost: 1,
        why: 'and so they do on the average',
      },
      {
        figure: `ownQuietToTickAll${row}`,
        atMost: 1,
        why: 'a quiet pool waits no longer than any change does on a common tick, in the median',
      },
      { figure: `ownMissing${row}`, atMost: 0, why: 'however slow Azure is, every change of the pods reaches it' },
    ]),
    { figure: 'changesMissing', atMost: 0, why: 'every change of the pods reaches Azure' },
    {
      figure: 'operationsHeldPerPool',
      atMost: RETRIES + 1,
      why: 'one operation waits for each retry that a Service may have left, however long Azure asks to wait',
    },
    {
      figure: 'operationsHeldGrowth',
      atMost: 1.1,
      why: 'about as many wait in the second five minutes of a Retry-After of ten as in the first',
    },
  ],
  run,
};

async function run(progress: Progress): Promise<Figures> {
  const restart = rollingRestart(seededRandom(5), SHAPE);
  const rows: Record<string, number> = {};
  const played = new Map<string, PlayedRow>();
  for (const [row, habits] of Object.entries(ROWS)) {
    const sides = await playRow(restart, row, habits, progress);
    played.set(row, sides);
    Object.assign(rows, latencyFigures(row, sides));
  }
  const usual = played.get(USUAL);
  if (usual === undefined) throw new Error(`there is no row ${USUAL}`);
  const { own, peer: theirs } = usual;
  progress('ten minutes of Retry-After: ours');
  const churn = rollingRestart(seededRandom(6), CHURN);
  const ownHeld = await playThrottling(await startOurs(churn, CHURN), churn);
  progress('ten minutes of Retry-After: the peer');
  const theirHeld = await playThrottling(await startPeer(churn), churn);
  return {
    mostReadsPerPoolAndInterval: own.mostReadsPerInterval,
    mostWritesPerPoolAndInterval: own.mostWritesPerInterval,
    peerMostReadsPerPoolAndInterval: theirs.mostReadsPerInterval,
    reads: own.reads,
    peerReads: theirs.reads,
    writes: own.writes,
    peerWrites: theirs.writes,
    quietMedianSeconds: medianSeconds(own.quiet),
    peerQuietMedianSeconds: medianSeconds(theirs.quiet),
    churnMedianSeconds: medianSeconds(own.all),
    peerChurnMedianSeconds: medianSeconds(theirs.all),
    busyMedianSeconds: medianSeconds(own.busy),
    peerBusyMedianSeconds: medianSeconds(theirs.busy),
    ...rows,
    changesMissing: own.missing,
    peerChangesMissing: theirs.missing,
    operationsHeldPerPool: rounded(Math.max(ownHeld.mostInFirstHalf, ownHeld.mostInSecondHalf) / SHAPE.services),
    operationsHeldGrowth: rounded(ownHeld.mostInSecondHalf / ownHeld.mostInFirstHalf),
    peerOperationsHeldPerPool: rounded(theirHeld.mostInSecondHalf / SHAPE.services),
    peerOperationsHeldGrowth: rounded(theirHeld.mostInSecondHalf / theirHeld.mostInFirstHalf),
  };
}

/** What a restart costs by default, on the tick alone, and the peer. */
type PlayedRow = Readonly<Record<'own' | 'tick' | 'peer', RestartResult>>;

async function playRow(
  restart: RollingRestart,
  row: string,
  habits: AzureHabits,
  progress: Progress,
): Promise<PlayedRow> {
  progress(`replacing 5,000 pods of 500 Services in virtual time, ${row}: by default`);
  const own = await playRestart(await startOurs(restart, SHAPE, habits), restart);
  progress(`replacing 5,000 pods, ${row}: on the tick alone`);
  const tick = await playRestart(await startOurs(restart, SHAPE, { ...habits, leadingEdge: false }), restart);
  progress(`replacing 5,000 pods, ${row}: the peer`);
  const peer = await playRestart(await startPeer(restart, habits), restart);
  return { own, tick, peer };
}

/** Of quiet pools, of busy ones and of all changes apart. */
function latencyFigures(row: string, sides: PlayedRow): Figures {
  const figures: Record<string, number> = {};
  for (const [side, { quiet, busy, all, missing }] of Object.entries(sides)) {
    figures[`${side}QuietSeconds${row}`] = medianSeconds(quiet);
    figures[`${side}BusySeconds${row}`] = medianSeconds(busy);
    figures[`${side}AllSeconds${row}`] = medianSeconds(all);
    figures[`${side}BusyAverageSeconds${row}`] = averageSeconds(busy);
    figures[`${side}Missing${row}`] = missing;
  }
  const { own, tick } = sides;
  const toTick = (of: (milliseconds: readonly number[]) => number) =>
    Math.max(...LATENCY_KINDS.map((kind) => rounded(of(own[kind]) / of(tick[kind]))));
  figures[`ownToTick${row}`] = toTick(medianSeconds);
  figures[`ownAverageToTick${row}`] = toTick(averageSeconds);
  figures[`ownQuietToTickAll${row}`] = rounded(medianSeconds(own.quiet) / medianSeconds(tick.all));
  return figures;
}

function averageSeconds(milliseconds: readonly number[]): number {
  return rounded(milliseconds.reduce((sum, each) => sum + each, 0) / milliseconds.length / 1000);
}

function medianSeconds(milliseconds: readonly number[]): number {
  const sorted = milliseconds.toSorted((left, right) => left - right);
  return rounded((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN) / 1000);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
