import { createHash } from 'node:crypto';
import type { Side } from '../faults/fault.ts';
import type { Call } from '../network/call.ts';
import { CONVERGENCE, faultlessScript, type Outcome, playScript } from './play.ts';
import type { Scenario } from './scenario.ts';

/** One point of the matrix at which something went wrong. */
export interface CrashFinding {
  readonly call: string;
  readonly side: Side;
  readonly problem: 'leaked' | 'lost' | 'diverged' | 'broken';
  readonly sentence: string;
  /** What happened just before and after the crash. */
  readonly excerpt: readonly string[];
}

export interface CrashMatrix {
  /** How many times the process was killed: once before and once after every call. */
  readonly points: number;
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
  readonly onProgress?: (done: number, total: number) => void;
}

const EXCERPT_LINES = 20;
const DEFAULT_RESTART_MILLISECONDS = 1000;

/**
 * Runs the scenario once, without faults, to list its outside calls; then once for each call and each side of its
 * effect, with the caller killed there and restarted.
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
  const milliseconds = options.restartAfterMilliseconds ?? DEFAULT_RESTART_MILLISECONDS;
  const points = calls
    .filter((call) => scenario.isCrashPoint?.(call) ?? true)
    .flatMap((call) => [{ call: call.id, side: 'before' } as const, { call: call.id, side: 'after' } as const]);
  const findings: CrashFinding[] = [];
  const digest = createHash('sha256');
  for (const [index, { call, side }] of points.entries()) {
    const fault = { kind: 'crash', side, milliseconds } as const;
    const crashing = { ...script, faults: [{ call, fault }] };
    const outcome = await playScript(scenario, crashing);
    digest.update(outcome.hash);
    const problems = problemsOf(outcome);
    if (problems.length > 0) {
      const { history } = await playScript(scenario, crashing, { keepsHistory: true });
      const crash = history.findIndex((line) => line.includes(call));
      const excerpt = history.slice(Math.max(0, crash - EXCERPT_LINES), crash + EXCERPT_LINES);
      findings.push(...problems.map((problem) => ({ call, side, ...problem, excerpt })));
    }
    options.onProgress?.(index + 1, points.length);
  }
  const count = (problem: CrashFinding['problem']) => findings.filter((finding) => finding.problem === problem).length;
  return {
    points: points.length,
    leaked: count('leaked'),
    lost: count('lost'),
    diverged: count('diverged'),
    broken: count('broken'),
    hash: digest.digest('hex'),
    findings,
  };
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
