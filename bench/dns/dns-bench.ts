import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { buildGo } from '../../scripts/go-build.ts';
import type { Bench, Figures, Progress } from '../bench.ts';
import { nodeProgram, type Program, withServer } from '../child-process.ts';
import { median, quotients, rounded } from '../statistics.ts';
import { NAMESPACE } from './objects.ts';
import { coreDns, load, NameServer, ours } from './name-server.ts';

const SERVICES = 1_000;
const CLUSTERS = 3;
const HEADLESS = 200;
const PODS = 40;
const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;
/** Enough for a second server on the port to have been asked, once it listens and when it is ready. */
const ANSWERS_IN_A_ROW = 300;

export const dnsBench: Bench = {
  name: 'dns',
  description: 'queries per second of processor time, beside CoreDNS with its multicluster plugin; needs dnsperf',
  targets: [
    { figure: 'oneAddressRatio', atLeast: 4, why: 'for one address we should need far less than CoreDNS' },
    { figure: 'oneAddressCachedRatio', atLeast: 3, why: 'and than CoreDNS with its cache' },
    { figure: 'unbatchedRatio', atLeast: 1.6, why: 'where the addon could not be built, still far less than CoreDNS' },
    { figure: 'unbatchedCachedRatio', atLeast: 1, why: 'nor more than CoreDNS with its cache' },
    { figure: 'batchedRatio', atLeast: 2, why: 'an addon that does not double the figure is not worth its upkeep' },
    { figure: 'headlessRatio', atLeast: 5, why: 'for 40 addresses, which CoreDNS encodes each time' },
    { figure: 'twoProcessesRatio', atLeast: 0.9, why: 'a second process on the port should do as much as the first' },
    { figure: 'lost', atMost: 0, why: 'no query may go without a reply' },
    { figure: 'answeringSeconds', atMost: 2, why: '1,000 Services of 3 clusters should answer soon once it listens' },
    { figure: 'largeAnsweringSeconds', atMost: 20, why: 'and 10,000 of 10 within the patience of a person' },
  ],
  run,
};

interface Side {
  readonly server: NameServer;
  readonly one: number[];
  readonly headless: number[];
}

const apiServer = (...sizes: readonly number[]): Program =>
  nodeProgram(join(import.meta.dirname, 'server.ts'), sizes.map(String));

const nameOf = (service: string) => `${service}.${NAMESPACE}.svc.clusterset.local`;

