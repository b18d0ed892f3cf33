import type { Clock } from '@fairlead/control';

/** As Azure counts: a bucket of calls that fills up again at a steady rate. */
export interface BucketSize {
  readonly size: number;
  readonly refillPerSecond: number;
}

export type RateSide = 'reads' | 'writes' | 'deletes';
export type RateLimits = Readonly<Record<RateSide, BucketSize>>;

/** What a subscription has with Azure. */
export const AZURE_RATE_LIMITS: RateLimits = {
  reads: { size: 250, refillPerSecond: 25 },
  writes: { size: 200, refillPerSecond: 10 },
  deletes: { size: 200, refillPerSecond: 10 },
};

/** What is told to be left while nothing is counted. */
export const UNCOUNTED: Readonly<Record<RateSide, number>> = { reads: 16_499, writes: 11_999, deletes: 11_999 };

export function rateSideOf(method: string): RateSide {
  if (method === 'GET' || method === 'HEAD') return 'reads';
  return method === 'DELETE' ? 'deletes' : 'writes';
}

/** Counts the calls of one subscription. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #bucket: BucketSize;
  #left: number;
  #countedAt: number;

  constructor(clock: Clock, bucket: BucketSize) {
    this.#clock = clock;
    this.#bucket = bucket;
    this.#left = bucket.size;
    this.#countedAt = clock.monotonic();
  }

  /** Takes one call out of the bucket. When it is empty, says in how many seconds to come back. */
  take(): { readonly remaining: number } | { readonly retryAfterSeconds: number } {
    const now = this.#clock.monotonic();
    const refilled = ((now - this.#countedAt) / 1000) * this.#bucket.refillPerSecond;
    this.#left = Math.min(this.#bucket.size, this.#left + refilled);
    this.#countedAt = now;
    if (this.#left < 1) return { retryAfterSeconds: Math.ceil((1 - this.#left) / this.#bucket.refillPerSecond) };
    this.#left -= 1;
    return { remaining: Math.floor(this.#left) };
  }
}
