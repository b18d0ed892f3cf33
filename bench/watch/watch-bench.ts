import { join } from 'node:path';
import { buildGo } from '../../scripts/go-build.ts';
import type { Bench, Figures, Progress } from '../bench.ts';
import { measure, nodeProgram, type Program, withServer } from '../child-process.ts';
import { median, quotients, rounded } from '../statistics.ts';

const OBJECTS_OF_EACH_KIND = 10_000;
const ENDPOINTS_PER_SLICE = 10;
const ROUNDS = 5;

/** What one side needed to fill its caches. */
interface Run {
  readonly eventsPerCpuSecond: number;
  readonly retainedMegabytes: number;
  readonly wallSeconds: number;
}

export const watchBench: Bench = {
  name: 'watch',
  description: '10k Services and 10k EndpointSlices into our caches, beside the informers of client-go with JSON',
  targets: [
    {
      figure: 'eventsPerCpuSecondRatio',
      atLeast: 3,
      why: 'our caches should take in at least three times as many events per second of processor time as client-go',
    },
    {
      figure: 'retainedHeapRatio',
      atMost: 0.6,
      why: 'our caches should need at most 0.6 times the memory of those of client-go for the same objects',
    },
    {
      figure: 'projectedHeapRatio',
      atMost: 0.6,
      why: 'nor more than that where both keep only what is read',
    },
    {
      figure: 'longestSliceMilliseconds',
      atMost: 50,
      why: 'a list must not keep the event loop from renewing a Lease or answering a probe',
    },
    {
      figure: 'longestPagedSliceMilliseconds',
      atMost: 50,
      why: 'nor must a list that comes in pages',
    },
  ],
  run,
};

async function run(progress: Progress): Promise<Figures> {
  const here = import.meta.dirname;
  const peer = await buildGo(
    { name: 'bench-client-go', directory: join(here, '..', 'peers', 'client-go') },
    { report: progress },
  );
  const server = nodeProgram(join(here, 'server.ts'), [String(OBJECTS_OF_EACH_KIND), String(ENDPOINTS_PER_SLICE)]);
  const consumer = (url: string, ...options: string[]) =>
    nodeProgram(join(here, 'consumer.ts'), [url, ...options], ['--expose-gc']);

  return withServer(server, async (url) => {
    const ours: Run[] = [];
    const theirs: Run[] = [];
    const oursProjected: Run[] = [];
    const theirsProjected: Run[] = [];
    const peerParameters = ['-server', url, '-events', String(2 * OBJECTS_OF_EACH_KIND)];
    const events = 2 * OBJECTS_OF_EACH_KIND;
    for (let round = 1; round <= ROUNDS; round += 1) {
      // One after the other on the same server, each going first in turn: whatever slows the machine slows both.
      const sides: [Run[], Program][] = [
        [ours, consumer(url)],
        [theirs, { command: peer, parameters: peerParameters }],
        [oursProjected, consumer(url, '--projected')],
        [theirsProjected, { command: peer, parameters: [...peerParameters, '-project'] }],
      ];
      for (const [runs, program] of round % 2 === 0 ? sides.reverse() : sides)
        runs.push(await runSide(program, events));
      progress(`round ${round} of ${ROUNDS}: ours ${describeRun(ours)}; client-go ${describeRun(theirs)}`);
      const projected = `ours ${describeRun(oursProjected)}; client-go ${describeRun(theirsProjected)}`;
      progress(`round ${round} of ${ROUNDS}, with projections: ${projected}`);
    }
    const streamed = await measure(consumer(url, '--slices'));
    const paged = await measure(consumer(`${url}/pages`, '--slices'));
    const ratio = (figure: (run: Run) => number) => median(quotients(ours.map(figure), theirs.map(figure)));
    return {
      eventsPerCpuSecond: Math.round(median(ours.map((one) => one.eventsPerCpuSecond))),
      peerEventsPerCpuSecond: Math.round(median(theirs.map((one) => one.eventsPerCpuSecond))),
      eventsPerCpuSecondRatio: rounded(ratio((one) => one.eventsPerCpuSecond)),
      retainedMegabytes: rounded(median(ours.map((one) => one.retainedMegabytes))),
      peerRetainedMegabytes: rounded(median(theirs.map((one) => one.retainedMegabytes))),
      retainedHeapRatio: rounded(ratio((one) => one.retainedMegabytes)),
      projectedEventsPerCpuSecond: Math.round(median(oursProjected.map((one) => one.eventsPerCpuSecond))),
      peerProjectedEventsPerCpuSecond: Math.round(median(theirsProjected.map((one) => one.eventsPerCpuSecond))),
      projectedMegabytes: rounded(median(oursProjected.map((one) => one.retainedMegabytes))),
      peerProjectedMegabytes: rounded(median(theirsProjected.map((one) => one.retainedMegabytes))),
      projectedHeapRatio: rounded(
        median(
          quotients(
            oursProjected.map((one) => one.retainedMegabytes),
            theirsProjected.map((one) => one.retainedMegabytes),
          ),
        ),
      ),
      wallSeconds: rounded(median(ours.map((one) => one.wallSeconds))),
      peerWallSeconds: rounded(median(theirs.map((one) => one.wallSeconds))),
      longestSliceMilliseconds: rounded(streamed['longestSliceMilliseconds'] ?? Number.NaN),
      longestPagedSliceMilliseconds: rounded(paged['longestSliceMilliseconds'] ?? Number.NaN),
    };
  });
}

async function runSide(program: Program, events: number): Promise<Run> {
  const figures = await measure(program);
  const { events: seen, objects, cpuSeconds, wallSeconds = Number.NaN, retainedBytes = Number.NaN } = figures;
  if (seen !== events || objects !== events || cpuSeconds === undefined) {
    throw new Error(`${program.command} took in ${seen} events and keeps ${objects} objects, not ${events}`);
  }
  return { eventsPerCpuSecond: events / cpuSeconds, retainedMegabytes: retainedBytes / 1e6, wallSeconds };
}

function describeRun(runs: readonly Run[]): string {
  const last = runs.at(-1);
  if (last === undefined) return 'nothing yet';
  return `${Math.round(last.eventsPerCpuSecond)} events per CPU-second, ${rounded(last.retainedMegabytes)} MB`;
}
