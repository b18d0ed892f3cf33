import { join } from 'node:path';
import { buildGo } from '../../scripts/go-build.ts';
import { withProgress } from '../../scripts/progress.ts';
import type { Bench, Figures, Progress } from '../bench.ts';
import { measure, nodeProgram, type Program } from '../child-process.ts';
import { median, quotients, rounded, spread } from '../statistics.ts';
import { ARM_BUCKETS } from '../arm-buckets.ts';
import { ADDRESSES_PER_SERVICE } from './world.ts';

/** Numbers of addresses in the world in which one is changed, each with how often on either side. */
const SIZES = [
  { addresses: 5_000, changes: 5_000, peerChanges: 100 },
  { addresses: 50_000, changes: 5_000, peerChanges: 20 },
  { addresses: 500_000, changes: 5_000, peerChanges: 3 },
] as const;
const COMPARED_SIZE = 50_000;
const ROUNDS = 3;

const DELETED_SERVICES = 2_000;
const DELETED_ADDRESSES = DELETED_SERVICES * ADDRESSES_PER_SERVICE;

const BURST_SERVICES = 500;
const BURST_ENDPOINTS = 10;
/** How many operations both engines have under way at once. */
const LANES = 10;
const RESTARTED_SERVICES = 1_000;
/** How long Azure is at a call, wherever it takes time. */
const LATENCY_MILLISECONDS = 50;

/** Two writes for each Service in ten lanes, three calls one after the other that nothing can save, and some room. */
const BURST_MILLISECONDS = 1.15 * ((2 * BURST_SERVICES * LATENCY_MILLISECONDS) / LANES + 3 * LATENCY_MILLISECONDS);

/** With ARM's buckets no client can be faster than the writes are refilled; and some room. */
const BURST_MILLISECONDS_WITH_BUCKETS =
  (1.15 * 1_000 * (2 * BURST_SERVICES - ARM_BUCKETS.writes.size)) / ARM_BUCKETS.writes.refillPerSecond;

export const serviceGatewayBench: Bench = {
  name: 'service-gateway',
  description: 'the diff-tracking engine of the Azure service gateway, beside that of cloud-provider-azure v1.36.5',
  targets: [
    {
      figure: 'changeCpuSpread',
      atMost: 2,
      why: 'one changed address should cost as much with 500,000 addresses as with 5,000: the cost follows the change',
    },
    {
      figure: 'changeCpuRatioAt50k',
      atLeast: 200,
      why: 'one changed address among 50,000 should cost 200 times less processor time than with cloud-provider-azure',
    },
    {
      figure: 'deletionCpuRatio',
      atLeast: 50,
      why: 'deleting 2,000 Services, answered at once, should cost 50 times less than with cloud-provider-azure',
    },
    {
      figure: 'delayedDeletionCpuRatio',
      atLeast: 50,
      why: 'and so it should when each call takes as long as one to Azure does',
    },
    {
      figure: 'burstWrites',
      atMost: 2 * BURST_SERVICES + 10,
      why: 'a Service needs an address and a load balancer; registrations and addresses of many travel together',
    },
    {
      figure: 'burstVirtualMilliseconds',
      atMost: BURST_MILLISECONDS,
      why: 'ten lanes should never wait for anything but Azure',
    },
    {
      figure: 'burstVirtualMillisecondsWithBuckets',
      atMost: BURST_MILLISECONDS_WITH_BUCKETS,
      why: 'where Azure counts writes, nothing should be slower than it lets them through',
    },
    { figure: 'restartWrites', atMost: 0, why: 'a restart over a healthy world must write nothing to Azure' },
    { figure: 'restartKubernetesWrites', atMost: 0, why: 'nor to the cluster' },
  ],
  run,
};

/** Runs a program, or gives up. */
type Measure = (what: string, program: Program) => Promise<Readonly<Record<string, number>>>;

/** Our programs and the peer's, by what they are to do. */
interface Sides {
  readonly engine: (scenario: string, ...numbers: number[]) => Program;
  readonly controller: (scenario: string, ...numbers: number[]) => Program;
  readonly peer: (scenario: string, options: Readonly<Record<string, number | string>>) => Program;
  readonly measure: Measure;
}

