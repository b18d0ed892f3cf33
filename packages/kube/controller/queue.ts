import {
  type BackoffPolicy,
  backoffDelay,
  type Clock,
  codeOf,
  findFairleadError,
  type Logger,
  type MetricDefinition,
  type Metrics,
  messageOf,
  type Random,
  type RateLimit,
  type Timer,
  TokenBucket,
  verdictOf,
} from '@fairlead/control';
import { ReadyKeys } from './ready-keys.ts';

/** For what an object's own controller does: a second at first, and never silent for more than a few minutes. */
const DEFAULT_BACKOFF: BackoffPolicy = {
  initialMilliseconds: 1000,
  maximumMilliseconds: 300_000,
  factor: 2,
  jitter: 0.25,
};

const keysWaiting: MetricDefinition = {
  name: 'fairlead_queue_keys',
  kind: 'gauge',
  help: 'Keys whose turn has come and that wait for a worker.',
  labels: ['queue'],
};

const workSeconds: MetricDefinition = {
  name: 'fairlead_queue_work_seconds',
  kind: 'histogram',
  help: 'How long the work on a key took.',
  labels: ['queue'],
  buckets: [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
};

const failuresTotal: MetricDefinition = {
  name: 'fairlead_queue_failures_total',
  kind: 'counter',
  help: 'Work on a key that failed and will be tried again, by the stable code of the error.',
  labels: ['queue', 'code'],
};

/** Every metric of queues. */
export const queueMetrics: readonly MetricDefinition[] = [keysWaiting, workSeconds, failuresTotal];

/** What a queue is made of. */
export interface KeyedQueueOptions {
  /** For logs and metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How many keys are worked on at the same time; 1 unless told otherwise. */
  readonly concurrency?: number;
  /** Between two attempts at the same key that failed. */
  readonly backoff?: BackoffPolicy;
  /** How often work may start, over all keys. */
  readonly rateLimit?: RateLimit;
  /** Is told that work on a key failed, and when it is tried again, in wall time: for the journal. */
  readonly onRetry?: (key: string, error: unknown, at: number) => void;
}

/** When a key that is added has its turn. */
export interface AddOptions {
  /** Higher goes first; 0 unless told otherwise. A key keeps the highest it was added with until its turn comes. */
  readonly priority?: number;
  readonly delayMilliseconds?: number;
}

/** When the key is to be worked on again, although nothing failed. */
export interface Again {
  readonly afterMilliseconds: number;
}

/**
 * Works on a key. Resolves: done, and the key's failures are forgotten. Rejects: tried again later, `retriable` and
 * `stale` errors after the server's delay or a growing one, `terminal` ones after the longest at once.
 */
export type Work = (key: string, signal: AbortSignal) => Promise<Again | void>;

/** Where a key is. `at` is wall time. */
export type KeyState =
  | { readonly state: 'ready' | 'running'; readonly failures: number }
  | { readonly state: 'delayed'; readonly failures: number; readonly at: number };

interface Delayed {
  readonly at: number;
  readonly priority: number;
  readonly timer: Timer;
}

/**
 * A set of keys to work on. A key that is added many times before its turn is worked on once, never by two at the
 * same time, and once more when it was added while it was worked on.
 */
export class KeyedQueue {
  readonly #options: KeyedQueueOptions;
  readonly #logger: Logger;
  readonly #labels: { readonly queue: string };
  readonly #ready = new ReadyKeys();
  /** By key, when it becomes ready. A key is never both ready and delayed. */
  readonly #delayed = new Map<string, Delayed>();
  /** By key that is worked on, the priority with which it is to be worked on again, if it is. */
  readonly #running = new Map<string, number | undefined>();
  /** By key, how often it failed in a row. */
  readonly #failures = new Map<string, number>();
  readonly #starts: TokenBucket | undefined;
  #startTimer: Timer | undefined;
  #worker: { readonly work: Work; readonly signal: AbortSignal; readonly onIdle: () => void } | undefined;
  #isClosed = false;

  constructor(options: KeyedQueueOptions) {
    this.#options = options;
    this.#logger = options.logger.child({ queue: options.name });
    this.#labels = { queue: options.name };
    if (options.rateLimit !== undefined) this.#starts = new TokenBucket(options.clock, options.rateLimit);
    for (const definition of queueMetrics) options.metrics.declare(definition);
  }

  /** Sees to it that the key is worked on, at once or after the delay; of two times, the earlier counts. */
  add(key: string, { priority = 0, delayMilliseconds = 0 }: AddOptions = {}): void {
    if (this.#isClosed) return;
    if (delayMilliseconds > 0) this.#delay(key, priority, delayMilliseconds);
    else this.#makeReady(key, priority);
  }

  /** The next failure of the key counts as its first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Undefined when there is nothing to do for the key. */
  stateOf(key: string): KeyState | undefined {
    const failures = this.#failures.get(key) ?? 0;
    if (this.#running.has(key)) return { state: 'running', failures };
    if (this.#ready.has(key)) return { state: 'ready', failures };
    const delayed = this.#delayed.get(key);
    if (delayed === undefined) return undefined;
    const { clock } = this.#options;
    return { state: 'delayed', failures, at: clock.now() + Math.max(0, delayed.at - clock.monotonic()) };
  }

  /**
   * Works on keys until the signal aborts, which work under way is told, too. Resolves when that has ended; what was
   * still to be done is dropped.
   */
  run(work: Work, signal: AbortSignal): Promise<void> {
    if (this.#worker !== undefined) throw new Error(`the queue ${this.#options.name} is already running`);
    return new Promise((resolve) => {
      this.#worker = { work, signal, onIdle: resolve };
      if (signal.aborted) this.#close();
      else signal.addEventListener('abort', () => this.#close(), { once: true });
      this.#startMore();
    });
  }

  #makeReady(key: string, priority: number): void {
    const delayed = this.#delayed.get(key);
    delayed?.timer.cancel();
    this.#delayed.delete(key);
    const wanted = Math.max(priority, delayed?.priority ?? priority);
    if (this.#running.has(key)) {
      this.#running.set(key, Math.max(wanted, this.#running.get(key) ?? wanted));
      return;
    }
    this.#ready.add(key, wanted);
    this.#startMore();
  }

  #delay(key: string, priority: number, delayMilliseconds: number): void {
    if (this.#ready.has(key) || this.#running.get(key) !== undefined) return;
    const { clock } = this.#options;
    const current = this.#delayed.get(key);
    const at = clock.monotonic() + delayMilliseconds;
    const highest = Math.max(priority, current?.priority ?? priority);
    if (current !== undefined && current.at <= at) {
      this.#delayed.set(key, { ...current, priority: highest });
      return;
    }
    current?.timer.cancel();
    const timer = clock.setTimer(delayMilliseconds, () => this.#makeReady(key, highest));
    this.#delayed.set(key, { at, priority: highest, timer });
  }

  #startMore(): void {
    const worker = this.#worker;
    if (worker === undefined || this.#isClosed) return;
    while (this.#ready.size > 0 && this.#running.size < (this.#options.concurrency ?? 1) && this.#mayStart()) {
      const key = this.#ready.take();
      if (key === undefined) break;
      this.#running.set(key, undefined);
      void this.#workOn(key, worker.work, worker.signal);
    }
    this.#options.metrics.set(keysWaiting, this.#ready.size, this.#labels);
  }

  /** False when too many have started; then a timer starts more as soon as that is allowed. */
  #mayStart(): boolean {
    if (this.#startTimer !== undefined) return false;
    const wait = this.#starts?.take() ?? 0;
    if (wait === 0) return true;
    this.#startTimer = this.#options.clock.setTimer(wait, () => {
      this.#startTimer = undefined;
      this.#startMore();
    });
    return false;
  }

  async #workOn(key: string, work: Work, signal: AbortSignal): Promise<void> {
    const { clock, metrics } = this.#options;
    const startedAt = clock.monotonic();
    let againAfter: number | undefined;
    try {
      const again = await work(key, signal);
      againAfter = again?.afterMilliseconds;
      this.#failures.delete(key);
    } catch (error) {
      if (!signal.aborted) againAfter = this.#fail(key, error);
    }
    metrics.observe(workSeconds, (clock.monotonic() - startedAt) / 1000, this.#labels);
    this.#end(key, againAfter);
  }

  /** Notes the failure; gives the delay before the next attempt. */
  #fail(key: string, error: unknown): number {
    const { backoff = DEFAULT_BACKOFF, random, metrics } = this.#options;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const verdict = verdictOf(error);
    // It will hardly go better soon, but nothing is given up: an operator may put it right.
    const pace = verdict === 'terminal' ? { ...backoff, initialMilliseconds: backoff.maximumMilliseconds } : backoff;
    const delay = backoffDelay(pace, failures, random, findFairleadError(error)?.retryAfterMilliseconds);
    metrics.increment(failuresTotal, { ...this.#labels, code: codeOf(error) });
    const fields = { key, code: codeOf(error), error: messageOf(error), failures, delay };
    if (verdict === 'stale') this.#logger.debug(fields, 'what was worked on has changed: trying again');
    else this.#logger.warn(fields, 'the work on a key failed: trying again');
    this.#tellOfRetry(key, error, delay);
    return delay;
  }

  /** A listener that throws must not lose the key. */
  #tellOfRetry(key: string, error: unknown, delay: number): void {
    const { clock, onRetry } = this.#options;
    try {
      onRetry?.(key, error, clock.now() + delay);
    } catch (thrown) {
      this.#logger.error({ key, error: messageOf(thrown) }, 'telling of a retry failed');
    }
  }

  #end(key: string, againAfter: number | undefined): void {
    const addedMeanwhile = this.#running.get(key);
    this.#running.delete(key);
    if (this.#isClosed) {
      if (this.#running.size === 0) this.#worker?.onIdle();
      return;
    }
    if (againAfter !== undefined) this.add(key, { delayMilliseconds: againAfter });
    if (addedMeanwhile !== undefined) this.#makeReady(key, addedMeanwhile);
    this.#startMore();
  }

  #close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#startTimer?.cancel();
    this.#delayed.clear();
    this.#ready.clear();
    this.#options.metrics.set(keysWaiting, 0, this.#labels);
    if (this.#running.size === 0) this.#worker?.onIdle();
  }
}
