import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { buildGo } from '../../scripts/go-build.ts';
import type { Bench, Figures, Progress } from '../bench.ts';
import { nodeProgram, type Program, withServer } from '../child-process.ts';
import { median, quantile, quotients, rounded } from '../statistics.ts';
import { knot } from './knot.ts';
import { LoadGenerator } from './load.ts';
import { coreDns, NameServer, ours } from './name-server.ts';
import { NAMESPACE } from './objects.ts';
import { compareProcesses, type Processes } from './two-processes.ts';

const SIZE = { services: 1_000, clusters: 3, headless: 200, pods: 40 };
const SMALL = { ...SIZE, headless: 0, pods: 0 };
const LARGE = { services: 10_000, clusters: 10, headless: 0, pods: 0 };
const ROUNDS = 5;
const LATENCY_ROUNDS = 4;
/** Of an A record. */
const RECORD_BYTES = 16;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;
/** What our server says when it has all names. */
const ANSWERING = '"msg":"answering"';

export const dnsBench: Bench = {
  name: 'dns',
  description: 'queries per second of processor time, beside CoreDNS with its multicluster plugin, and Knot DNS',
  targets: [
    { figure: 'oneAddressRatio', atLeast: 1.6, why: 'for one address we should need far less than CoreDNS' },
    { figure: 'oneAddressCachedRatio', atLeast: 1, why: 'nor more than CoreDNS with its cache' },
    { figure: 'headlessRatio', atLeast: 5, why: 'for 40 addresses, which CoreDNS encodes each time' },
    {
      figure: 'lost',
      atMost: 0,
      why: 'no query may go without a reply, at full load or at half of what CoreDNS bears',
    },
    {
      figure: 'p99Ratio',
      atMost: 1,
      why: 'at half of what CoreDNS bears, 99 of 100 should not wait longer than there',
    },
    { figure: 'twoProcessesRatio', atLeast: 0.9, why: 'a second process on the port should do as much as the first' },
    { figure: 'twoProcessesSameLoadRatio', atLeast: 0.9, why: 'also where each is asked as often as the first' },
    { figure: 'twoProcessesMemoryRatio', atMost: 2, why: 'and take no more memory than the first' },
    { figure: 'answeringSeconds', atMost: 2, why: '1,000 Services of 3 clusters should answer soon once it listens' },
    { figure: 'largeAnsweringSeconds', atMost: 20, why: 'and 10,000 of 10 within the patience of a person' },
    { figure: 'kilobytesPerName', atMost: 2.5, why: 'a name, and its share of the objects it is made of, is little' },
  ],
  run,
};

interface Side {
  readonly server: NameServer;
  readonly one: number[];
  readonly headless: number[];
  /** Queries for one address in each second, at most. */
  readonly rates: number[];
}

const apiServer = (size: typeof SIZE): Program =>
  nodeProgram(join(import.meta.dirname, 'server.ts'), Object.values(size).map(String));

const nameOf = (service: string) => `${service}.${NAMESPACE}.svc.clusterset.local`;
const LAST_HEADLESS = nameOf(`db-${SIZE.headless - 1}`);

