import {
  Backoff,
  type BackoffPolicy,
  type Clock,
  codeOf,
  findFairleadError,
  type Logger,
  type Metrics,
  messageOf,
  type Random,
} from '@fairlead/control';
import { isGone } from '../api-error.ts';
import { watchFailuresTotal } from './metrics.ts';
import type { WatchFailure } from './watch-status.ts';

const BACKOFF: BackoffPolicy = { initialMilliseconds: 500, maximumMilliseconds: 30_000, factor: 2, jitter: 0.5 };

interface HealthSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Counts the failures of one watch in a row, and tells of them and of their end. */
export class WatchHealth {
  readonly #name: string;
  readonly #surroundings: HealthSurroundings;
  readonly #backoff: Backoff;
  #failure: WatchFailure | undefined;
  /** The codes of the failures since the last success: to be told of each once is enough. */
  readonly #told = new Set<string>();

  /** `name` is that of the cache, for metrics. */
  constructor(name: string, surroundings: HealthSurroundings) {
    this.#name = name;
    this.#surroundings = surroundings;
    this.#backoff = new Backoff(surroundings.random, BACKOFF);
  }

  /** The last failure since the last success. */
  get failure(): WatchFailure | undefined {
    return this.#failure;
  }

  succeed(): void {
    if (this.#failure !== undefined) this.#surroundings.logger.info({}, 'in step with the API server again');
    this.#failure = undefined;
    this.#told.clear();
    this.#backoff.reset();
  }

  /** Notes the failure; gives the delay before the next attempt. `mustList`: that one begins with a list. */
  fail(error: unknown, mustList: boolean): number {
    const { clock, logger, metrics } = this.#surroundings;
    const delay = this.#backoff.next(findFairleadError(error)?.retryAfterMilliseconds);
    const { failures: attempts } = this.#backoff;
    const code = codeOf(error);
    const message = messageOf(error);
    this.#failure = { at: clock.now(), code, message, attempts };
    metrics.increment(watchFailuresTotal, { cache: this.#name, code });
    const fields = { code, error: message, attempts, delay, mustList };
    if (this.#told.has(code)) logger.debug(fields, 'still out of step with the API server');
    else if (isGone(error)) logger.info(fields, 'the place to watch from is too old: listing again');
    else logger.warn(fields, 'out of step with the API server: trying again');
    this.#told.add(code);
    return delay;
  }
}
