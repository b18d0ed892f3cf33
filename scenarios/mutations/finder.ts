import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AskedProcess } from '../asked-process.ts';
import { type Defect, VARIABLE } from './defect.ts';

export type SuiteAnswer =
  | { readonly kind: 'run'; readonly hasFailed: boolean }
  | { readonly kind: 'not-run'; readonly why: string };
export type Verdict = { readonly kind: 'found' | 'missed' } | { readonly kind: 'undecided'; readonly why: string };

/** A defect may well make a suite go on for ever. */
const LONGEST_RUN_SECONDS = 300;

/** Puts one defect at a time into the code, and sees whether what should find it does. */
export class Finder {
  readonly #longestSeconds: number;
  #suites: AskedProcess<Defect, SuiteAnswer> | undefined;

  constructor(longestSeconds = LONGEST_RUN_SECONDS) {
    this.#longestSeconds = longestSeconds;
  }

  find(defect: Defect): Promise<Verdict> {
    return 'unit' in defect.foundBy ? this.#bySuite(defect) : bySimulation(defect, defect.foundBy);
  }

  async end(): Promise<void> {
    await this.#suites?.hangUp();
    this.#suites = undefined;
  }

  async #bySuite(defect: Defect): Promise<Verdict> {
    this.#suites ??= new AskedProcess(new URL('./suites.ts', import.meta.url));
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), this.#longestSeconds * 1_000);
    const answer = await Promise.race([this.#suites.ask(defect), late]);
    clearTimeout(timer);
    if (answer === 'late') {
      this.#suites.kill();
      this.#suites = undefined;
      return { kind: 'undecided', why: `did not end within ${this.#longestSeconds} s` };
    }
    if (answer.kind === 'not-run') return { kind: 'undecided', why: answer.why };
    return { kind: answer.hasFailed ? 'found' : 'missed' };
  }
}

async function bySimulation(
  defect: Defect,
  { sim, seeds, from = 1 }: { readonly sim: string; readonly seeds: number; readonly from?: number },
): Promise<Verdict> {
  const hook = join(import.meta.dirname, 'hook.ts');
  const scenarios = join(import.meta.dirname, '..', 'run.ts');
  const parameters = ['--import', hook, scenarios, sim, '--seeds', String(seeds), '--from', String(from)];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...parameters], {
    env: { ...process.env, [VARIABLE]: JSON.stringify(defect), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_RUN_SECONDS * 1_000,
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.signalCode !== null) return { kind: 'undecided', why: `did not end within ${LONGEST_RUN_SECONDS} s` };
  return { kind: /\bFAILED\b|unhandled error/.test(stdout + stderr) ? 'found' : 'missed' };
}