async function run(progress: Progress): Promise<Figures> {
  const here = import.meta.dirname;
  const directory = join(here, '..', 'peers', 'service-gateway');
  const command = await buildGo({ name: 'bench-service-gateway', directory }, { report: progress });
  const sides: Sides = {
    engine: (scenario, ...numbers) =>
      nodeProgram(join(here, 'engine.ts'), [scenario, ...numbers.map(String)], ['--expose-gc']),
    controller: (scenario, ...numbers) => nodeProgram(join(here, 'controller.ts'), [scenario, ...numbers.map(String)]),
    peer: (scenario, options) => ({
      command,
      parameters: [
        '-scenario',
        scenario,
        ...Object.entries(options).flatMap(([name, value]) => [`-${name}`, `${value}`]),
      ],
    }),
    measure: (what, program) =>
      withProgress(
        what,
        () => '',
        progress,
        () => measure(program),
      ),
  };
  return {
    ...(await changes(sides, progress)),
    ...(await deletion(sides, progress)),
    ...(await burst(sides)),
    ...(await restart(sides)),
  };
}

/**
 * One address of one Service is replaced by another, over and over: from UpdateEndpoints with the new set, made before,
 * until Azure has taken the one location update that follows and the engine has taken note of it. Azure answers at once
 * on both sides; ours is charged for writing the request down and reading the answer, the peer is not. Neither writes
 * logs. Ours keeps no metrics; of the peer's, only the one that counts operations is registered, as it is by itself.
 */
async function changes(sides: Sides, progress: Progress): Promise<Figures> {
  const ours = new Map<number, number[]>(SIZES.map(({ addresses }) => [addresses, []]));
  const theirs = new Map<number, number[]>(SIZES.map(({ addresses }) => [addresses, []]));
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const { addresses, changes: count, peerChanges } of SIZES) {
      const services = addresses / ADDRESSES_PER_SERVICE;
      const own = await changeRun(sides, `round ${round}`, addresses, count, sides.engine('changes', addresses, count));
      ours.get(addresses)?.push(own);
      // Once is enough where the peer takes long and nothing depends on it.
      if (round > 1 && addresses > COMPARED_SIZE) continue;
      const options = { services, addresses: ADDRESSES_PER_SERVICE, changes: peerChanges };
      const peer = await changeRun(sides, 'the peer', addresses, peerChanges, sides.peer('changes', options));
      theirs.get(addresses)?.push(peer);
    }
    progress(`round ${round} of ${ROUNDS}: one change takes ${describe(ours)} of CPU; the peer ${describe(theirs)}`);
  }
  const microseconds = (figures: ReadonlyMap<number, number[]>, addresses: number) =>
    rounded(median(figures.get(addresses) ?? []));
  const spreads = Array.from({ length: ROUNDS }, (_, round) =>
    spread([...ours.values()].map((rounds) => rounds[round] ?? Number.NaN)),
  );
  return {
    changeMicrosecondsAt5k: microseconds(ours, 5_000),
    changeMicrosecondsAt50k: microseconds(ours, 50_000),
    changeMicrosecondsAt500k: microseconds(ours, 500_000),
    changeCpuSpread: rounded(median(spreads)),
    peerChangeMicrosecondsAt5k: microseconds(theirs, 5_000),
    peerChangeMicrosecondsAt50k: microseconds(theirs, 50_000),
    peerChangeMicrosecondsAt500k: microseconds(theirs, 500_000),
    changeCpuRatioAt50k: rounded(median(quotients(theirs.get(COMPARED_SIZE) ?? [], ours.get(COMPARED_SIZE) ?? []))),
  };
}

/** Microseconds of processor time for one change. */
async function changeRun(
  { measure }: Sides,
  who: string,
  addresses: number,
  count: number,
  program: Program,
): Promise<number> {
  const { cpuSeconds = Number.NaN, writes } = await measure(`${who}: changes among ${addresses} addresses`, program);
  if (writes !== count) throw new Error(`${count} changes among ${addresses} addresses took ${writes} updates`);
  return (cpuSeconds / count) * 1e6;
}

function describe(figures: ReadonlyMap<number, readonly number[]>): string {
  return [...figures.values()].map((rounds) => `${Math.round(rounds.at(-1) ?? Number.NaN)} µs`).join(', ');
}

/**
 * All Services are deleted in the same instant: until nothing is left of them in Azure and the engine has forgotten
 * them. Ours has made and deleted all of them once before, as its code is compiled while it runs; the peer's code is
 * compiled, and it begins with the world as listed. Once with answers at once, and once with answers that take time:
 * then the peer looks at its addresses less often in all, and ours wakes up for each millisecond in which answers come.
 */
