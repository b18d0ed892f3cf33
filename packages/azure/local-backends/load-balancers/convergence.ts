import { FairleadError, type IpAddress, verdictOf } from '@fairlead/control';
import { type ArmError, findArmError } from '../../arm/index.ts';
import { MOST_ROUNDS } from '../report/dry-run.ts';
import type { AzureSite } from '../site.ts';
import { type ApplyOptions, applyWrites } from './apply.ts';
import type { ObservedAzure } from './observed.ts';
import { nextWrites } from './plan.ts';
import type { AzureWrite, Intention } from './target.ts';

export interface ConvergeOptions extends ApplyOptions {
  readonly site: AzureSite;
  readonly isNode: (address: IpAddress) => boolean;
}

/** Why something did not come about. */
export interface ConvergenceFailure {
  readonly error: unknown;
  /** The write was for others, too, and one of them may be to blame. */
  readonly isShared: boolean;
}

export interface Converged {
  readonly observed: ObservedAzure;
  readonly writes: readonly AzureWrite[];
  readonly failures: ReadonlyMap<Intention['subject'], ConvergenceFailure>;
}

/** Writes, round by round, until Azure is as intended. Who fails is left as it is; the others go on. */
export async function converge(
  intentions: readonly Intention[],
  before: ObservedAzure,
  options: ConvergeOptions,
): Promise<Converged> {
  const failures = new Map<Intention['subject'], ConvergenceFailure>();
  const done: AzureWrite[] = [];
  let observed = before;
  const fail = (subjects: readonly Intention['subject'][], error: unknown) => {
    for (const subject of subjects) failures.set(subject, { error, isShared: subjects.length > 1 });
  };
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const pending = intentions.filter(({ subject }) => !failures.has(subject));
    let writes: readonly AzureWrite[];
    try {
      writes = nextWrites({ ...options, intentions: pending, observed });
    } catch (error) {
      fail(
        pending.map(({ subject }) => subject),
        error,
      );
      return { observed, writes: done, failures };
    }
    if (writes.length === 0) return { observed, writes: done, failures };
    const applied = await applyWrites(writes, observed, options);
    observed = applied.observed;
    for (const { write, error } of applied.failed) {
      // Of a load balancer that nobody is on, nobody has to be told: it is tried again next time.
      if (write.subjects.length === 0) return { observed, writes: done, failures };
      fail(write.subjects, error);
    }
    const failed = new Set(applied.failed.map(({ write }) => write));
    done.push(...writes.filter((write) => !failed.has(write)));
  }
  fail(
    intentions.map(({ subject }) => subject),
    new FairleadError('Azure does not come to rest: what is written is not what it shows afterwards', {
      verdict: 'retriable',
      code: 'not-settled',
    }),
  );
  return { observed, writes: done, failures };
}

/** Whether leaving some of the Services out may let the others through. */
export function mayBeSomebodys({ error, isShared }: ConvergenceFailure): boolean {
  if (!isShared || verdictOf(error) !== 'terminal') return false;
  const refusal = findArmError(error);
  return refusal === undefined || !isAboutUs(refusal);
}

/** Not about what was sent: about who we are, or about a resource that is missing. */
function isAboutUs({ status }: ArmError): boolean {
  return status === 401 || status === 403 || status === 404;
}
