import { codeOf, FairleadError, findFairleadError, messageOf } from '@fairlead/control';
import { findArmError } from '../../arm/index.ts';

/** Without the id of the call, which is another one each time: repeats are to be recognised. */
export function stableMessage(error: unknown): string {
  const id = findArmError(error)?.correlationId;
  return id === undefined ? messageOf(error) : messageOf(error).replace(`, correlation ${id}`, '');
}

/** The error in these words, so that a loop of attempts fails with the same each time. Its cause has the id. */
export function withStableMessage(error: unknown): unknown {
  const known = findFairleadError(error);
  const words = stableMessage(error);
  if (known === undefined || words === messageOf(error)) return error;
  const { verdict, code, retryAfterMilliseconds: delay } = known;
  const retryAfter = delay === undefined ? {} : { retryAfterMilliseconds: delay };
  return new FairleadError(words, { verdict, code, ...retryAfter, cause: error });
}

/** Azure says so when something that a call refers to is not there. */
const MISSING_REFERENCE = 'InvalidResourceReference';
const SIGNS_OF_DRIFT: ReadonlySet<string> = new Set([
  MISSING_REFERENCE,
  'ServiceWithOverlayMappingsCannotBeDeleted',
  'gateway-missing',
]);

export function isMissingReference(error: unknown): boolean {
  return codeOf(error) === MISSING_REFERENCE;
}

/** Whether Azure and we do not agree on what is there. */
export function isSignOfDrift(error: unknown): boolean {
  return SIGNS_OF_DRIFT.has(codeOf(error));
}