async function run(progress: Progress): Promise<Figures> {
  const directory = join(import.meta.dirname, '..', '..', 'e2e', 'coredns');
  const peer = await buildGo(
    { name: 'coredns-multicluster', directory, packagePath: './multicluster' },
    { report: progress },
  );
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-dns-'));
  try {
    const figures = await withServer(apiServer(SERVICES, CLUSTERS, HEADLESS, PODS), (url) =>
      compare(url, peer, folder, progress),
    );
    const small = await withServer(apiServer(SERVICES, CLUSTERS, 0, 0), (url) => start(url, SERVICES, folder));
    const large = await withServer(apiServer(10_000, 10, 0, 0), (url) => start(url, 10_000, folder));
    progress(`start: ${JSON.stringify({ small, large })}`);
    return {
      ...figures,
      startSeconds: rounded(small.seconds),
      answeringSeconds: rounded(small.answering),
      largeStartSeconds: rounded(large.seconds),
      largeAnsweringSeconds: rounded(large.answering),
      kilobytesPerService: rounded((1_000 * (large.megabytes - small.megabytes)) / (10_000 - SERVICES)),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One after the other on the same objects, each going first in turn: whatever slows the machine slows all. */
async function compare(url: string, peer: string, folder: string, progress: Progress): Promise<Figures> {
  const files = { one: join(folder, 'one'), headless: join(folder, 'headless') };
  const questions = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${nameOf(`${prefix}-${index}`)} A\n`).join('');
  await writeFile(files.one, questions('web', SERVICES));
  await writeFile(files.headless, questions('db', HEADLESS));
  const startSide = async (program: (port: number) => Promise<Program>): Promise<Side> => {
    const port = await freePort();
    const server = await NameServer.start(await program(port), port, nameOf(`db-${HEADLESS - 1}`));
    return { server, one: [], headless: [] };
  };
  const us = await startSide((port) => ours(url, port, folder));
  const plain = await startSide((port) => coreDns(peer, url, port, folder, false));
  const cached = await startSide((port) => coreDns(peer, url, port, folder, true));
  const unbatched = await startSide((port) => ours(url, port, folder, false));
  const sides = [us, plain, cached, unbatched];
  let lost = 0;
  try {
    for (const { server } of sides) {
      for (const file of Object.values(files)) await load([server], file, WARM_UP_SECONDS);
    }
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const side of round % 2 === 0 ? sides.toReversed() : sides) {
        for (const kind of ['one', 'headless'] as const) {
          const result = await load([side.server], files[kind], SECONDS);
          side[kind].push(result.queriesPerCpuSecond);
          if (side === us || side === unbatched) lost += result.lost;
        }
      }
      const last = sides.map(({ one, headless }) => `${thousands(one.at(-1))}/${thousands(headless.at(-1))}`);
      const [ours, core, caching, single] = last;
      progress(
        `round ${round} of ${ROUNDS}, one/headless: ours ${ours}, CoreDNS ${core}, with cache ${caching}, ours without batches ${single}`,
      );
    }
    const two = await withSecond(us.server, await ours(url, us.server.port, folder), files.one);
    const perCpuSecond = (values: readonly number[]) => Math.round(median(values));
    return {
      oneAddressPerCpuSecond: perCpuSecond(us.one),
      headlessPerCpuSecond: perCpuSecond(us.headless),
      peerOneAddressPerCpuSecond: perCpuSecond(plain.one),
      peerHeadlessPerCpuSecond: perCpuSecond(plain.headless),
      peerCachedOneAddressPerCpuSecond: perCpuSecond(cached.one),
      oneAddressRatio: rounded(median(quotients(us.one, plain.one))),
      oneAddressCachedRatio: rounded(median(quotients(us.one, cached.one))),
      unbatchedPerCpuSecond: perCpuSecond(unbatched.one),
      unbatchedRatio: rounded(median(quotients(unbatched.one, plain.one))),
      unbatchedCachedRatio: rounded(median(quotients(unbatched.one, cached.one))),
      batchedRatio: rounded(median(quotients(us.one, unbatched.one))),
      headlessRatio: rounded(median(quotients(us.headless, plain.headless))),
      twoProcessesRatio: rounded(two / median(us.one)),
      lost,
      residentMegabytes: rounded(await us.server.residentMegabytes()),
      peerResidentMegabytes: rounded(await plain.server.residentMegabytes()),
    };
  } finally {
    await Promise.all(sides.map(({ server }) => server.stop()));
  }
}

/** What two processes that share a port do together, for each second of processor time of either. */
async function withSecond(first: NameServer, program: Program, file: string): Promise<number> {
  const second = await NameServer.start(program, first.port, nameOf(`db-${HEADLESS - 1}`), ANSWERS_IN_A_ROW);
  try {
    await load([first, second], file, 2 * WARM_UP_SECONDS);
    const runs: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      runs.push((await load([first, second], file, SECONDS)).queriesPerCpuSecond);
    }
    return median(runs);
  } finally {
    await second.stop();
  }
}

/** How long it takes from the start of the process, and from when it listens, to the answer for the last of its names. */
async function start(url: string, services: number, folder: string) {
  const port = await freePort();
  const begunAt = performance.now();
  const server = await NameServer.start(await ours(url, port, folder), port, nameOf(`web-${services - 1}`));
  const answeredAt = performance.now();
  const megabytes = await server.residentMegabytes();
  await server.stop();
  const seconds = (answeredAt - begunAt) / 1_000;
  return { seconds, answering: (answeredAt - server.listeningAt) / 1_000, megabytes };
}

function thousands(value: number | undefined): string {
  return `${Math.round((value ?? 0) / 1_000)}k`;
}
