import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@fairlead/control';

/** A source that fails is asked again after this, while what it gave last is still good. */
const RETRY_MILLISECONDS = 10_000;
/** When nothing is good any more, it is asked this often; in between all callers get the same error. */
const FAILURE_MILLISECONDS = 5_000;

/** A value that was read, and for how long it may be used. */
export interface Loaded<Value> {
  readonly value: Value;
  /** Look again after this. */
  readonly freshMilliseconds: number;
  /** Worthless after this. */
  readonly validMilliseconds: number;
}

interface Held<Value> {
  readonly value: Value;
  readonly freshUntil: number;
  readonly validUntil: number;
}

/** Something that is loaded again from time to time, by one caller at a time, and kept when that fails. */
export class Reloaded<Value> {
  readonly #clock: Clock;
  readonly #load: () => Promise<Loaded<Value>>;
  #held: Held<Value> | undefined;
  #failure: { readonly error: unknown; readonly until: number } | undefined;
  #loading: Promise<Value> | undefined;

  constructor(clock: Clock, load: () => Promise<Loaded<Value>>) {
    this.#clock = clock;
    this.#load = load;
  }

  /** The same value as before while nothing changed. */
  async current(): Promise<Value> {
    const now = this.#clock.monotonic();
    if (this.#held !== undefined && now < this.#held.freshUntil) return this.#held.value;
    if (this.#failure !== undefined && now < this.#failure.until) throw this.#failure.error;
    this.#loading ??= this.#reload().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** What is held is worthless. */
  expire(): void {
    if (this.#held !== undefined) this.#held = { value: this.#held.value, freshUntil: 0, validUntil: 0 };
  }

  async #reload(): Promise<Value> {
    const before = this.#held;
    try {
      const loaded = await this.#load();
      const now = this.#clock.monotonic();
      this.#failure = undefined;
      const value = before !== undefined && isDeepStrictEqual(loaded.value, before.value) ? before.value : loaded.value;
      this.#held = { value, freshUntil: now + loaded.freshMilliseconds, validUntil: now + loaded.validMilliseconds };
      return value;
    } catch (error) {
      const now = this.#clock.monotonic();
      if (before === undefined || now >= before.validUntil) {
        this.#failure = { error, until: now + FAILURE_MILLISECONDS };
        throw error;
      }
      this.#held = { ...before, freshUntil: Math.min(now + RETRY_MILLISECONDS, before.validUntil) };
      return before.value;
    }
  }
}
