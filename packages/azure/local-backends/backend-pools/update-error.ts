import { codeOf, FairleadError, findFairleadError, messageOf } from '@fairlead/control';
import { findArmError } from '../../arm/index.ts';

/** What the updater does about a failure to update a pool. */
export type UpdateVerdict =
  /** What was to be updated is not there: drop it quietly. */
  | { readonly kind: 'stale' }
  /** Try again on a later tick; not before the server's own delay is over, where it named one. */
  | { readonly kind: 'retriable'; readonly retryAfterMilliseconds: number | undefined }
  /** Give up, and say so. */
  | { readonly kind: 'terminal' };

const STALE: UpdateVerdict = { kind: 'stale' };
const NEXT_TICK: UpdateVerdict = { kind: 'retriable', retryAfterMilliseconds: undefined };
const TERMINAL: UpdateVerdict = { kind: 'terminal' };

/**
 * Narrower than the verdict of an ArmError: the client has repeated by itself what is worth repeating at once (408 and
 * 5xx, or no answer at all), so that a second layer of retries would only multiply them.
 */
export function classifyUpdateError(error: unknown): UpdateVerdict {
  if (isRetriableBackendPoolUpdateError(error)) return NEXT_TICK;
  const refusal = findArmError(error);
  if (refusal === undefined) return codeOf(error) === 'throttle-gate-closed' ? afterGate(error) : TERMINAL;
  switch (refusal.status) {
    case 404:
      return STALE;
    case 429:
      return { kind: 'retriable', retryAfterMilliseconds: refusal.retryAfterMilliseconds };
    // Another program was faster. The next attempt reads the pool afresh.
    case 409:
    case 412:
      return NEXT_TICK;
    default:
      return TERMINAL;
  }
}

/** The gate tells the server's time where it knows it; the calls of other pools would only use up their retries. */
function afterGate(error: unknown): UpdateVerdict {
  return { kind: 'retriable', retryAfterMilliseconds: findFairleadError(error)?.retryAfterMilliseconds };
}

class RetriableBackendPoolUpdateError extends FairleadError {}

/** Lets an error that is not Azure's be tried again by the updater. */
export function newRetriableBackendPoolUpdateError(cause: unknown): FairleadError {
  return new RetriableBackendPoolUpdateError(messageOf(cause), { verdict: 'retriable', code: codeOf(cause), cause });
}

export function isRetriableBackendPoolUpdateError(error: unknown): boolean {
  const found = findFairleadError(error);
  if (found instanceof RetriableBackendPoolUpdateError) return true;
  return found?.cause !== undefined && isRetriableBackendPoolUpdateError(found.cause);
}
