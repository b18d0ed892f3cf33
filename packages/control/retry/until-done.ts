import { findFairleadError } from '../errors.ts';
import type { Random } from '../random.ts';
import { type Clock, sleep } from '../time/clock.ts';
import { Backoff, type BackoffPolicy } from './backoff.ts';

export interface UntilDoneOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff?: BackoffPolicy;
  /** Told of each failure, and after how many milliseconds it is tried again. */
  readonly onFailure: (error: unknown, delay: number) => void;
}

/** Tries for ever, ever less often, and not before a server wants it. Rejects only when the signal aborts. */
export async function untilDone<Result>(
  work: () => Promise<Result>,
  { clock, random, backoff: policy, onFailure }: UntilDoneOptions,
  signal: AbortSignal,
): Promise<Result> {
  const backoff = new Backoff(random, policy);
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const delay = backoff.next(findFairleadError(error)?.retryAfterMilliseconds);
      onFailure(error, delay);
      await sleep(clock, delay, signal);
    }
  }
}
