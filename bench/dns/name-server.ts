import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Resolver } from 'node:dns/promises';
import { runCommand } from '../../scripts/run-command.ts';
import { nodeProgram, type Program } from '../child-process.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PROGRAM = join(ROOT, 'packages', 'cli', 'main.ts');
const CONTAINER_FILE = join(ROOT, 'deploy', 'Containerfile');
const TICKS_PER_SECOND = 100;
const START_LIMIT_MILLISECONDS = 120_000;
const MOST_HEARD = 4_096;

/** In megabytes. `shared`: there only once for all processes that have it, as the program itself is. */
export interface Memory {
  readonly own: number;
  readonly shared: number;
}

/** A DNS server in a process of its own, and what it used so far. */
export class NameServer {
  readonly port: number;
  /** When it first said anything, be it that it does not know yet. */
  readonly listeningAt: number;
  /** How many it says that it has; 0 where it says nothing. */
  readonly names: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, listeningAt: number, said: string) {
    this.#child = child;
    this.names = Number(/"names":(\d+)/.exec(said)?.[1] ?? 0);
    this.port = port;
    this.listeningAt = listeningAt;
  }

  /** Resolves when the name is answered; by this server, where it says so, and not by another one on the same port. */
  static async start({ command, parameters }: Program, port: number, name: string, says = ''): Promise<NameServer> {
    const child = spawn(command, parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const hear = (text: string) => (said = `${said}${text}`.slice(-MOST_HEARD));
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', hear);
    const resolver = new Resolver({ timeout: 500, tries: 1 });
    resolver.setServers([`127.0.0.1:${port}`]);
    const deadline = performance.now() + START_LIMIT_MILLISECONDS;
    let listeningAt: number | undefined;
    while (performance.now() < deadline && child.exitCode === null) {
      const found = await resolver.resolve4(name).catch((error: NodeJS.ErrnoException) => error.code ?? '');
      if (found !== 'ECONNREFUSED' && found !== 'ETIMEOUT') listeningAt ??= performance.now();
      const isAnswered = typeof found !== 'string' && found.length > 0 && said.includes(says);
      if (isAnswered) return new NameServer(child, port, listeningAt ?? performance.now(), said);
      await sleep(10);
    }
    child.kill('SIGKILL');
    throw new Error(`${command} does not answer for ${name}: ${said}`);
  }

  async cpuSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.#child.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }

  async memory(): Promise<Memory> {
    const text = await readFile(`/proc/${this.#child.pid}/smaps_rollup`, 'utf8');
    const megabytes = (kind: string) =>
      [...text.matchAll(new RegExp(`^${kind}_(?:Clean|Dirty):\\s+(\\d+) kB`, 'gm'))].reduce(
        (sum, [, kilobytes]) => sum + Number(kilobytes) / 1_000,
        0,
      );
    return { own: megabytes('Private'), shared: megabytes('Shared') };
  }

  async residentMegabytes(): Promise<number> {
    const { own, shared } = await this.memory();
    return own + shared;
  }

  /** With all its threads. */
  async runOn(cpus: string): Promise<void> {
    await runCommand('taskset', ['-a', '-c', '-p', cpus, String(this.#child.pid)]);
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

/** `fairlead dns` on the API server of the URL, under the flags of Node with which the container runs it. */
export async function ours(url: string, port: number, folder: string): Promise<Program> {
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'bench', cluster: { server: url } }],
      users: [{ name: 'bench', user: {} }],
      contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
      'current-context': 'bench',
    }),
  );
  const file = join(folder, `fairlead-${port}.yaml`);
  const configuration = { listen: [`127.0.0.1:${port}`] };
  await writeFile(
    file,
    JSON.stringify({ kubernetes: { kubeconfig }, http: { listen: '127.0.0.1:0' }, parts: { dns: configuration } }),
  );
  return nodeProgram(PROGRAM, ['dns', '--config', file], await containerFlags());
}

async function containerFlags(): Promise<readonly string[]> {
  const entryPoint = /^ENTRYPOINT \["node", (.*)"\/app/m.exec(await readFile(CONTAINER_FILE, 'utf8'))?.[1];
  if (entryPoint === undefined) throw new Error('the container file does not say how Node is started');
  return [...entryPoint.matchAll(/"(--[^"]+)"/g)].flatMap(([, flag]) => flag ?? []);
}

/** CoreDNS that answers for the clusterset itself, with its cache or without. */
export async function coreDns(
  binary: string,
  url: string,
  port: number,
  folder: string,
  caches: boolean,
): Promise<Program> {
  const file = join(folder, `Corefile-${port}`);
  const lines = [
    `.:${port} {`,
    '  bind 127.0.0.1',
    ...(caches ? ['  cache 5'] : []),
    '  kubernetes cluster.local clusterset.local {',
    `    endpoint ${url}`,
    '    multicluster clusterset.local',
    '  }',
    '}',
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  return { command: binary, parameters: ['-conf', file] };
}