async function run(progress: Progress): Promise<Figures> {
  const directory = join(import.meta.dirname, '..', '..', 'e2e', 'coredns');
  const build = { name: 'coredns-multicluster', directory, packagePath: './multicluster' };
  const peer = await buildGo(build, { report: progress });
  const generator = await LoadGenerator.install(progress);
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-dns-'));
  try {
    const figures = await withServer(apiServer(SIZE), (url) => compare({ url, peer, folder, generator, progress }));
    const small = await withServer(apiServer(SMALL), (url) => start(url, SMALL.services, folder));
    const large = await withServer(apiServer(LARGE), (url) => start(url, LARGE.services, folder));
    progress(`start: ${JSON.stringify({ small, large })}`);
    const kilobytes = 1_000 * (large.megabytes - small.megabytes);
    return {
      ...figures,
      startSeconds: rounded(small.seconds),
      answeringSeconds: rounded(small.answering),
      largeStartSeconds: rounded(large.seconds),
      largeAnsweringSeconds: rounded(large.answering),
      largeNames: large.names,
      kilobytesPerService: rounded(kilobytes / (LARGE.services - SMALL.services)),
      kilobytesPerName: rounded(kilobytes / (large.names - small.names)),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Comparison {
  readonly url: string;
  readonly peer: string;
  readonly folder: string;
  readonly generator: LoadGenerator;
  readonly progress: Progress;
}

/** One after the other on the same objects, each going first in turn: whatever slows the machine slows all. */
async function compare({ url, peer, folder, generator, progress }: Comparison): Promise<Figures> {
  const files = { one: join(folder, 'one'), headless: join(folder, 'headless') };
  const questions = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${nameOf(`${prefix}-${index}`)} A\n`).join('');
  await writeFile(files.one, questions('web', SIZE.services));
  await writeFile(files.headless, questions('db', SIZE.headless));
  const startSide = async (program: (port: number) => Promise<Program>): Promise<Side> => {
    const port = await freePort();
    const server = await NameServer.start(await program(port), port, LAST_HEADLESS);
    return { server, one: [], headless: [], rates: [] };
  };
  const us = await startSide((port) => ours(url, port, folder));
  const plain = await startSide((port) => coreDns(peer, url, port, folder, false));
  const cached = await startSide((port) => coreDns(peer, url, port, folder, true));
  const limit = await startSide((port) => knot(SIZE, port, folder, progress));
  const sides = [us, plain, cached, limit];
  let lost = 0;
  try {
    for (const { server } of sides) {
      for (const queryFile of Object.values(files)) {
        await generator.ask([server], { queryFile, seconds: WARM_UP_SECONDS });
      }
    }
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const side of round % 2 === 0 ? sides.toReversed() : sides) {
        for (const kind of ['one', 'headless'] as const) {
          const result = await generator.ask([side.server], { queryFile: files[kind], seconds: SECONDS });
          if (kind === 'headless' && !(result.replyBytes > SIZE.pods * RECORD_BYTES)) {
            throw new Error(`replies of ${result.replyBytes} bytes do not have ${SIZE.pods} addresses`);
          }
          side[kind].push(result.queriesPerCpuSecond);
          if (kind === 'one') side.rates.push(result.queriesPerSecond);
          if (side === us) lost += result.lost;
        }
      }
      const last = sides.map(({ one, headless }) => `${thousands(one.at(-1))}/${thousands(headless.at(-1))}`);
      const [ours, core, caching, knotDns] = last;
      const others = `CoreDNS ${core}, with cache ${caching}, Knot DNS ${knotDns}`;
      progress(`round ${round} of ${ROUNDS}, one/headless: ours ${ours}, ${others}`);
    }
    const half = { queryFile: files.one, seconds: SECONDS, perSecond: Math.max(...plain.rates) / 2 };
    const noLatency = (): { median: number[]; p99: number[] } => ({ median: [], p99: [] });
    const latency = { us: noLatency(), plain: noLatency() };
    const waits = [[us, latency.us] as const, [plain, latency.plain] as const];
    for (let round = 0; round < LATENCY_ROUNDS; round += 1) {
      for (const [side, found] of round % 2 === 0 ? waits : waits.toReversed()) {
        const result = await generator.ask([side.server], half);
        if (side === us) lost += result.lost;
        found.median.push(quantile(result.milliseconds, 0.5));
        found.p99.push(quantile(result.milliseconds, 0.99));
      }
    }
    const two = await withProcesses(url, folder, (processes) =>
      compareProcesses(processes, files.one, generator, progress),
    );
    const perCpuSecond = (values: readonly number[]) => Math.round(median(values));
    const ratio = (side: Side, kind: 'one' | 'headless') => rounded(median(quotients(us[kind], side[kind])));
    return {
      oneAddressPerCpuSecond: perCpuSecond(us.one),
      headlessPerCpuSecond: perCpuSecond(us.headless),
      peerOneAddressPerCpuSecond: perCpuSecond(plain.one),
      peerHeadlessPerCpuSecond: perCpuSecond(plain.headless),
      peerCachedOneAddressPerCpuSecond: perCpuSecond(cached.one),
      peerCachedHeadlessPerCpuSecond: perCpuSecond(cached.headless),
      knotOneAddressPerCpuSecond: perCpuSecond(limit.one),
      knotHeadlessPerCpuSecond: perCpuSecond(limit.headless),
      oneAddressRatio: ratio(plain, 'one'),
      oneAddressCachedRatio: ratio(cached, 'one'),
      headlessRatio: ratio(plain, 'headless'),
      knotOneAddressRatio: ratio(limit, 'one'),
      knotHeadlessRatio: ratio(limit, 'headless'),
      lost,
      halfLoadPerSecond: Math.round(half.perSecond),
      medianMilliseconds: rounded(median(latency.us.median)),
      peerMedianMilliseconds: rounded(median(latency.plain.median)),
      p99Milliseconds: rounded(median(latency.us.p99)),
      peerP99Milliseconds: rounded(median(latency.plain.p99)),
      p99Ratio: rounded(median(quotients(latency.us.p99, latency.plain.p99))),
      twoProcessesRatio: rounded(two.busyRatio),
      twoProcessesSameLoadRatio: rounded(two.sameLoadRatio),
      twoProcessesOneCoreRatio: rounded(two.oneCoreRatio),
      twoProcessesMemoryRatio: rounded(two.memoryRatio),
      residentMegabytes: rounded(await us.server.residentMegabytes()),
      peerResidentMegabytes: rounded(await plain.server.residentMegabytes()),
    };
  } finally {
    await Promise.all(sides.map(({ server }) => server.stop()));
  }
}

/** One process, and two more that share a port, for as long as the work takes. */
async function withProcesses<Result>(
  url: string,
  folder: string,
  work: (processes: Processes) => Promise<Result>,
): Promise<Result> {
  const started: NameServer[] = [];
  const startAt = async (port: number) => {
    const server = await NameServer.start(await ours(url, port, folder), port, LAST_HEADLESS, ANSWERING);
    started.push(server);
    return server;
  };
  try {
    const one = await startAt(await freePort());
    const shared = await freePort();
    return await work({ one, two: [await startAt(shared), await startAt(shared)] });
  } finally {
    await Promise.all(started.map((server) => server.stop()));
  }
}

/** How long it takes from the start of the process, and from when it listens, to the answer for the last of its names. */
async function start(url: string, services: number, folder: string) {
  const port = await freePort();
  const begunAt = performance.now();
  const server = await NameServer.start(await ours(url, port, folder), port, nameOf(`web-${services - 1}`), ANSWERING);
  const answeredAt = performance.now();
  const megabytes = await server.residentMegabytes();
  await server.stop();
  const seconds = (answeredAt - begunAt) / 1_000;
  return { seconds, answering: (answeredAt - server.listeningAt) / 1_000, megabytes, names: server.names };
}

function thousands(value: number | undefined): string {
  return `${Math.round((value ?? 0) / 1_000)}k`;
}
