import { createHash } from 'node:crypto';
import { randomPick, seededRandom } from '@fairlead/control';
import type { Side } from '../faults/fault.ts';
import type { Call } from '../network/call.ts';
import { CONVERGENCE, faultlessScript, type Outcome, playScript } from './play.ts';
import type { Scenario } from './scenario.ts';

/** Where a process is killed. */
export interface CrashPoint {
  readonly call: string;
  readonly side: Side;
}

/** Crashes after which something went wrong. */
export interface CrashFinding {
  /** One, or two of which the second came after the first. */
  readonly crashes: readonly CrashPoint[];
  readonly problem: 'leaked' | 'lost' | 'diverged' | 'broken';
  readonly sentence: string;
  /** What happened just before and after the last crash. */
  readonly excerpt: readonly string[];
}

export interface CrashMatrix {
  /** How many times the process was killed: once before and once after every call. */
  readonly points: number;
  /** How many times it was killed once more while what came of the first time was being put right. */
  readonly pairs: number;
  readonly leaked: number;
  readonly lost: number;
  readonly diverged: number;
  /** Points at which an invariant broke. */
  readonly broken: number;
  /** Over the histories of all points. */
  readonly hash: string;
  readonly findings: readonly CrashFinding[];
}

export interface CrashMatrixOptions {
  readonly seed: number;
  /** How long the process stays dead, in virtual milliseconds. */
  readonly restartAfterMilliseconds?: number;
  /** How many pairs of crashes are tried, too: a sample that follows from the seed. */
  readonly pairs?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

const EXCERPT_LINES = 20;
const DEFAULT_RESTART_MILLISECONDS = 1000;
/** The second crash is at one of so many points after the first: while that is being put right. */
const SOON_POINTS = 30;

/**
 * Runs the scenario once, without faults, to list its outside calls; then once for each call and each side of its
 * effect, with the caller killed there and restarted; then for a sample of pairs of such crashes.
 */
export async function crashMatrix<World, Action>(
  scenario: Scenario<World, Action>,
  options: CrashMatrixOptions,
): Promise<CrashMatrix> {
  const script = faultlessScript(scenario, options.seed);
  const calls: Call[] = [];
  const baseline = await playScript(scenario, script, { onCall: (call) => void calls.push(call) });
  if (baseline.failure !== undefined) {
    const { invariant, sentence } = baseline.failure;
    throw new Error(`${scenario.name} fails without any crash, at seed ${options.seed}: ${invariant}: ${sentence}`);
  }
  const isCrashPoint = (call: Call) => scenario.isCrashPoint?.(call) ?? true;
  const points = calls.filter(isCrashPoint).flatMap(bothSides);
  const pairs = options.pairs ?? 0;
  const total = points.length + pairs;
  const milliseconds = options.restartAfterMilliseconds ?? DEFAULT_RESTART_MILLISECONDS;
  const crashing = (crashes: readonly CrashPoint[]) => ({
    ...script,
    faults: crashes.map(({ call, side }) => ({ call, fault: { kind: 'crash', side, milliseconds } as const })),
  });
  const findings: CrashFinding[] = [];
  const digest = createHash('sha256');
  let done = 0;
  const play = async (crashes: readonly CrashPoint[]) => {
    const outcome = await playScript(scenario, crashing(crashes));
    digest.update(outcome.hash);
    const problems = problemsOf(outcome);
    if (problems.length > 0) {
      const { history } = await playScript(scenario, crashing(crashes), { keepsHistory: true });
      const crash = history.findIndex((line) => line.includes(crashes.at(-1)?.call ?? ''));
      const excerpt = history.slice(Math.max(0, crash - EXCERPT_LINES), crash + EXCERPT_LINES);
      findings.push(...problems.map((problem) => ({ crashes, ...problem, excerpt })));
    }
    done += 1;
    options.onProgress?.(done, total);
  };
  for (const point of points) await play([point]);
  const random = seededRandom(options.seed);
  const firsts = points.filter(({ call }) => call !== points.at(-1)?.call);
  // A first crash is played once more to see what follows it: worth two second ones.
  for (let left = pairs; left > 0; left -= 2) {
    const first = randomPick(random, firsts);
    const all: Call[] = [];
    await playScript(scenario, crashing([first]), { onCall: (call) => void all.push(call) });
    const later = all.slice(1 + all.findIndex(({ id }) => id === first.call)).filter(isCrashPoint);
    const soon = later.flatMap(bothSides).slice(0, SOON_POINTS);
    for (let second = 0; second < Math.min(2, left); second += 1) await play([first, randomPick(random, soon)]);
  }
  const count = (problem: CrashFinding['problem']) => findings.filter((finding) => finding.problem === problem).length;
  return {
    points: points.length,
    pairs,
    leaked: count('leaked'),
    lost: count('lost'),
    diverged: count('diverged'),
    broken: count('broken'),
    hash: digest.digest('hex'),
    findings,
  };
}

function bothSides({ id: call }: Call): readonly CrashPoint[] {
  return [
    { call, side: 'before' },
    { call, side: 'after' },
  ];
}

function problemsOf<Action>(outcome: Outcome<Action>): Pick<CrashFinding, 'problem' | 'sentence'>[] {
  const { failure, leaked, lost } = outcome;
  const problems: Pick<CrashFinding, 'problem' | 'sentence'>[] = [];
  if (leaked.length > 0) problems.push({ problem: 'leaked', sentence: leaked.join('; ') });
  if (lost.length > 0) problems.push({ problem: 'lost', sentence: lost.join('; ') });
  if (failure === undefined || problems.length > 0) return problems;
  const problem = failure.invariant === CONVERGENCE ? 'diverged' : 'broken';
  return [{ problem, sentence: `${failure.invariant}: ${failure.sentence}` }];
}
