import { FairleadError, findFairleadError, messageOf } from '../errors.ts';
import type { Journal } from '../report/journal.ts';

/**
 * One outside call of a plan. Running it again, also after it had half an effect, must do no harm: a process that
 * died runs the plan afresh from what it then finds.
 */
export interface Step {
  /** Stable: tests and the journal refer to it. */
  readonly name: string;
  /** The outside call it makes, as the journal and the crash tests name it: `PUT publicIPAddresses`. */
  readonly call: string;
  /** What the world looks like if the process dies right after it, and who mends it: a sentence. */
  readonly ifItDiesHere: string;
  run(signal: AbortSignal): Promise<void>;
}

/** A step that failed; verdict, code and delay are those of its cause. */
export class StepFailure extends FairleadError {
  readonly step: string;

  constructor(step: string, cause: unknown) {
    const known = findFairleadError(cause);
    super(`${step}: ${messageOf(cause)}`, {
      verdict: known?.verdict ?? 'terminal',
      code: known?.code ?? 'unexpected',
      ...(known?.retryAfterMilliseconds === undefined ? {} : { retryAfterMilliseconds: known.retryAfterMilliseconds }),
      cause,
    });
    this.step = step;
  }
}

/** Where the steps are recorded: the journal, and the object's key in it. */
export interface StepRecord {
  readonly journal: Journal;
  readonly key: string;
}

/**
 * Runs the steps in order. Stops at the first that fails, with a StepFailure; or, when the signal aborts, with its
 * reason, and no further step is begun.
 */
export async function runSteps(steps: readonly Step[], record: StepRecord, signal: AbortSignal): Promise<void> {
  for (const step of steps) {
    signal.throwIfAborted();
    await runStep(step, record, signal);
  }
}

async function runStep(step: Step, { journal, key }: StepRecord, signal: AbortSignal): Promise<void> {
  const entry = { kind: 'step', step: step.name, call: step.call } as const;
  journal.record(key, { ...entry, outcome: 'started' });
  try {
    await step.run(signal);
  } catch (error) {
    journal.record(key, { ...entry, outcome: signal.aborted ? 'interrupted' : 'failed' });
    signal.throwIfAborted();
    journal.recordError(key, error);
    throw new StepFailure(step.name, error);
  }
  journal.record(key, { ...entry, outcome: 'done' });
}
