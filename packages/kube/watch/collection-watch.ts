import {
  type Clock,
  codeOf,
  FairleadError,
  jitter,
  type Logger,
  type Metrics,
  messageOf,
  orAborted,
  type Random,
  sleep,
  verdictOf,
} from '@fairlead/control';
import { ApiError, isGone } from '../api/api-error.ts';
import type { ApiConnection, ApiRequest } from '../api/connection.ts';
import { collectionPath } from '../api/resource.ts';
import type { KubeObject } from '../types/meta.ts';
import { compareResourceVersions } from '../api/resource-version.ts';
import { IdleTimeout } from './idle-timeout.ts';
import { isStreamingRefused, ListStreaming } from './list-streaming.ts';
import { listsTotal, watchEventsTotal, watchMetrics } from './metrics.ts';
import { ObjectIntake, type ObjectIntakeOptions } from './object-intake.ts';
import { type PageEnvelope, readListPage, readWatchEvents } from './read-body.ts';
import { ResumePoint } from './resume-point.ts';
import type { WatchEvent } from './watch-event.ts';
import { WatchHealth, type WatchPhase, type WatchStatus } from './watch-health.ts';
import type { WorkSlices } from './work-slices.ts';

/** The server ends a watch after about this long; the jitter keeps those of a process from ending all at once. */
const WATCH_SECONDS = 290;
const WATCH_JITTER = 0.1;
const PAGE_SIZE = 500;
/** While it answers a list, a server has no reason to pause. */
const LIST_SILENCE_MILLISECONDS = 30_000;
/**
 * While it serves a watch, it sends a bookmark each minute, the first after up to two. One that does not ask etcd for
 * its progress, as older ones do not, sends none while nothing is new.
 */
const WATCH_SILENCE_MILLISECONDS = 130_000;
/** A server that ends watches sooner than this is in trouble, and is not asked again at once. */
const SHORT_WATCH_MILLISECONDS = 1_000;
/** A watch that lasted this long went well, whatever ended it but silence. */
const LONG_WATCH_MILLISECONDS = 10_000;

type ApiQuery = NonNullable<ApiRequest['query']>;

/** Which objects of a resource; all of them when nothing is given. */
export interface CollectionScope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** What watches need of the world around them. */
export interface WatchDependencies {
  readonly connection: ApiConnection;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly slices: WorkSlices;
  /** Is called after each failure and each complete list, and when a watch that was blind sees again. */
  readonly onStatus?: () => void;
}

/** What is watched, and where its objects go. */
export interface CollectionWatchOptions<Kept extends KubeObject> extends ObjectIntakeOptions<Kept> {
  /** For logs and metrics. */
  readonly name: string;
  readonly scope: CollectionScope;
}

/**
 * Keeps a sink in step with a collection of the API server: lists it, watches it from there and, whatever happens,
 * goes on from where it was or lists again.
 */
export class CollectionWatch<Kept extends KubeObject> {
  readonly #options: CollectionWatchOptions<Kept>;
  readonly #dependencies: WatchDependencies;
  readonly #logger: Logger;
  readonly #path: string;
  readonly #intake: ObjectIntake<Kept>;
  readonly #health: WatchHealth;
  readonly #resumePoint: ResumePoint;
  readonly #streaming: ListStreaming;
  #mustList = true;
  /** Ends what is under way. */
  #interruption = new AbortController();
  /** The last watch ended because nothing came any more. */
  #fellSilent = false;
  #isBlind = false;
  /** The watch under way was accepted; what it brings may take its time. */
  #isOpen = false;
  #phase: WatchPhase;
  #lastEventAt: number | undefined;

  constructor(options: CollectionWatchOptions<Kept>, dependencies: WatchDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
    this.#logger = dependencies.logger.child({ cache: options.name });
    this.#path = collectionPath(options.resource, options.scope.namespace);
    this.#intake = new ObjectIntake(options, this.#logger);
    this.#health = new WatchHealth(options.name, { ...dependencies, logger: this.#logger });
    this.#resumePoint = new ResumePoint(dependencies.clock);
    this.#streaming = new ListStreaming(dependencies.clock);
    this.#phase = { state: 'listing', since: dependencies.clock.now() };
    for (const definition of watchMetrics) dependencies.metrics.declare(definition);
  }

  get status(): WatchStatus {
    return {
      phase: this.#phase,
      failure: this.#health.failure,
      isBlind: this.#isBlind,
      lastEventAt: this.#lastEventAt,
    };
  }

  /** Lists once more, although nothing is amiss: what is wanted of the list has changed. */
  relist(): void {
    this.#interruption.abort();
  }

