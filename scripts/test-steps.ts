import { ownTemporaryFolder } from './own-temporary-folder.ts';
import { formatDuration, type Report } from './progress.ts';
import type { TestCounts } from './test-counts.ts';

/** How a step ended; `unavailable` means that this machine lacks something, and says what. */
export type StepOutcome =
  | { readonly kind: 'ok'; readonly tests?: TestCounts }
  | { readonly kind: 'failed'; readonly tests?: TestCounts }
  | { readonly kind: 'unavailable'; readonly why: string };

export interface Step {
  readonly name: string;
  /** The name of an earlier step without whose success this one cannot run. */
  readonly needs?: string;
  run(): Promise<StepOutcome>;
}

/**
 * Runs the steps in order up to the first that fails, and reports how each ended. Where everything must run (CI), what
 * cannot run is a failure. The last line is the sum of all tests. Returns whether all is well.
 */
export async function runSteps(steps: readonly Step[], mustRunAll: boolean, report: Report): Promise<boolean> {
  const summary: string[] = [];
  const unavailable = new Map<string, string>();
  let sum: TestCounts = { passed: 0, failed: 0 };
  let isWell = true;
  for (const step of steps) {
    report(`\n> ${step.name}`);
    const started = performance.now();
    const missing = step.needs === undefined ? undefined : unavailable.get(step.needs);
    const outcome: StepOutcome = missing === undefined ? await step.run() : { kind: 'unavailable', why: missing };
    const took = formatDuration(performance.now() - started);
    summary.push(`${step.name.padEnd(10)}  ${took.padStart(11)}  ${describe(outcome)}`);
    if (outcome.kind === 'unavailable') unavailable.set(step.name, outcome.why);
    else sum = add(sum, outcome.tests);
    isWell = outcome.kind === 'ok' || (outcome.kind === 'unavailable' && !mustRunAll);
    if (!isWell) break;
  }
  report(['', ...summary, countsText(sum)].join('\n'));
  return isWell;
}

/** The step in a temporary folder of its own, which it has to leave empty. */
export function leavesNothing(step: Step, report: Report): Step {
  const run = async (): Promise<StepOutcome> => {
    const own = await ownTemporaryFolder();
    const ended = step.run();
    const left = await ended.then(
      () => own.giveBack(),
      () => own.giveBack(),
    );
    const outcome = await ended;
    if (left.length === 0 || outcome.kind !== 'ok') return outcome;
    report(`left behind in the temporary folder: ${left.join(', ')}`);
    return { ...outcome, kind: 'failed' };
  };
  return { ...step, run };
}

function add(sum: TestCounts, tests: TestCounts | undefined): TestCounts {
  if (tests === undefined) return sum;
  return { passed: sum.passed + tests.passed, failed: sum.failed + tests.failed };
}

function describe(outcome: StepOutcome): string {
  if (outcome.kind === 'unavailable') return `NOT RUN: ${outcome.why}`;
  const word = outcome.kind === 'ok' ? 'ok' : 'FAILED';
  return outcome.tests === undefined ? word : `${word}, ${countsText(outcome.tests)}`;
}

function countsText({ passed, failed }: TestCounts): string {
  return `${passed} passed, ${failed} failed`;
}
