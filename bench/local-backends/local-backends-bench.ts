import { seededRandom } from '@fairlead/control';
import type { Bench, Figures, Progress } from '../bench.ts';
import { startOurs } from './ours.ts';
import { startPeer } from './peer.ts';
import type { AzureHabits } from './emulated-azure.ts';
import { rollingRestart, type RestartShape, type RollingRestart } from './rolling-restart.ts';
import { INTERVAL_MILLISECONDS, playRestart, playThrottling } from './side.ts';

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

/** What Azure is like, beside answers after 0.1 s: a row of figures for each. */
const ROWS = {
  AtWritesOf0s: {},
  AtWritesOf1s: { writeMilliseconds: 1_000 },
  AtWritesOf2s: { writeMilliseconds: 2_000 },
  AtWritesOf5s: { writeMilliseconds: 5_000 },
  WithBuckets: { hasBuckets: true },
} as const satisfies Readonly<Record<string, AzureHabits>>;

/**
 * Where writes take no time, a pool that changes all the time waits for half an interval in the median, on the tick and
 * off it: each is written once in an interval, and changes come at any moment of it. That is 15 s and a call on our side;
 * the tick comes out up to 2 % below, as it writes first what has waited longest, and takes along what comes meanwhile.
 */
const HALF_AN_INTERVAL = 1.02;
const slowerAtMost = (habits: AzureHabits) => (habits.writeMilliseconds === undefined ? HALF_AN_INTERVAL : 1);

const LATENCY_KINDS = ['Quiet', 'Busy', 'All'] as const;
type LatencyKind = (typeof LATENCY_KINDS)[number];

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
  progress('setting up 500 Services with our part, in virtual time');
  const ours = await startOurs(restart, SHAPE);
  progress('replacing 5,000 pods: ours');
  const own = await playRestart(ours, restart);
  progress('replacing 5,000 pods: the peer');
  const theirs = await playRestart(await startPeer(restart), restart);
  const rows: Record<string, number> = {};
  for (const [row, habits] of Object.entries(ROWS))
    Object.assign(rows, await latencyRow(restart, row, habits, progress));
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

/** Medians of quiet pools, of busy ones and of all changes: by default, on the tick alone, and with the peer. */
async function latencyRow(
  restart: RollingRestart,
  row: string,
  habits: AzureHabits,
  progress: Progress,
): Promise<Figures> {
  const sides = {
    own: () => startOurs(restart, SHAPE, habits),
    tick: () => startOurs(restart, SHAPE, { ...habits, leadingEdge: false }),
    peer: () => startPeer(restart, habits),
  };
  const figures: Record<string, number> = {};
  for (const [side, start] of Object.entries(sides)) {
    progress(`replacing 5,000 pods, ${row}: ${side}`);
    const { quiet, busy, all, missing } = await playRestart(await start(), restart);
    figures[`${side}QuietSeconds${row}`] = medianSeconds(quiet);
    figures[`${side}BusySeconds${row}`] = medianSeconds(busy);
    figures[`${side}AllSeconds${row}`] = medianSeconds(all);
    figures[`${side}Missing${row}`] = missing;
  }
  const toTick = (own: LatencyKind, tick: LatencyKind) =>
    rounded((figures[`own${own}Seconds${row}`] ?? Number.NaN) / (figures[`tick${tick}Seconds${row}`] ?? Number.NaN));
  figures[`ownToTick${row}`] = Math.max(...LATENCY_KINDS.map((kind) => toTick(kind, kind)));
  figures[`ownQuietToTickAll${row}`] = toTick('Quiet', 'All');
  return figures;
}

function medianSeconds(milliseconds: readonly number[]): number {
  const sorted = milliseconds.toSorted((left, right) => left - right);
  return rounded((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN) / 1000);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
