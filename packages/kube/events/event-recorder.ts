import {
  Backoff,
  type Clock,
  findFairleadError,
  KeyedRateLimit,
  type Logger,
  type MetricDefinition,
  type Metrics,
  messageOf,
  type Random,
  sleep,
  type Timer,
  verdictOf,
} from '@fairlead/control';
import { isAlreadyExists, isNotFound } from '../api/api-error.ts';
import type { KubeClient } from '../api/client.ts';
import type { Resource } from '../api/resource.ts';
import { events } from '../api/resources.ts';
import { microTime } from '../api/timestamps.ts';
import type { KubeEvent } from '../types/event.ts';
import type { KubeObject } from '../types/meta.ts';
import { type EventMessage, type EventReporter, eventFor, eventName, referenceTo } from './event-content.ts';

/** Repeats are written together, so often at most for each Event. */
const REPEAT_INTERVAL_MILLISECONDS = 60_000;
/** After so long a silence a repeat is news again. Shorter than the hour for which the server keeps an Event. */
const FORGET_MILLISECONDS = 30 * 60_000;
/** Of so many Events repeats are recognised, and so many may wait to be written; more are given up. */
const MAXIMUM_SERIES = 4096;
const MAXIMUM_WAITING = 4096;
/** For each object, repeats not counted. */
const OBJECT_LIMIT = { burst: 12, perSecond: 1 / 30 };
const MAXIMUM_ATTEMPTS = 3;

export const eventsTotal: MetricDefinition = {
  name: 'fairlead_kube_events_total',
  kind: 'counter',
  help: 'Events recorded on objects: created, repeated (counted on an Event that is there), or dropped.',
  labels: ['result'],
};

