import {
  type BackoffPolicy,
  backoffDelay,
  type Clock,
  codeOf,
  findFairleadError,
  messageOf,
  type Random,
  verdictOf,
} from '@fairlead/control';
import { findArmError } from '../../arm/index.ts';
import { REFUSES_CODE } from '../cloud/azure-refusals.ts';
import type { Failure, FailureAction, Wait } from './service-state.ts';

/** How long to wait before what Azure did not take is tried again. */
export const BACKOFF: BackoffPolicy = {
  initialMilliseconds: 1_000,
  maximumMilliseconds: 30_000,
  factor: 2,
  jitter: 0.2,
};
/** After so many failures in a row a service is tried only every few minutes; but it is tried for ever. */
const QUICK_TRIES = 12;
const SLOW_MILLISECONDS = 300_000;

export interface RetryPolicy {
  readonly clock: Clock;
  readonly random: Random;
}

/** When to try again after `failures` in a row. Throttling says nothing about the service: its gate has the say. */
export function waitAfter({ clock, random }: RetryPolicy, failures: number, error: unknown): Wait {
  const asked = findFairleadError(error)?.retryAfterMilliseconds;
  const isSlow = failures > QUICK_TRIES && !isAboutAll(error);
  const delay = isSlow ? SLOW_MILLISECONDS : backoffDelay(BACKOFF, failures, random, asked);
  return { failures, notBefore: clock.monotonic() + delay, failure: codeOf(error) };
}

/** Azure is asked once for all services whether it is over, so that none of them need be slow. */
function isAboutAll(error: unknown): boolean {
  return findArmError(error)?.isThrottling === true || codeOf(error) === REFUSES_CODE;
}

/** What a failed creation or update leads to: a refusal that is about the service itself parks it. */
export function failureActionAfter(policy: RetryPolicy, failures: number, error: unknown): FailureAction {
  if (verdictOf(error) === 'terminal') return { kind: 'park', failure: failureOf(error) };
  return { kind: 'retry', wait: waitAfter(policy, failures, error) };
}

export function failureOf(error: unknown): Failure {
  return { code: codeOf(error), message: messageOf(error) };
}