async function deletion(sides: Sides, progress: Progress): Promise<Figures> {
  const atOnce = await deletions(sides, progress, 0);
  const delayed = await deletions(sides, progress, LATENCY_MILLISECONDS);
  return {
    deletionCpuSeconds: atOnce.ours,
    peerDeletionCpuSeconds: atOnce.theirs,
    deletionCpuRatio: atOnce.ratio,
    delayedDeletionCpuSeconds: delayed.ours,
    peerDelayedDeletionCpuSeconds: delayed.theirs,
    delayedDeletionCpuRatio: delayed.ratio,
    deletionWrites: delayed.writes,
    peerDeletionWrites: delayed.peerWrites,
  };
}

async function deletions({ engine, peer, measure }: Sides, progress: Progress, latencyMilliseconds: number) {
  const options = {
    services: DELETED_SERVICES,
    addresses: ADDRESSES_PER_SERVICE,
    latency: `${latencyMilliseconds}ms`,
  };
  const what = `${DELETED_SERVICES} Services are deleted, each call taking ${latencyMilliseconds} ms`;
  const program = engine('deletion', DELETED_ADDRESSES, latencyMilliseconds);
  const ourRuns = async () => [
    complete(await measure(what, program)),
    complete(await measure(`again: ${what}`, program)),
  ];
  // While the peer is at it: whatever slows the machine slows both, and neither has it to itself. Alone, our processor
  // would fall asleep between two calls, and the waking up would be charged to us.
  const [runs, peerRun] = await Promise.all([
    ourRuns(),
    measure(`the peer: ${what}`, peer('deletion', options)).then(complete),
  ]);
  const ours = runs.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) / runs.length;
  const theirs = peerRun.cpuSeconds;
  progress(`${what}: ${rounded(ours)} s of CPU; the peer ${rounded(theirs)} s`);
  return {
    ours: rounded(ours),
    theirs: rounded(theirs),
    ratio: rounded(theirs / ours),
    writes: runs[0]?.writes ?? Number.NaN,
    peerWrites: peerRun.writes,
  };
}

function complete({ cpuSeconds = Number.NaN, writes = Number.NaN, left }: Readonly<Record<string, number>>) {
  if (left !== 0) throw new Error(`${left} things were left after everything was deleted`);
  return { cpuSeconds, writes };
}

/** Many Services come at once: until Azure has all of it and every Service tells its address. Our time is virtual. */
async function burst({ controller, peer, measure }: Sides): Promise<Figures> {
  const what = `${BURST_SERVICES} Services with ${BURST_ENDPOINTS} endpoints each come at once`;
  const numbers = [BURST_SERVICES, BURST_ENDPOINTS, LATENCY_MILLISECONDS];
  const ours = await measure(what, controller('burst', ...numbers));
  if (ours['programmed'] !== BURST_SERVICES * BURST_ENDPOINTS) throw new Error('not all addresses were programmed');
  const counted = await measure(`${what}, with ARM's buckets`, controller('burst', ...numbers, 1));
  const options = { services: BURST_SERVICES, addresses: BURST_ENDPOINTS, latency: `${LATENCY_MILLISECONDS}ms` };
  const theirs = await measure(`the peer: ${what}`, peer('burst', options));
  return {
    burstWrites: ours['writes'] ?? Number.NaN,
    burstVirtualMilliseconds: ours['milliseconds'] ?? Number.NaN,
    burstVirtualMillisecondsWithBuckets: counted['milliseconds'] ?? Number.NaN,
    peerBurstWrites: theirs['writes'] ?? Number.NaN,
    peerBurstMilliseconds: Math.round((theirs['wallSeconds'] ?? Number.NaN) * 1000),
  };
}

/** A new process finds a world in which everything is as it should be, and stays for an hour. */
async function restart({ controller, peer, measure }: Sides): Promise<Figures> {
  const what = `a restart over ${RESTARTED_SERVICES} Services`;
  const ours = await measure(what, controller('restart', RESTARTED_SERVICES, BURST_ENDPOINTS));
  if (ours['programmed'] !== RESTARTED_SERVICES * BURST_ENDPOINTS) throw new Error('not all addresses were programmed');
  const options = { services: RESTARTED_SERVICES, addresses: BURST_ENDPOINTS };
  const theirs = await measure(`the peer: ${what}`, peer('restart', options));
  return {
    restartWrites: ours['writes'] ?? Number.NaN,
    restartKubernetesWrites: ours['kubernetesWrites'] ?? Number.NaN,
    peerRestartWrites: theirs['writes'] ?? Number.NaN,
  };
}
