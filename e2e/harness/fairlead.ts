import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import { type Outcome, runCommand } from '../../scripts/run-command.ts';
import { programOf, startsQuickly } from './run-folder.ts';
import { readText } from './untyped.ts';

const START_LIMIT_MS = 30_000;

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

  /** JSON is YAML too. The program is the one that was bundled for this run, unless another is named. */
  static async configure(configuration: object, program = programOf(inject('runFolder'))): Promise<Fairlead> {
    const directory = await mkdtemp(join(inject('runFolder'), 'configuration-'));
    const file = join(directory, 'fairlead.yaml');
    await writeFile(file, JSON.stringify({ http: { listen: '127.0.0.1:0' }, ...configuration }));
    return new Fairlead(program, directory, file);
  }

  /** Runs a command to its end: `command('why', 'service', 'default/web')`. */
  command(...words: readonly string[]): Promise<Outcome> {
    return runCommand(
      process.execPath,
      [this.#program, ...words, '--config', this.#file],
      '',
      startsQuickly(inject('runFolder')),
    );
  }

  /** Writes the file anew. */
  reconfigure(configuration: object): Promise<void> {
    return writeFile(this.#file, JSON.stringify({ http: { listen: '127.0.0.1:0' }, ...configuration }));
  }

  /** Starts `fairlead run`, or a part by its own command; resolves when it serves. */
  async run(command = 'run', ...options: readonly string[]): Promise<RunningFairlead> {
    const child = spawn(process.execPath, [this.#program, command, ...options, '--config', this.#file], {
      stdio: ['ignore', 'inherit', 'pipe'],
      env: { ...process.env, ...startsQuickly(inject('runFolder')) },
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
