import { readFile } from 'node:fs/promises';
import type { Progress } from '../bench.ts';
import { median, rounded } from '../statistics.ts';
import type { Load, LoadGenerator, LoadOptions } from './load.ts';
import type { NameServer } from './name-server.ts';

const ROUNDS = 7;
const SECONDS = 2;
const WARM_UP_SECONDS = 3;
/** What the generator, and two servers, get done on two cores without waiting for each other: a part of what one bears. */
const PART_OF_MOST = 0.2;

/** One process, and two that share a port: all of them new, so that none is ahead of the others. */
export interface Processes {
  readonly one: NameServer;
  readonly two: readonly [NameServer, NameServer];
}

interface TwoProcesses {
  /** Queries for each second of processor time, against those of one process: as fast as they answer, on all cores. */
  readonly busyRatio: number;
  /** At the same queries per second for each process, on all cores. */
  readonly sameLoadRatio: number;
  /** All of them on one core, which two have to take turns on: the worst place for a second one. */
  readonly oneCoreRatio: number;
  readonly memoryRatio: number;
}

/** What two processes do together for each second of processor time, and what they take, against one: taking turns. */
export async function compareProcesses(
  { one, two }: Processes,
  queryFile: string,
  generator: LoadGenerator,
  progress: Progress,
): Promise<TwoProcesses> {
  const ask = (servers: readonly NameServer[], options: Partial<LoadOptions> = {}) =>
    generator.ask(servers, { queryFile, seconds: SECONDS, ...options });
  await ask([one], { seconds: WARM_UP_SECONDS });
  // Each of the two gets half of the queries.
  await ask(two, { seconds: 2 * WARM_UP_SECONDS });
  const perSecond = PART_OF_MOST * (await ask([one])).queriesPerSecond;
  const busy: number[] = [];
  const sameLoad: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const quotient = (measure: Measure) => quotientOf(round, { one, two }, measure);
    busy.push(await quotient((servers) => ask(servers)));
    sameLoad.push(await quotient((servers) => ask(servers, { perSecond: perSecond * servers.length })));
    memory.push((await megabytesOf(two)) / (await megabytesOf([one])));
  }
  const [cpu = 0, ...others] = await allowedCpus();
  for (const server of [one, ...two]) await server.runOn(String(cpu));
  const cpus = others.length === 0 ? String(cpu) : others.join(',');
  const oneCore: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    oneCore.push(await quotientOf(round, { one, two }, (servers) => ask(servers, { cpus })));
  }
  const all = Object.entries({ busy, sameLoad, oneCore, memory });
  progress(`two processes: ${all.map(([name, values]) => `${name} ${values.map(rounded).join(' ')}`).join(', ')}`);
  return {
    busyRatio: median(busy),
    sameLoadRatio: median(sameLoad),
    oneCoreRatio: median(oneCore),
    memoryRatio: median(memory),
  };
}

type Measure = (servers: readonly NameServer[]) => Promise<Load>;

/** What two do against one, each going first in turn. */
async function quotientOf(round: number, { one, two }: Processes, measure: Measure): Promise<number> {
  const early = await measure(round % 2 === 0 ? [one] : two);
  const late = await measure(round % 2 === 0 ? two : [one]);
  const [alone, together] = round % 2 === 0 ? [early, late] : [late, early];
  return together.queriesPerCpuSecond / alone.queriesPerCpuSecond;
}

/** What they have in common, as the program itself, counts once. */
async function megabytesOf(servers: readonly NameServer[]): Promise<number> {
  const memories = await Promise.all(servers.map((server) => server.memory()));
  const own = memories.reduce((sum, memory) => sum + memory.own, 0);
  return own + Math.max(...memories.map(({ shared }) => shared));
}

/** By number: those on which this process, and what it starts, may run. */
async function allowedCpus(): Promise<readonly number[]> {
  const status = await readFile('/proc/self/status', 'utf8');
  const ranges = /^Cpus_allowed_list:\s+(\S+)/m.exec(status)?.[1]?.split(',') ?? [];
  return ranges.flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
