import type { Clock } from '@fairlead/control';
import { type RateLimit, TokenBucket } from '../controller/token-bucket.ts';

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
