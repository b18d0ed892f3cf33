// An agent in a network namespace, and what is asked of it: a line of JSON for each measurement, in and out.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { changedService, flowTarget, type Measurement, virtualServer } from './workload.ts';

const PROGRAM = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url));
const [folder = '', name = ''] = process.argv.slice(2);
const certificates = join(folder, 'certificates');
const PAGE_BYTES = 4_096;
const FLOWS = 4_000;
const FIRST_PORT = 20_000;

const connections = new Agent({
  keepAlive: true,
  ca: readFileSync(join(certificates, 'authority.crt')),
  cert: readFileSync(join(certificates, 'controller.crt')),
  key: readFileSync(join(certificates, 'controller.key')),
});

let agent: ChildProcess | undefined;
let taken = 0;
let services = 0;
let version = 0;

async function start(): Promise<void> {
  const file = join(folder, `${name}.yaml`);
  const configuration = {
    http: { listen: '127.0.0.1:0' },
    parts: {
      'gateway-agent': {
        listen: '127.0.0.1:9443',
        tls: {
          certificateFile: join(certificates, 'agent-bench.crt'),
          keyFile: join(certificates, 'agent-bench.key'),
          authorityFile: join(certificates, 'authority.crt'),
        },
        allowedAddresses: ['100.64.0.0/10'],
        stateFolder: join(folder, name),
      },
    },
  };
  writeFileSync(file, JSON.stringify(configuration));
  agent = spawn(process.execPath, ['--max-semi-space-size=8', PROGRAM, 'agent', '--config', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (agent.stderr === null) throw new Error('the agent has no log');
  for await (const line of createInterface({ input: agent.stderr })) if (line.includes('the agent listens')) break;
  agent.stderr.resume();
}

async function ask(method: string, path: string, body?: string): Promise<unknown> {
  const asked = request({ host: '127.0.0.1', port: 9_443, method, path, agent: connections, servername: 'bench' });
  asked.end(body);
  const [response] = await once(asked, 'response');
  let text = '';
  for await (const piece of response) text += String(piece);
  if (response.statusCode !== 200) throw new Error(`the agent answers ${response.statusCode}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

function put(request_: object): Promise<unknown> {
  return ask('PUT', '/v1/config', JSON.stringify(request_));
}

/** Megabytes of the agent and of all that it runs, at most. */
async function withPeak(work: () => Promise<void>): Promise<{ milliseconds: number; peakMegabytes: number }> {
  let peak = 0;
  const look = () => {
    const pid = agent?.pid ?? 0;
    const pids = [pid, ...childrenOf(pid)];
    peak = Math.max(
      peak,
      pids.reduce((sum, one) => sum + residentBytes(one), 0),
    );
  };
  const timer = setInterval(look, 20);
  const begun = performance.now();
  await work();
  const milliseconds = performance.now() - begun;
  look();
  clearInterval(timer);
  return { milliseconds, peakMegabytes: peak / 1e6 };
}

function childrenOf(pid: number): readonly number[] {
  return readText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function residentBytes(pid: number): number {
  return Number(readText(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * PAGE_BYTES;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The first load of so many Services. */
async function load(count: number): Promise<object> {
  services = count;
  const virtualServers = Array.from({ length: count }, (_, index) => virtualServer(index, 0));
  taken += 1;
  const body = { kind: 'whole', generation: { epoch: 1, number: taken }, virtualServers };
  return withPeak(async () => void (await put(body)));
}

/** One backend of one Service changes, again and again. */
async function change(times: number, protocol: 'TCP' | 'UDP'): Promise<object> {
  const milliseconds: number[] = [];
  const { peakMegabytes } = await withPeak(async () => {
    for (let round = 1; round <= times; round += 1) {
      const since = { epoch: 1, number: taken };
      taken += 1;
      version += 1;
      const changed = [virtualServer(changedService(round, protocol, services), version)];
      const begun = performance.now();
      await put({ kind: 'delta', since, generation: { epoch: 1, number: taken }, put: changed, remove: [] });
      milliseconds.push(performance.now() - begun);
    }
  });
  return { each: milliseconds, peakMegabytes };
}

async function restart(): Promise<object> {
  const old = agent;
  if (old !== undefined) {
    const ended = once(old, 'exit');
    old.kill('SIGKILL');
    await ended;
  }
  const before = generationOfRules();
  const measured = await withPeak(async () => {
    await start();
    const status = await ask('GET', '/v1/status');
    if (!JSON.stringify(status).includes('"programmed":true')) throw new Error(JSON.stringify(status));
  });
  return { ...measured, writes: generationOfRules() === before ? 0 : 1 };
}

/** Handles count up with every write. */
function generationOfRules(): string {
  return execFileSync('nft', ['-a', 'list', 'set', 'inet', 'fairlead', 'applied'], { encoding: 'utf8' });
}

let sockets: readonly Socket[] | undefined;

async function openSockets(): Promise<readonly Socket[]> {
  const opened: Socket[] = [];
  for (let index = 0; index < FLOWS; index += 1) {
    const socket = createSocket('udp4');
    socket.on('error', () => {});
    socket.bind(FIRST_PORT + index, '10.255.255.1');
    await once(socket, 'listening');
    const { address, port } = flowTarget(index, services);
    socket.connect(port, address);
    await once(socket, 'connect');
    opened.push(socket);
  }
  return opened;
}

/** Microseconds that the first packet of a flow takes longer than the next one. */
async function flows(): Promise<object> {
  sockets ??= await openSockets();
  execFileSync('conntrack', ['-F'], { stdio: 'ignore' });
  const send = async () => {
    const begun = performance.now();
    for (const socket of sockets ?? []) socket.send('x');
    const took = performance.now() - begun;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return (took * 1_000) / FLOWS;
  };
  const first = await send();
  const next = await send();
  return { newFlow: first, knownFlow: next };
}

function perform(measurement: Measurement): Promise<object> {
  switch (measurement.do) {
    case 'load':
      return load(measurement.services);
    case 'change':
      return change(measurement.times, measurement.protocol);
    case 'restart':
      return restart();
    case 'flows':
      return flows();
  }
}

await start();
for await (const line of createInterface({ input: process.stdin })) {
  const measurement: Measurement = JSON.parse(line);
  console.log(JSON.stringify(await perform(measurement)));
}
agent?.kill('SIGKILL');
process.exit(0);
