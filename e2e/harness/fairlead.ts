import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Outcome, runCommand } from '../../scripts/run-command.ts';
import { readText } from './untyped.ts';

const PROGRAM = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url));
const START_LIMIT_MS = 30_000;

/** How the folders begin that the workers of one test run make. */
function configurationsOf(run: number): string {
  return `fairlead-configuration-${run}-`;
}

/** Half of what a program of ours does until it begins is to read its sources: that is done once in a run. */
function environment(): Readonly<Record<string, string>> {
  return { NODE_COMPILE_CACHE: join(tmpdir(), `${configurationsOf(process.ppid)}compiled`) };
}

/** A configuration file of Fairlead, and the commands that use it. */
export class Fairlead {
  readonly #program: string;
  readonly #directory: string;
  readonly #file: string;

  private constructor(program: string, directory: string, file: string) {
    this.#program = program;
    this.#directory = directory;
    this.#file = file;
  }

  /** JSON is YAML too. The program is run from its sources, unless another is named. */
  static async configure(configuration: object, program = PROGRAM): Promise<Fairlead> {
    const directory = await mkdtemp(join(tmpdir(), configurationsOf(process.ppid)));
    const file = join(directory, 'fairlead.yaml');
    await writeFile(file, JSON.stringify({ http: { listen: '127.0.0.1:0' }, ...configuration }));
    return new Fairlead(program, directory, file);
  }

  /** Removes what the tests of a run left behind; `run` is the process that started their workers. */
  static async removeAll(run: number): Promise<void> {
    const left = (await readdir(tmpdir())).filter((name) => name.startsWith(configurationsOf(run)));
    await Promise.all(left.map((name) => rm(join(tmpdir(), name), { recursive: true })));
  }

  /** Runs a command to its end: `command('why', 'service', 'default/web')`. */
  command(...words: readonly string[]): Promise<Outcome> {
    return runCommand(process.execPath, [this.#program, ...words, '--config', this.#file], '', environment());
  }

  /** Writes the file anew. */
  reconfigure(configuration: object): Promise<void> {
    return writeFile(this.#file, JSON.stringify({ http: { listen: '127.0.0.1:0' }, ...configuration }));
  }

  /** Starts `fairlead run`, or a part by its own command; resolves when it serves. */
  async run(command = 'run', ...options: readonly string[]): Promise<RunningFairlead> {
    const child = spawn(process.execPath, [this.#program, command, ...options, '--config', this.#file], {
      stdio: ['ignore', 'inherit', 'pipe'],
      env: { ...process.env, ...environment() },
    });
    const log: string[] = [];
    const { promise: url, resolve, reject } = Promise.withResolvers<string>();
    if (child.stderr !== null) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        log.push(line);
        if (line.includes('"msg":"running"')) resolve(readText(JSON.parse(line), 'server'));
      });
    }
    child.once('exit', (code) => reject(new Error(`fairlead ended with code ${code}:\n${log.join('\n')}`)));
    const limit = setTimeout(() => reject(new Error(`fairlead did not start:\n${log.join('\n')}`)), START_LIMIT_MS);
    try {
      return new RunningFairlead(child, await url, log);
    } finally {
      clearTimeout(limit);
    }
  }

  /** Removes the file. */
  remove(): Promise<void> {
    return rm(this.#directory, { recursive: true, force: true });
  }
}

/** A process of `fairlead run`. */
export class RunningFairlead {
  readonly url: string;
  readonly log: readonly string[];
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, url: string, log: readonly string[]) {
    this.#child = child;
    this.url = url;
    this.log = log;
  }

  get isLeading(): boolean {
    return this.log.some((line) => line.includes('"msg":"leading"'));
  }

  /** Has the process that does its work replaced by one that reads the configuration anew. */
  replace(): void {
    this.#child.kill('SIGHUP');
  }

  /** Asks it to stop, and gives its exit code. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** As if the machine lost power. */
  kill(): Promise<number | null> {
    return this.#end('SIGKILL');
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit');
      this.#child.kill(signal);
      await exited;
    }
    return this.#child.exitCode;
  }
}
