import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Outcome, runCommand } from '../../scripts/run-command.ts';
import { eventually } from '../harness/index.ts';
import type { Step } from './step.ts';

/** One of the two clusters, with kubectl for it. */
export class Side {
  readonly #kubectl: string;
  readonly #folder: string;
  readonly #global: readonly string[];

  /** What kubectl leaves behind, it leaves in the folder. */
  constructor(kubectl: string, kubeconfig: string, folder: string, cache: string) {
    this.#kubectl = kubectl;
    this.#folder = folder;
    this.#global = ['--kubeconfig', kubeconfig, '--cache-dir', join(folder, cache)];
  }

  async run({ command, input, editor }: Step): Promise<Outcome> {
    const environment = [`TMPDIR=${this.#folder}`, `KUBE_EDITOR=${editor ?? 'false'}`];
    return runCommand('env', [...environment, this.#kubectl, ...this.#parameters(command)], input);
  }

  /** Starts a command that goes on until it is ended. */
  watch(command: string): Watching {
    return new Watching(spawn(this.#kubectl, this.#parameters(command), { stdio: ['ignore', 'pipe', 'inherit'] }));
  }

  /** Words are told apart by spaces, except between single quotes. */
  #parameters(command: string): string[] {
    const words = command.match(/(?:[^\s']|'[^']*')+/g) ?? [];
    return [...this.#global, ...words.map((word) => word.replaceAll("'", ''))];
  }
}

/** A command that prints as things happen. */
export class Watching {
  readonly #child: ChildProcess;
  #output = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
  }

  /** What was printed, once there are this many lines of it. */
  async lines(count: number): Promise<string> {
    const describe = `${count} lines of a watch`;
    return eventually(() => this.#output.split('\n').length > count && this.#output, { describe });
  }

  async end(): Promise<void> {
    const ended = once(this.#child, 'close');
    this.#child.kill();
    await ended;
  }
}
