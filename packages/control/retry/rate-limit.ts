import type { Clock } from '../time/clock.ts';

/** How often something may be done, such as a request sent. */
export interface RateLimit {
  /** So many at once. */
  readonly burst: number;
  /** So many per second in the long run. */
  readonly perSecond: number;
}

/** Holds up to `burst` tokens and gets `perSecond` new ones. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  #tokens: number;
  #countedAt: number;

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock;
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#countedAt = clock.monotonic();
  }

  /** Takes a token and gives 0, or takes none and gives the milliseconds until there is one. */
  take(): number {
    this.#refill();
    if (this.#tokens < 1) return this.#untilNext();
    this.#tokens -= 1;
    return 0;
  }

  /** Takes a token that may be still to come, and gives the milliseconds until it is there: first come, first served. */
  reserve(): number {
    this.#refill();
    const wait = this.#untilNext();
    this.#tokens -= 1;
    return wait;
  }

  /** A reserved token is not needed after all: those who reserve from now on wait the less. */
  giveBack(): void {
    this.#tokens += 1;
  }

  #refill(): void {
    const { burst, perSecond } = this.#limit;
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#countedAt) / 1000) * perSecond);
    this.#countedAt = now;
  }

  #untilNext(): number {
    return Math.max(0, Math.ceil(((1 - this.#tokens) / this.#limit.perSecond) * 1000));
  }
}

/** Limits how often something may be done for each key; of `keys` of them the account is kept. */
export class KeyedRateLimit {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  readonly #keys: number;
  /** The one not used for longest comes first. */
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Clock, limit: RateLimit, keys: number) {
    this.#clock = clock;
    this.#limit = limit;
    this.#keys = keys;
  }

  /** Whether it may be done now; if so, it counts. */
  take(key: string): boolean {
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#clock, this.#limit);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > this.#keys && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket.take() === 0;
  }
}