/** What a recorder is made of. */
export interface EventRecorderOptions extends EventReporter {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** One Event and its repeats. */
interface Series {
  readonly key: string;
  event: KubeEvent;
  count: number;
  /** As the server has it; 0: not there yet. */
  writtenCount: number;
  /** When it was last sent, whatever came of it. */
  sentAt: number;
  /** When it last happened, by the monotonic clock. */
  seenAt: number;
  /** The same, as it is told. */
  lastObservedTime: string;
  isWaiting: boolean;
  timer: Timer | undefined;
}

/**
 * Tells users what happened to their objects, as Kubernetes Events, and operators in the log. Recording never throws and never waits; Events are
 * a courtesy, and given up when there are too many of them, when the server does not take them, and at shutdown.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #limit: KeyedRateLimit;
  /** The one not seen for longest comes first. */
  readonly #series = new Map<string, Series>();
  readonly #waiting: Series[] = [];
  readonly #stop = new AbortController();
  #isWriting = false;
  #hasWarned = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#limit = new KeyedRateLimit(options.clock, OBJECT_LIMIT, MAXIMUM_SERIES);
    options.metrics.declare(eventsTotal);
  }

  /** Records an Event on the object; the same message again only counts up the one that is there. */
  record(resource: Resource<KubeObject>, object: KubeObject, message: EventMessage): void {
    if (this.#stop.signal.aborted) return;
    const { clock, random } = this.#options;
    const regarding = referenceTo(resource, object);
    const subject = [regarding.kind, regarding.namespace, regarding.name, regarding.uid].join('/');
    const key = [subject, message.type, message.reason, message.action, message.note].join('\n');
    const now = clock.monotonic();
    const known = this.#series.get(key);
    if (known !== undefined && now - known.seenAt < FORGET_MILLISECONDS) {
      this.#repeat(known, now);
      return;
    }
    if (!this.#limit.take(subject)) {
      this.#count('dropped');
      return;
    }
    if (known !== undefined) this.#forget(known);
    this.#log(regarding, message);
    const name = eventName(object.metadata.name, random, clock.now());
    const event = eventFor(regarding, message, this.#options, name, clock.now());
    const series: Series = {
      key,
      event,
      count: 1,
      writtenCount: 0,
      sentAt: now,
      seenAt: now,
      lastObservedTime: event.eventTime,
      isWaiting: false,
      timer: undefined,
    };
    this.#series.set(key, series);
    const [oldest] = this.#series.values();
    if (this.#series.size > MAXIMUM_SERIES && oldest !== undefined) this.#forget(oldest);
    this.#enqueue(series);
  }

  /** Drops what is not written yet, and everything recorded from now on. */
  close(): void {
    this.#stop.abort();
    for (const series of this.#series.values()) series.timer?.cancel();
    this.#series.clear();
    this.#waiting.length = 0;
  }

  /** What happened to objects is in the log as well, for when the process is gone and its Events have expired. */
  #log({ kind, namespace, name }: KubeEvent['regarding'], { type, reason, note }: EventMessage): void {
    const object = namespace === undefined ? name : `${namespace}/${name}`;
    this.#options.logger[type === 'Warning' ? 'warn' : 'info']({ kind, object, reason }, note);
  }

  #repeat(series: Series, now: number): void {
    series.count += 1;
    series.seenAt = now;
    series.lastObservedTime = microTime(this.#options.clock.now());
    this.#series.delete(series.key);
    this.#series.set(series.key, series);
    this.#schedule(series);
  }

  /** Whatever happens until then is written in one go. */
  #schedule(series: Series): void {
    if (series.isWaiting || series.timer !== undefined || series.count === series.writtenCount) return;
    const { clock } = this.#options;
    const delay = series.sentAt + REPEAT_INTERVAL_MILLISECONDS - clock.monotonic();
    series.timer = clock.setTimer(delay, () => {
      series.timer = undefined;
      this.#enqueue(series);
    });
  }

  #enqueue(series: Series): void {
    if (this.#waiting.length >= MAXIMUM_WAITING) {
      this.#giveUp(series);
      return;
    }
    series.isWaiting = true;
    this.#waiting.push(series);
    if (!this.#isWriting) void this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    for (let series = this.#waiting.shift(); series !== undefined; series = this.#waiting.shift()) {
      const isWritten = await this.#write(series);
      series.isWaiting = false;
      series.sentAt = this.#options.clock.monotonic();
      // What was given up is told with the next repeat.
      if (isWritten && this.#series.get(series.key) === series) this.#schedule(series);
    }
    this.#isWriting = false;
  }

  /** Tries a few times; whatever comes of it, the others wait no longer. False when it was given up. */
  async #write(series: Series): Promise<boolean> {
    const { clock, random, logger } = this.#options;
    const backoff = new Backoff(random);
    for (let attempt = 1; !this.#stop.signal.aborted; attempt += 1) {
      try {
        await this.#send(series, attempt);
        return true;
      } catch (error) {
        if (this.#stop.signal.aborted) return false;
        if (attempt < MAXIMUM_ATTEMPTS && verdictOf(error) === 'retriable') {
          const delay = backoff.next(findFairleadError(error)?.retryAfterMilliseconds);
          await sleep(clock, delay, this.#stop.signal).catch(() => {});
          continue;
        }
        const fields = { event: series.event.reason, error: messageOf(error) };
        if (this.#hasWarned) logger.debug(fields, 'an Event was not recorded');
        else logger.warn(fields, 'an Event was not recorded; further ones are logged at debug level');
        this.#hasWarned = true;
        this.#giveUp(series);
        return false;
      }
    }
    return false;
  }

  async #send(series: Series, attempt: number): Promise<void> {
    const { client, clock, random } = this.#options;
    const { count, lastObservedTime } = series;
    const times = { count, lastObservedTime };
    const options = { signal: this.#stop.signal };
    if (series.writtenCount > 0) {
      try {
        await client.patchMerge(events, series.event.metadata, { series: times }, options);
        this.#noteWritten(series, count, 'repeated');
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
        // The server keeps Events for a while only: it is told as a new one.
        this.#rename(series, random, clock);
      }
    }
    const create = () =>
      client.create(events, count === 1 ? series.event : { ...series.event, series: times }, options);
    try {
      await create();
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // Ours, when the answer to an earlier attempt got lost; otherwise a chance hit on a name.
      if (attempt === 1) {
        this.#rename(series, random, clock);
        await create();
      }
    }
    this.#noteWritten(series, count, 'created');
  }

  #rename(series: Series, random: Random, clock: Clock): void {
    const { metadata, regarding } = series.event;
    const name = eventName(regarding.name ?? metadata.name, random, clock.now());
    series.event = { ...series.event, metadata: { ...metadata, name } };
    series.writtenCount = 0;
  }

  #noteWritten(series: Series, count: number, result: 'created' | 'repeated'): void {
    series.writtenCount = count;
    this.#count(result);
  }

  #giveUp(series: Series): void {
    this.#count('dropped');
    if (series.writtenCount === 0) this.#forget(series);
  }

  #forget(series: Series): void {
    series.timer?.cancel();
    if (this.#series.get(series.key) === series) this.#series.delete(series.key);
  }

  #count(result: 'created' | 'repeated' | 'dropped'): void {
    this.#options.metrics.increment(eventsTotal, { result });
  }
}
