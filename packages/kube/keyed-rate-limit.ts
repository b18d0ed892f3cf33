import type { Clock } from '@fairlead/control';

export interface RateLimit {
  /** So many at once. */
  readonly burst: number;
  /** And one more each time this has passed. */
  readonly refillMilliseconds: number;
  /** Of so many keys the account is kept; the one not used for longest is forgotten first. */
  readonly keys: number;
}

interface Account {
  tokens: number;
  at: number;
}

/** Limits how often something may be done for each key. */
export class KeyedRateLimit {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  readonly #accounts = new Map<string, Account>();

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Whether it may be done now; if so, it counts. */
  take(key: string): boolean {
    const { burst, refillMilliseconds, keys } = this.#limit;
    const now = this.#clock.monotonic();
    const before = this.#accounts.get(key);
    const tokens =
      before === undefined ? burst : Math.min(burst, before.tokens + (now - before.at) / refillMilliseconds);
    const allowed = tokens >= 1;
    this.#accounts.delete(key);
    this.#accounts.set(key, { tokens: allowed ? tokens - 1 : tokens, at: now });
    const [oldest] = this.#accounts.keys();
    if (this.#accounts.size > keys && oldest !== undefined) this.#accounts.delete(oldest);
    return allowed;
  }
}
