import { join } from 'node:path';
import { unpackedDebian } from '../../scripts/debian-packages.ts';
import type { Report } from '../../scripts/progress.ts';
import { runCommand } from '../../scripts/run-command.ts';
import type { NameServer } from './name-server.ts';

const CLIENTS = 20;
const OUTSTANDING = 200;
/** Longer than a reply takes that is not lost. */
const TIMEOUT_SECONDS = 3;
const LIBRARIES = ['libldns3', 'libnghttp2-14', 'libssl3'];

export interface Load {
  readonly queriesPerSecond: number;
  readonly queriesPerCpuSecond: number;
  readonly lost: number;
  /** Of a reply, on average. */
  readonly replyBytes: number;
  /** Of each reply, where they were asked for. */
  readonly milliseconds: readonly number[];
}

export interface LoadOptions {
  readonly queryFile: string;
  readonly seconds: number;
  /** At most; undefined: as fast as they answer. */
  readonly perSecond?: number;
  /** Where the queries are made; undefined: wherever there is room. */
  readonly cpus?: string;
}

/** Asks name servers, many queries at a time. */
export class LoadGenerator {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async install(report: Report): Promise<LoadGenerator> {
    return new LoadGenerator(await unpackedDebian('dnsperf', ['dnsperf', ...LIBRARIES], report));
  }

  /** Servers that share a port count as one. With a limit, it also tells how long each reply took. */
  async ask(servers: readonly NameServer[], { queryFile, seconds, perSecond, cpus }: LoadOptions): Promise<Load> {
    const cpuSeconds = async () => {
      const each = await Promise.all(servers.map((server) => server.cpuSeconds()));
      return each.reduce((sum, one) => sum + one, 0);
    };
    const target = ['-s', '127.0.0.1', '-p', String(servers[0]?.port), '-d', queryFile, '-l', String(seconds)];
    const clients = ['-c', String(CLIENTS), '-q', String(OUTSTANDING), '-t', String(TIMEOUT_SECONDS), '-e'];
    const limit = perSecond === undefined ? [] : ['-Q', String(Math.round(perSecond)), '-v'];
    const before = await cpuSeconds();
    const words = ['env', ...inFolder(this.#folder, 'bin/dnsperf', [...target, ...clients, ...limit])];
    const [command = '', ...parameters] = cpus === undefined ? words : ['taskset', '-c', cpus, ...words];
    const { stdout, stderr } = await runCommand(command, parameters);
    const used = (await cpuSeconds()) - before;
    const figure = (name: string) => Number(new RegExp(`${name}:\\s+([\\d.]+)`).exec(stdout)?.[1]);
    const completed = figure('Queries completed');
    const isSound = /Response codes:\s+NOERROR \d+ \(100\.00%\)/.test(stdout);
    if (!(completed > 0) || !isSound) throw new Error(`dnsperf failed: ${stdout.slice(-1_000)} ${stderr}`);
    return {
      queriesPerSecond: figure('Queries per second'),
      queriesPerCpuSecond: completed / used,
      lost: figure('Queries lost'),
      replyBytes: Number(/Average packet size:\s+request \d+, response (\d+)/.exec(stdout)?.[1]),
      milliseconds: [...stdout.matchAll(/^> NOERROR .* (\d+\.\d+)$/gm)].map(([, text]) => 1_000 * Number(text)),
    };
  }
}

/** The words by which `env` runs a program of a folder with Debian's packages. */
export function inFolder(folder: string, program: string, parameters: readonly string[]): readonly string[] {
  const triplet = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
  const libraries = ['usr/lib', 'lib'].map((path) => join(folder, path, triplet)).join(':');
  return [`LD_LIBRARY_PATH=${libraries}`, join(folder, 'usr', program), ...parameters];
}
