import { Backoff, type BackoffPolicy, type Clock, type Metrics, type Random, ThrottleGate } from '@fairlead/control';

export type Side = 'reads' | 'writes';

/** A server that throttles without saying for how long. */
const UNNAMED_DELAY: BackoffPolicy = {
  initialMilliseconds: 2_000,
  maximumMilliseconds: 60_000,
  factor: 2,
  jitter: 0.2,
};
/** Azure refills ten writes a second or more: after a second there is room again. */
const EMPTY_BUCKET_MILLISECONDS = 1_000;
const REMAINING = 'x-ms-ratelimit-remaining-';

interface Guarded {
  readonly gate: ThrottleGate;
  readonly backoff: Backoff;
}

/** One throttle gate for the reads and one for the writes of each subscription, as Azure counts them. */
export class SubscriptionGates {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #metrics: Metrics;
  /** Subscription, in each spelling that was met -> its gates. */
  readonly #gates = new Map<string, Readonly<Record<Side, Guarded>>>();

  constructor(clock: Clock, random: Random, metrics: Metrics) {
    this.#clock = clock;
    this.#random = random;
    this.#metrics = metrics;
  }

  gate(subscriptionId: string, side: Side): ThrottleGate {
    return this.#guarded(subscriptionId, side).gate;
  }

  /** Azure throttles. `retryAfterMilliseconds` is what it asked for, if that could be understood. */
  throttled(subscriptionId: string, side: Side, retryAfterMilliseconds: number | undefined): void {
    const { gate, backoff } = this.#guarded(subscriptionId, side);
    gate.closeFor(backoff.next(retryAfterMilliseconds));
  }

  /** Azure answered; its headers may say that no further call is left for now. */
  answered(subscriptionId: string, side: Side, headers: Readonly<Record<string, string>>): void {
    const { gate, backoff } = this.#guarded(subscriptionId, side);
    backoff.reset();
    if (isBucketEmpty(headers)) gate.closeFor(EMPTY_BUCKET_MILLISECONDS);
  }

  #guarded(subscriptionId: string, side: Side): Guarded {
    let gates = this.#gates.get(subscriptionId);
    if (gates === undefined) {
      const key = subscriptionId.toLowerCase();
      gates = this.#gates.get(key) ?? { reads: this.#newGate(key, 'reads'), writes: this.#newGate(key, 'writes') };
      this.#gates.set(key, gates);
      this.#gates.set(subscriptionId, gates);
    }
    return gates[side];
  }

  #newGate(subscriptionId: string, side: Side): Guarded {
    const gate = new ThrottleGate(`Azure ${side} of ${subscriptionId}`, this.#clock, this.#metrics);
    return { gate, backoff: new Backoff(this.#random, UNNAMED_DELAY) };
  }
}

/** The values are a number, or several as `Microsoft.Network/GetSomething;12,Microsoft.Network/GetOther;0`. */
function isBucketEmpty(headers: Readonly<Record<string, string>>): boolean {
  for (const name in headers) {
    if (name.startsWith(REMAINING) && headers[name]?.split(',').some(saysZero) === true) return true;
  }
  return false;
}

function saysZero(entry: string): boolean {
  return /^\s*0\s*$/.test(entry.slice(entry.lastIndexOf(';') + 1));
}
