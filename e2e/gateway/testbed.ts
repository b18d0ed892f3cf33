import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Task } from './tasks.ts';

const HAND = fileURLToPath(new URL('hand.ts', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url));
const PORT = 9_443;
/** The size of the map of clients that are kept with their backends. */
const AFFINITY_CLIENTS = 262_144;
const PORTION = 32_768;

export const gatewayNames = ['gw1', 'gw2'] as const;
export type GatewayName = (typeof gatewayNames)[number];
const ownAddress: Record<GatewayName, string> = { gw1: '198.51.100.1', gw2: '198.51.100.2' };
export const backendAddress = (number: number) => `10.0.0.${100 + number}`;
export const backendAddress6 = (number: number) => `fd00:10::${100 + number}`;

/** A process in a namespace that does tasks. */
export class Hand {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #next = 1;

  constructor(namespace: string) {
    this.#child = spawn('ip', ['netns', 'exec', namespace, process.execPath, HAND], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (this.#child.stdout === null) throw new Error('a hand has no output');
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const { id, result, error }: { id: number; result?: unknown; error?: string } = JSON.parse(line);
      if (error === undefined) this.#waiting.get(id)?.resolve(result);
      else this.#waiting.get(id)?.reject(new Error(error));
      this.#waiting.delete(id);
    });
  }

  /** Rejects with what went wrong: `ECONNREFUSED`, `no answer`. */
  do(task: Task): Promise<unknown> {
    const id = this.#next;
    this.#next += 1;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#child.stdin?.write(`${JSON.stringify({ id, task })}\n`);
    return waiting.promise;
  }

  /** Which backend answers, and whom it sees. */
  async connect(
    host: string,
    port: number,
    more: { from?: number; as?: string; hold?: string } = {},
  ): Promise<[string, string]> {
    const [backend = '', client = ''] = String(await this.do({ do: 'connect', host, port, ...more })).split(' ');
    return [backend, client];
  }

  async datagrams(host: string, port: number, from: number, count: number): Promise<Map<string, number>> {
    const counts = await this.do({ do: 'datagrams', host, port, from, count });
    return new Map(Object.entries(counts ?? {}).map(([name, value]) => [name, Number(value)]));
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

function shim(callsFile: string, program: string): string {
  return `#!/bin/sh
if [ -e ${callsFile} ]; then
  left=$(($(cat ${callsFile}) - 1))
  if [ $left -le 0 ]; then rm ${callsFile}; echo 'Error: refused' >&2; exit 1; fi
  echo $left > ${callsFile}
fi
exec ${program} "$@"
`;
}

/**
 * A client, two gateways and ten backends in network namespaces of their own: clients and gateways on one network,
 * gateways and backends on another. Needs root.
 */
export class Testbed {
  readonly #prefix = `fl${process.pid}-`;
  readonly folder = mkdtempSync(join(tmpdir(), 'fairlead-gateway-'));
  readonly #agents = new Map<GatewayName, ChildProcess>();
  readonly #logs = new Map<GatewayName, string[]>();
  readonly #hands: Hand[] = [];
  readonly #shims = join(this.folder, 'shims');

  /** The agents run these programs by way of a script that can be told to refuse a call. */
  constructor(shimmed: readonly string[] = []) {
    mkdirSync(this.#shims);
    for (const program of shimmed) {
      const real = execFileSync('sh', ['-c', `PATH=$PATH:/usr/sbin:/sbin command -v ${program}`], { encoding: 'utf8' });
      writeFileSync(join(this.#shims, program), shim(this.#callsFile(program), real.trim()), { mode: 0o755 });
    }
    for (const name of ['net', 'client', 'gw1', 'gw2', 'pods']) this.#ip('netns', 'add', this.namespace(name));
    for (const name of ['net', 'client', 'gw1', 'gw2', 'pods']) this.#in(name, 'ip', 'link', 'set', 'lo', 'up');
    for (const bridge of ['out', 'in']) {
      this.#in('net', 'ip', 'link', 'add', bridge, 'type', 'bridge');
      this.#in('net', 'ip', 'link', 'set', bridge, 'up');
    }
    this.#plug('client', 'out', '198.51.100.9/24', '2001:db8:1::9/64');
    for (const [index, name] of gatewayNames.entries()) {
      this.#plug(name, 'out', `${ownAddress[name]}/24`, `2001:db8:1::${index + 1}/64`);
      this.#plug(name, 'in', `10.0.0.${index + 2}/24`, `fd00:10::${index + 2}/64`);
      // The way to the addresses where the other gateway holds them.
      this.#in(name, 'ip', 'route', 'add', '192.0.2.0/24', 'dev', 'out');
      for (const setting of [
        'ipv4/ip_forward=1',
        'ipv6/conf/all/forwarding=1',
        'ipv4/conf/all/rp_filter=0',
        'ipv4/conf/out/rp_filter=0',
        'netfilter/nf_conntrack_tcp_be_liberal=1',
      ]) {
        const [path = '', value = ''] = setting.split('=');
        this.#in(name, 'sh', '-c', `echo ${value} > /proc/sys/net/${path}`);
      }
    }
    this.#plug('pods', 'in', '10.0.0.99/24', 'fd00:10::99/64');
    for (let number = 1; number <= 10; number += 1) {
      this.#in('pods', 'ip', 'address', 'add', `${backendAddress(number)}/24`, 'dev', 'in');
      this.#in('pods', 'ip', 'address', 'add', `${backendAddress6(number)}/64`, 'dev', 'in', 'nodad');
    }
    this.#in('pods', 'ip', 'route', 'add', 'default', 'via', '10.0.0.1');
    this.#in('pods', 'ip', '-6', 'route', 'add', 'default', 'via', 'fd00:10::2');
    this.#in('client', 'ip', 'route', 'add', '192.0.2.0/24', 'dev', 'out');
    this.#in('client', 'ip', '-6', 'route', 'add', '2001:db8:ff::/64', 'dev', 'out');
    execFileSync(process.execPath, [
      PROGRAM,
      'gateway',
      'certificates',
      '--folder',
      join(this.folder, 'certificates'),
      ...gatewayNames.map((name) => `${name}=agent,${ownAddress[name]}`),
    ]);
  }

  namespace(name: string): string {
    return `${this.#prefix}${name}`;
  }

  hand(name: string): Hand {
    const hand = new Hand(this.namespace(name));
    this.#hands.push(hand);
    return hand;
  }

  stateFolder(name: GatewayName): string {
    return join(this.folder, name);
  }

  /** Starts the agent; resolves when it listens. */
  async startAgent(name: GatewayName): Promise<void> {
    const certificates = join(this.folder, 'certificates');
    const configuration = {
      http: { listen: '127.0.0.1:0' },
      parts: {
        'gateway-agent': {
          listen: `:${PORT}`,
          tls: {
            certificateFile: join(certificates, `agent-${name}.crt`),
            keyFile: join(certificates, `agent-${name}.key`),
            authorityFile: join(certificates, 'authority.crt'),
          },
          allowedAddresses: ['192.0.2.0/24', '2001:db8:ff::/64'],
          stateFolder: this.stateFolder(name),
          vrrp: {
            interface: 'out',
            address: ownAddress[name],
            gateways: gatewayNames.map((one) => ownAddress[one]),
            advertMilliseconds: 100,
            inside: { interface: 'in', address: '10.0.0.1/24' },
          },
        },
      },
    };
    mkdirSync(this.stateFolder(name), { recursive: true });
    const file = join(this.folder, `${name}.yaml`);
    writeFileSync(file, JSON.stringify(configuration));
    const command = ['netns', 'exec', this.namespace(name), process.execPath, PROGRAM, 'agent', '--config', file];
    const env = { ...process.env, PATH: `${this.#shims}:${process.env['PATH'] ?? ''}` };
    const child = spawn('ip', command, { stdio: ['ignore', 'ignore', 'pipe'], env });
    this.#agents.set(name, child);
    const log: string[] = [];
    this.#logs.set(name, log);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (child.stderr === null) throw new Error('an agent has no log');
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.push(line);
      if (line.includes('the agent listens')) resolve();
    });
    child.once('exit', () => reject(new Error(`the agent of ${name} ended:\n${log.join('\n')}`)));
    await promise;
  }

  log(name: GatewayName): readonly string[] {
    return this.#logs.get(name) ?? [];
  }

  /** As if the kernel ended it for lack of memory. */
  async killAgent(name: GatewayName): Promise<void> {
    const child = this.#agents.get(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Takes the gateway off both networks at once, as a loss of power does. */
  unplug(name: GatewayName): void {
    for (const side of ['out', 'in']) this.#in(name, 'ip', 'link', 'set', side, 'down');
  }

  /** Has the program fail when the agents run it for the so-manieth time from now on. */
  refuse(program: string, call: number): void {
    writeFileSync(this.#callsFile(program), `${call}\n`);
  }

  /** Whether the call came that was to be refused. */
  hasRefused(program: string): boolean {
    return !existsSync(this.#callsFile(program));
  }

  endRefusals(program: string): void {
    rmSync(this.#callsFile(program), { force: true });
  }

  #callsFile(program: string): string {
    return join(this.#shims, `${program}.calls`);
  }

  nft(name: GatewayName, ...words: readonly string[]): string {
    return this.#in(name, 'nft', ...words);
  }

  /** As if as many clients were kept with their backends as can be. */
  fillAffinity(name: GatewayName): void {
    const file = join(this.folder, 'affinity.nft');
    this.nft(name, 'flush', 'map', 'inet', 'fairlead', 'affinity4');
    for (let from = 0; from < AFFINITY_CLIENTS; from += PORTION) {
      const clients = Array.from({ length: PORTION }, (_, index) => `1 . ${from + index} timeout 1h : 0:1`);
      writeFileSync(file, `add element inet fairlead affinity4 { ${clients.join(', ')} }\n`);
      this.nft(name, '-f', file);
    }
  }

  holdsAddress(name: GatewayName, address: string): boolean {
    return this.#in(name, 'ip', 'address', 'show').includes(` ${address}/`);
  }

  /** What the controller shows, and trusts. */
  get tls(): { readonly ca: string; readonly cert: string; readonly key: string } {
    const read = (file: string) => readFileSync(join(this.folder, 'certificates', file), 'utf8');
    return { ca: read('authority.crt'), cert: read('controller.crt'), key: read('controller.key') };
  }

  url(name: GatewayName, path: string): string {
    return `https://${ownAddress[name]}:${PORT}${path}`;
  }

  async end(): Promise<void> {
    for (const name of gatewayNames) {
      await this.killAgent(name);
      // keepalived outlives its agent.
      for (const file of ['keepalived.pid', 'vrrp.pid']) this.#killByFile(join(this.stateFolder(name), file));
    }
    for (const hand of this.#hands) hand.end();
    for (const name of ['net', 'client', 'gw1', 'gw2', 'pods']) this.#ip('netns', 'delete', this.namespace(name));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #killByFile(file: string): void {
    try {
      process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
    } catch {
      // It does not run.
    }
  }

  #plug(name: string, bridge: string, address: string, address6: string): void {
    const peer = `${name}-${bridge}`;
    const namespace = this.namespace(name);
    this.#in('net', 'ip', 'link', 'add', peer, 'type', 'veth', 'peer', 'name', bridge, 'netns', namespace);
    this.#in('net', 'ip', 'link', 'set', peer, 'master', bridge, 'up');
    this.#in(name, 'ip', 'link', 'set', bridge, 'up');
    this.#in(name, 'ip', 'address', 'add', address, 'dev', bridge);
    this.#in(name, 'ip', 'address', 'add', address6, 'dev', bridge, 'nodad');
  }

  #in(name: string, ...command: readonly string[]): string {
    return this.#ip('netns', 'exec', this.namespace(name), ...command);
  }

  #ip(...parameters: readonly string[]): string {
    return execFileSync('ip', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }
}
