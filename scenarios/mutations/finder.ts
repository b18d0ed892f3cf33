import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { AskedProcess } from '../asked-process.ts';
import { type Defect, type FoundBy, VARIABLE } from './defect.ts';

export type SuiteAnswer =
  | { readonly kind: 'run'; readonly hasFailed: boolean }
  | { readonly kind: 'not-run'; readonly why: string };
export type Verdict = { readonly kind: 'found' | 'missed' } | { readonly kind: 'undecided'; readonly why: string };

const ROOT = join(import.meta.dirname, '..', '..');
const HOOK = join(import.meta.dirname, 'hook.ts');
/** Tests start the program in processes of its own: it has to have the defect there, too. */
export const IN_PROGRAMS = `--disable-warning=ExperimentalWarning --import=${pathToFileURL(HOOK).href}`;
/** A defect may well make a suite go on for ever. */
const LONGEST_RUN_SECONDS = 300;

/** What runs test suites with a defect in the code, for as long as it is asked. */
export type Suites = Pick<AskedProcess<Defect, SuiteAnswer>, 'ask' | 'hangUp' | 'kill'>;

/** Puts one defect at a time into the code, and sees whether what should find it does. */
export class Finder {
  readonly #longestSeconds: number;
  readonly #startSuites: () => Suites;
  #suites: Suites | undefined;

  constructor(longestSeconds = LONGEST_RUN_SECONDS, startSuites = startProcess) {
    this.#longestSeconds = longestSeconds;
    this.#startSuites = startSuites;
  }

  find(defect: Defect): Promise<Verdict> {
    const { foundBy } = defect;
    if ('sim' in foundBy) return bySimulation(defect, foundBy);
    return 'e2e' in foundBy ? byCluster(defect, foundBy) : this.#bySuite(defect);
  }

  async end(): Promise<void> {
    await this.#suites?.hangUp();
    this.#suites = undefined;
  }

  async #bySuite(defect: Defect): Promise<Verdict> {
    const isFresh = this.#suites === undefined;
    this.#suites ??= this.#startSuites();
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), this.#longestSeconds * 1_000);
    const answer = await Promise.race([this.#suites.ask(defect), late]);
    clearTimeout(timer);
    if (answer === 'late') {
      this.#suites.kill();
      this.#suites = undefined;
      // What hung may be the process, after all that it has run before.
      if (!isFresh) return this.#bySuite(defect);
      return { kind: 'undecided', why: `did not end within ${this.#longestSeconds} s` };
    }
    if (answer.kind === 'not-run') return { kind: 'undecided', why: answer.why };
    return { kind: answer.hasFailed ? 'found' : 'missed' };
  }
}

function startProcess(): Suites {
  return new AskedProcess(new URL('./suites.ts', import.meta.url), { inOwnGroup: true });
}

async function byProgram(defect: Defect, parameters: readonly string[], options = ''): Promise<Verdict> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...parameters], {
    cwd: ROOT,
    env: { ...process.env, [VARIABLE]: JSON.stringify(defect), NO_COLOR: '1', NODE_OPTIONS: options },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_RUN_SECONDS * 1_000,
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.signalCode !== null) return { kind: 'undecided', why: `did not end within ${LONGEST_RUN_SECONDS} s` };
  return { kind: /\bTests\s+\d+ failed|\bFAILED\b|unhandled error/.test(stdout + stderr) ? 'found' : 'missed' };
}

function bySimulation(defect: Defect, { sim, seeds, from = 1 }: Extract<FoundBy, { sim: string }>): Promise<Verdict> {
  const run = ['--import', HOOK, join('scenarios', 'run.ts'), sim];
  return byProgram(defect, [...run, '--seeds', String(seeds), '--from', String(from)]);
}

/** These wait for clusters more than for anything that could be kept. */
function byCluster(defect: Defect, { e2e }: Extract<FoundBy, { e2e: string }>): Promise<Verdict> {
  const vitest = [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'e2e'];
  return byProgram(defect, [...vitest, '--reporter=dot', '--fsModuleCache=false', '--bail=1', e2e], IN_PROGRAMS);
}
