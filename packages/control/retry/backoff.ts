import type { Random } from '../random.ts';

export interface BackoffPolicy {
  readonly initialMilliseconds: number;
  readonly maximumMilliseconds: number;
  /** Each delay is so many times the one before. */
  readonly factor: number;
  /** Each delay is shortened by up to this fraction of itself, so that those who failed together come back apart. */
  readonly jitter: number;
  /** A delay that the server asked for is lengthened by up to this fraction of itself; by none unless told otherwise. */
  readonly serverJitter?: number;
}

/** Half a second to a minute: for calls to an API that is expected to come back. */
const defaultBackoff: BackoffPolicy = {
  initialMilliseconds: 500,
  maximumMilliseconds: 60_000,
  factor: 2,
  jitter: 0.25,
};

/**
 * The delay before the next attempt, after `failures` in a row (from 1 on); never above the maximum. The server's own
 * delay wins, and none comes back before it is over; but a server that says "now" does not: that would be a loop without backoff.
 */
export function backoffDelay(
  policy: BackoffPolicy,
  failures: number,
  random: Random,
  serverDelayMilliseconds?: number,
): number {
  if (serverDelayMilliseconds !== undefined && serverDelayMilliseconds > 0) {
    if (policy.serverJitter === undefined) return serverDelayMilliseconds;
    const spread = Math.min(serverDelayMilliseconds, policy.maximumMilliseconds) * policy.serverJitter;
    return serverDelayMilliseconds + spread * random.next();
  }
  const grown = policy.initialMilliseconds * policy.factor ** Math.max(0, failures - 1);
  return Math.min(grown, policy.maximumMilliseconds) * (1 - policy.jitter * random.next());
}

/** Counts the failures of one thing that is tried again and again. */
export class Backoff {
  readonly #policy: BackoffPolicy;
  readonly #random: Random;
  #failures = 0;

  constructor(random: Random, policy: BackoffPolicy = defaultBackoff) {
    this.#random = random;
    this.#policy = policy;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Notes a failure; gives the delay before the next attempt. */
  next(serverDelayMilliseconds?: number): number {
    this.#failures += 1;
    return backoffDelay(this.#policy, this.#failures, this.#random, serverDelayMilliseconds);
  }

  /** Notes a success. */
  reset(): void {
    this.#failures = 0;
  }
}
