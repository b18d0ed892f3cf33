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
import { isGone } from '../api/api-error.ts';
import { watchFailuresTotal } from './metrics.ts';

/** What a watch is doing. Times are wall time. */
export type WatchPhase =
  | { readonly state: 'listing' | 'watching' | 'stopped'; readonly since: number }
  | { readonly state: 'waiting'; readonly since: number; readonly until: number };

/** Why a watch is not in step; `at` is wall time. */
export interface WatchFailure {
  readonly at: number;
  readonly code: string;
  readonly message: string;
  /** How many there were in a row, this one included. */
  readonly attempts: number;
}

/** How a list and watch of one collection is doing. */
export interface WatchStatus {
  readonly phase: WatchPhase;
  /** The last failure since the last success. */
  readonly failure: WatchFailure | undefined;
  /** Nothing can be read: a list, a watch or a question was refused or not answered, and no list or watch taken since. */
  readonly isBlind: boolean;
  /** When the last event or bookmark came. */
  readonly lastEventAt: number | undefined;
}

const BACKOFF: BackoffPolicy = {
  initialMilliseconds: 500,
  maximumMilliseconds: 30_000,
  factor: 2,
  jitter: 0.5,
  serverJitter: 0.5,
};

interface HealthDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Counts the failures of one watch in a row, and tells of them and of their end. */
export class WatchHealth {
  readonly #name: string;
  readonly #dependencies: HealthDependencies;
  readonly #backoff: Backoff;
  #failure: WatchFailure | undefined;
  /** The codes of the failures since the last success that were reported: once is enough. */
  readonly #reportedCodes = new Set<string>();

  /** `name` is that of the cache, for metrics. */
  constructor(name: string, dependencies: HealthDependencies) {
    this.#name = name;
    this.#dependencies = dependencies;
    this.#backoff = new Backoff(dependencies.random, BACKOFF);
  }

  /** The last failure since the last success. */
  get failure(): WatchFailure | undefined {
    return this.#failure;
  }

  succeed(): void {
    if (this.#reportedCodes.size > 0) this.#dependencies.logger.info({}, 'in step with the API server again');
    this.#failure = undefined;
    this.#reportedCodes.clear();
    this.#backoff.reset();
  }

  /** Notes the failure; gives the delay before the next attempt. `mustList`: that one begins with a list. */
  fail(error: unknown, mustList: boolean): number {
    const { logger } = this.#dependencies;
    const { failure, delay } = this.#note(error);
    const { code, message, attempts } = failure;
    const fields = { code, error: message, attempts, delay, mustList };
    if (this.#reportedCodes.has(code)) logger.debug(fields, 'still out of step with the API server');
    else if (isGone(error)) logger.info(fields, 'the resource version to watch from is too old: listing again');
    else logger.warn(fields, 'out of step with the API server: trying again');
    this.#reportedCodes.add(code);
    return delay;
  }

  /**
   * Notes that a watch that had gone well broke off; gives the delay before the next attempt. Some proxies cut every
   * quiet connection after seconds, so that this is worth telling only when the next attempt fails as well.
   */
  breakOff(error: unknown): number {
    this.succeed();
    const { failure, delay } = this.#note(error);
    this.#dependencies.logger.debug({ code: failure.code, error: failure.message, delay }, 'the watch broke off');
    return delay;
  }

  #note(error: unknown): { readonly failure: WatchFailure; readonly delay: number } {
    const { clock, metrics } = this.#dependencies;
    const delay = this.#backoff.next(findFairleadError(error)?.retryAfterMilliseconds);
    const code = codeOf(error);
    const failure = { at: clock.now(), code, message: messageOf(error), attempts: this.#backoff.failures };
    this.#failure = failure;
    metrics.increment(watchFailuresTotal, { cache: this.#name, code });
    return { failure, delay };
  }
}