  /** Runs until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#dependencies;
    while (!signal.aborted) {
      const delay = await this.#attempt(signal);
      if (signal.aborted || delay === 0) continue;
      this.#phase = { state: 'waiting', since: clock.now(), until: clock.now() + delay };
      await sleep(clock, delay, signal).catch(() => {});
    }
    this.#phase = { state: 'stopped', since: clock.now() };
  }

  /** Lists or watches until that ends. Gives the delay before the next attempt. */
  async #attempt(signal: AbortSignal): Promise<number> {
    const { clock } = this.#dependencies;
    const startedAt = clock.monotonic();
    if (this.#interruption.signal.aborted) {
      this.#interruption = new AbortController();
      this.#mustList = true;
    }
    const isCheck = !this.#mustList && (this.#fellSilent || this.#resumePoint.needsCheck);
    this.#phase = { state: this.#mustList ? 'listing' : 'watching', since: clock.now() };
    this.#isOpen = false;
    const until = AbortSignal.any([signal, this.#interruption.signal]);
    try {
      if (isCheck) await this.#checkResumePoint(until);
      else if (!this.#mustList) await this.#watch(until);
      else if (this.#streaming.isWorthTrying) await this.#listByStream(until);
      else await this.#listByPages(until);
      return 0;
    } catch (error) {
      if (until.aborted) return 0;
      const isWatch = !this.#mustList && !isCheck;
      // No failure yet: where nothing is new, nothing may come. The check that follows tells, and is repeated until then.
      if (isWatch && codeOf(error) === 'connection-silent') {
        this.#fellSilent = true;
        this.#logger.debug({}, 'the watch fell silent: asking how far the API server is');
        return 0;
      }
      if (isCheck && verdictOf(error) !== 'retriable') this.#mustList = true;
      return this.#fail(error, isWatch && clock.monotonic() - startedAt >= LONG_WATCH_MILLISECONDS);
    }
  }

  /**
   * Asks how far the server is, at next to no cost: for one object, and without selectors, as it might search long for
   * one that matches. A server that refuses the question is listed again.
   */
  async #checkResumePoint(signal: AbortSignal): Promise<void> {
    const { slices } = this.#dependencies;
    const query = { limit: 1, labelSelector: undefined, fieldSelector: undefined };
    const page = await this.#request(query, signal, (body) => readListPage(this.#path, body, slices, () => {}));
    if ((compareResourceVersions(page.resourceVersion, this.#options.sink.position) ?? -1) < 0) throw this.#wentBack();
    this.#resumePoint.checked();
    if (this.#fellSilent) this.#health.succeed();
    this.#fellSilent = false;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { clock } = this.#dependencies;
    const startedAt = clock.monotonic();
    const resourceVersion = this.#options.sink.position;
    await this.#follow(resourceVersion === '' ? {} : { resourceVersion }, signal);
    if (clock.monotonic() - startedAt >= SHORT_WATCH_MILLISECONDS) this.#health.succeed();
    else throw retriable('watch-ended-early', `WATCH ${this.#path}: the API server ended the watch at once`);
  }

  /** Watches with all there is as initial events: a single request, which the server answers from memory. */
  async #listByStream(signal: AbortSignal): Promise<void> {
    this.#options.sink.listStarted();
    try {
      await this.#follow({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }, signal);
      if (this.#mustList) throw retriable('list-broke-off', `LIST ${this.#path}: it ended before it was complete`);
    } catch (error) {
      if (signal.aborted || !this.#mustList || !isStreamingRefused(error)) throw error;
      this.#streaming.failed();
      this.#logger.info({ error: messageOf(error) }, 'the API server does not stream lists: reading pages for a while');
    }
  }

  /** Where pages expire before the last is read, they will again: then all is asked for in one go. */
  async #listByPages(signal: AbortSignal): Promise<void> {
    const { sink } = this.#options;
    sink.listStarted();
    let page = await this.#readPage({ limit: PAGE_SIZE }, signal);
    try {
      while (page.continueToken !== undefined) {
        page = await this.#readPage({ limit: PAGE_SIZE, continue: page.continueToken }, signal);
      }
    } catch (error) {
      if (signal.aborted || !isGone(error)) throw error;
      this.#logger.info({ error: messageOf(error) }, 'the pages of a list expired: reading it in one go');
      sink.listStarted();
      page = await this.#readPage({}, signal);
    }
    await this.#endList(page.resourceVersion, 'pages');
  }

  #readPage(query: ApiQuery, signal: AbortSignal): Promise<PageEnvelope> {
    const { slices } = this.#dependencies;
    return this.#request(query, signal, (body) =>
      readListPage(this.#path, body, slices, (item) => this.#intake.listed(item)),
    );
  }

  /** Reads a watch to its end. */
  #follow(query: ApiQuery, signal: AbortSignal): Promise<void> {
    const { clock, metrics, random, slices } = this.#dependencies;
    const timeoutSeconds = Math.round(jitter(random, WATCH_SECONDS, WATCH_JITTER));
    const complete = { ...query, watch: true, allowWatchBookmarks: true, timeoutSeconds };
    return this.#request(complete, signal, async (body) => {
      this.#isOpen = !this.#mustList;
      if (this.#isOpen) this.#seeAgain();
      for await (const event of readWatchEvents(this.#path, body, slices)) {
        this.#lastEventAt = clock.now();
        metrics.increment(watchEventsTotal, { cache: this.#options.name });
        if (!this.#mustList) {
          this.#takeChange(event);
        } else if (event.type === 'BOOKMARK' && event.endsInitialEvents) {
          this.#streaming.worked();
          await this.#endList(event.resourceVersion, 'stream');
        } else {
          this.#takeInitial(event);
        }
      }
    });
  }

  #takeChange(event: WatchEvent): void {
    const { sink } = this.#options;
    if (event.type === 'ERROR') throw this.#brokenOff(event);
    if (event.type === 'BOOKMARK' && (compareResourceVersions(event.resourceVersion, sink.position) ?? 0) < 0) {
      throw this.#wentBack();
    }
    this.#health.succeed();
    this.#resumePoint.confirm();
    if (event.type === 'BOOKMARK') sink.bookmarked(event.resourceVersion);
    else if (event.type === 'DELETED') this.#intake.deleted(event.object);
    else this.#intake.changed(event.object);
  }

  #takeInitial(event: WatchEvent): void {
    if (event.type === 'ERROR') throw this.#brokenOff(event);
    if (event.type === 'BOOKMARK') throw retriable('streaming-ignored', `LIST ${this.#path}: the server only watches`);
    // What happens while the initial events are sent may come in between.
    if (event.type === 'DELETED') this.#intake.deleted(event.object);
    else this.#intake.listed(event.object);
  }

  async #request<Result>(
    query: ApiQuery,
    signal: AbortSignal,
    read: (body: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Result> {
    const { clock, connection } = this.#dependencies;
    const { labelSelector, fieldSelector } = this.#options.scope;
    const isWatch = query['watch'] === true;
    const idle = new IdleTimeout(clock, signal, () =>
      this.#mustList || !isWatch ? LIST_SILENCE_MILLISECONDS : WATCH_SILENCE_MILLISECONDS,
    );
    try {
      const sent = connection.send({
        method: 'GET',
        path: this.#path,
        query: { labelSelector, fieldSelector, ...query },
        signal: idle.signal,
        streaming: isWatch,
      });
      const response = await orAborted(sent, idle.signal);
      return await read(idle.listen(response.body));
    } finally {
      idle.stop();
    }
  }

  async #endList(resourceVersion: string, mode: 'stream' | 'pages'): Promise<void> {
    const { clock, metrics, slices } = this.#dependencies;
    for (const _step of this.#options.sink.listEnded(resourceVersion)) if (slices.isOver) await slices.pause();
    this.#mustList = false;
    this.#fellSilent = false;
    this.#isBlind = false;
    this.#resumePoint.confirm();
    this.#phase = { state: 'watching', since: clock.now() };
    metrics.increment(listsTotal, { cache: this.#options.name, mode });
    this.#logger.debug({ resourceVersion, mode }, 'listed');
    this.#dependencies.onStatus?.();
  }

  #seeAgain(): void {
    if (!this.#isBlind) return;
    this.#isBlind = false;
    this.#dependencies.onStatus?.();
  }

  #wentBack(): FairleadError {
    return retriable('server-went-back', `WATCH ${this.#path}: the API server is not as far as it was: listing again`);
  }

  /** Unless the server says that it gave up on the watch for a trouble of its own, the version may be at fault. */
  #brokenOff({ status }: Extract<WatchEvent, { type: 'ERROR' }>): ApiError {
    const error = new ApiError(`WATCH ${this.#path}`, status);
    this.#isOpen = false;
    if (status.code === undefined || error.verdict !== 'retriable') this.#mustList = true;
    return error;
  }

  /** Gives the delay before the next attempt. `wentWell`: it was a watch, and brought us far. */
  #fail(error: unknown, wentWell: boolean): number {
    if (!this.#mustList) this.#mustList = this.#resumePoint.isLostAfter(error);
    if (!this.#isOpen) this.#isBlind = true;
    const goesOn = wentWell && !this.#mustList;
    const delay = goesOn ? this.#health.breakOff(error) : this.#health.fail(error, this.#mustList);
    this.#dependencies.onStatus?.();
    return delay;
  }
}

function retriable(code: string, message: string): FairleadError {
  return new FairleadError(message, { verdict: 'retriable', code });
}
