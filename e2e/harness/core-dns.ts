import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { runCommand } from '../../scripts/run-command.ts';
import { coreDnsBinary } from './components.ts';
import { eventually } from './eventually.ts';

/** What dig shows of a reply. */
export interface Dug {
  readonly status: string;
  readonly flags: readonly string[];
  /** Without the name, the time to live and the class: `A 10.1.0.1`. */
  readonly answers: readonly string[];
  readonly authorities: readonly string[];
  readonly text: string;
}

/** A real CoreDNS that forwards the clusterset's zone to a server of ours. */
export class CoreDns {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.port = port;
    this.#child = child;
    this.#folder = folder;
  }

  static async start(ours: number): Promise<CoreDns> {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-coredns-'));
    const port = await freePort();
    const file = join(folder, 'Corefile');
    const zone = `clusterset.local:${port} {\n  bind 127.0.0.1\n  errors\n  forward . 127.0.0.1:${ours}\n}\n`;
    await writeFile(file, zone);
    const child = spawn(await coreDnsBinary(), ['-conf', file], { stdio: 'ignore' });
    const coreDns = new CoreDns(port, child, folder);
    try {
      await eventually(async () => (await dig(port, 'dns-version.clusterset.local', 'TXT')).status === 'NOERROR', {
        describe: 'an answer through CoreDNS',
        intervalMs: 100,
      });
      return coreDns;
    } catch (error) {
      await coreDns.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export async function dig(port: number, name: string, type = 'A', options: readonly string[] = []): Promise<Dug> {
  const question = ['@127.0.0.1', '-p', String(port), '+tries=1', '+time=2', ...options, name, type];
  const { stdout } = await runCommand('dig', question);
  return read(stdout);
}

function read(text: string): Dug {
  const section = (title: string) => {
    const lines = text.split(`;; ${title} SECTION:\n`)[1]?.split('\n\n')[0]?.split('\n') ?? [];
    return lines.filter((line) => line !== '').map((line) => line.split(/\s+/).slice(3).join(' '));
  };
  return {
    status: /status: ([A-Z]+)/.exec(text)?.[1] ?? 'no reply',
    flags: /flags: ([a-z ]+);/.exec(text)?.[1]?.split(' ') ?? [],
    answers: section('ANSWER'),
    authorities: section('AUTHORITY'),
    text,
  };
}
