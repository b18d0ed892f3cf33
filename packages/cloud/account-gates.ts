import { Backoff, type BackoffPolicy, type Clock, type Metrics, type Random, ThrottleGate } from '@fairlead/control';

/** A server that throttles without saying for how long. */
const UNNAMED_DELAY: BackoffPolicy = {
  initialMilliseconds: 2_000,
  maximumMilliseconds: 60_000,
  factor: 2,
  jitter: 0.2,
};

/** Before all requests of an account that the cloud throttles together. */
class AccountGate extends ThrottleGate {
  readonly #backoff: Backoff;

  constructor(name: string, clock: Clock, random: Random, metrics: Metrics) {
    super(name, clock, metrics);
    this.#backoff = new Backoff(random, UNNAMED_DELAY);
  }

  /** The cloud throttles. `retryAfterMilliseconds` is what it asked for, if that could be understood. */
  throttled(retryAfterMilliseconds: number | undefined): void {
    this.closeFor(this.#backoff.next(retryAfterMilliseconds), retryAfterMilliseconds !== undefined);
  }

  /** The cloud answered, and may have said that nothing is left of the budget for a while. */
  answered(pauseMilliseconds: number): void {
    this.#backoff.reset();
    if (pauseMilliseconds > 0) this.closeFor(pauseMilliseconds);
  }
}

/** One throttle gate for each account and each side of it, such as its writes, as the cloud counts them. */
export class AccountGates {
  readonly #cloud: string;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #metrics: Metrics;
  /** Account, in each spelling that was met -> side -> its gate. */
  readonly #accounts = new Map<string, Map<string, AccountGate>>();

  constructor(cloud: string, clock: Clock, random: Random, metrics: Metrics) {
    this.#cloud = cloud;
    this.#clock = clock;
    this.#random = random;
    this.#metrics = metrics;
  }

  gate(account: string, side: string): AccountGate {
    const sides = this.#accounts.get(account) ?? this.#sidesOf(account);
    let gate = sides.get(side);
    if (gate === undefined) {
      const name = `${this.#cloud} ${side} of ${account.toLowerCase()}`;
      gate = new AccountGate(name, this.#clock, this.#random, this.#metrics);
      sides.set(side, gate);
    }
    return gate;
  }

  #sidesOf(account: string): Map<string, AccountGate> {
    const key = account.toLowerCase();
    const sides = this.#accounts.get(key) ?? new Map<string, AccountGate>();
    this.#accounts.set(key, sides);
    this.#accounts.set(account, sides);
    return sides;
  }
}
