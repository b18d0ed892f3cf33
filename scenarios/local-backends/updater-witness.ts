import type { Clock, HttpRequest, HttpResponse, HttpTransport, MetricDefinition, Metrics } from '@fairlead/control';
import { EventRecorder, type EventRecorderOptions } from '@fairlead/kube';
import { markIn, serviceMark } from './azure-view.ts';

const UPDATED = 'LoadBalancerBackendPoolUpdated';
const RETRYING = 'LoadBalancerBackendPoolUpdateRetrying';
const FAILED = 'LoadBalancerBackendPoolUpdateFailed';
const POOL = /\/loadBalancers\/([^/]+)\/backendAddressPools\/([^/?]+)/;
/** How an Event tells that our own throttle gate was closed, so that no call was made. */
const GATE_CLOSED = 'asked us to slow down';
/** How it tells that our own Lease was about to end, so that no write was sent. */
const LEASE_ENDS = 'the Lease may end';

/** How it tells that only older changes were given up. */
const STILL_TRIED = 'still being tried';

type EventMessage = Parameters<EventRecorder['record']>[2];

/** One attempt to bring a pool in step, as Azure sees it: a read, and perhaps a write. */
interface Attempt {
  readonly pool: string;
  readonly mark: string;
  /** On the world's clock. */
  readonly startedAt: number;
  /** Of its read and its write. */
  readonly correlations: Set<string>;
  /** What was heard last: a status, or nothing at all. */
  status: number | undefined;
  /** What was heard last about the operation that Azure had begun with its write. */
  polled: number | undefined;
  /** How long to stay away, where that was asked for with the last answer. */
  retryAfterMilliseconds: number | undefined;
}

interface Parked {
  /** On the world's clock. */
  readonly since: number;
  readonly until: number;
  readonly mark: string;
}

export interface UpdaterWitnessOptions {
  /** That of the process: it begins anew with each life, and stands still while the machine is frozen. */
  readonly clock: Clock;
  /** The one by which edits are remembered. */
  readonly worldClock: Pick<Clock, 'monotonic'>;
  readonly intervalMilliseconds: number;
  readonly maxRetries: number;
  /** How often what the Service's pools should hold has changed so far, or was compared. */
  readonly changesOf: (mark: string) => number;
  /** On the tick, one attempt may be late and the next on time: so many come closer together than an interval. */
  readonly attemptsWithinInterval: 1 | 2;
  /** Whether nothing about the Service made it move or go, from well before this time of the world's clock on. */
  readonly isSteady: (mark: string, since: number) => boolean;
  /** Whether the Service is on a load balancer on which it is not to be. */
  readonly isToMove: (mark: string) => boolean;
  /** Whether the Service has one pool only, so that whatever is told of it is told of that. */
  readonly hasOnePool: (mark: string) => boolean;
  readonly complain: (what: string) => void;
  /** Where to write down the marks of Services of which a pool is given up. */
  readonly givenUp: Set<string>;
}

/**
 * Watches the updater during one leadership from outside: what it asks Azure and hears, what it tells and counts. Of
 * how it works inside it knows nothing.
 */
export class UpdaterWitness {
  readonly #options: UpdaterWitnessOptions;
  /** Mark of a Service -> its attempt that nothing was told of yet. A Service's pools are tried one after the other. */
  readonly #attempts = new Map<string, Attempt>();
  /** Pool -> when its last attempts began. */
  readonly #began = new Map<string, readonly number[]>();
  readonly #parked = new Map<string, Parked>();
  /** Mark of a Service -> how often it was told that it is tried again, since its changes were these. */
  readonly #retries = new Map<string, { readonly changes: number; readonly times: number }>();
  readonly #told = { [UPDATED]: 0, [RETRYING]: 0, [FAILED]: 0 };
  readonly #counted = { succeeded: 0, failed: 0 };
  /** Times that the throttle gate was closed, and nothing was told of it yet. */
  #refusals = 0;

  constructor(options: UpdaterWitnessOptions) {
    this.#options = options;
  }

  /** The way to Azure, with this witness beside it. */
  watch(transport: HttpTransport): HttpTransport {
    return {
      send: async (request) => {
        const attempt = this.#attemptOf(request);
        if (attempt === undefined) return this.#poll(request, transport);
        attempt.status = undefined;
        attempt.retryAfterMilliseconds = undefined;
        const response = await transport.send(request);
        return { ...response, body: this.#heard(attempt, response) };
      },
    };
  }

  async #poll(request: HttpRequest, transport: HttpTransport): Promise<HttpResponse> {
    const attempt = this.#attemptWith(request);
    const response = await transport.send(request);
    if (attempt !== undefined) attempt.polled = response.status;
    return response;
  }

  /** Polls go elsewhere, under the correlation of the write that they are about. */
  #attemptWith({ headers }: HttpRequest): Attempt | undefined {
    const correlation = headers['x-ms-correlation-request-id'] ?? '';
    return [...this.#attempts.values()].find(({ correlations }) => correlations.has(correlation));
  }

  get metrics(): Metrics {
    return {
      declare() {},
      set() {},
      observe() {},
      increment: (definition, labels) => this.#count(definition, labels?.['result']),
    };
  }

  /** A recorder of Events beside which this witness stands. */
  events(options: EventRecorderOptions): EventRecorder {
    return new WatchedEvents(options, (uid, message) => this.#tell(uid, message));
  }

  /** What was told and what was counted, once nothing is on its way between the two. */
  check(): string | undefined {
    const { succeeded, failed } = this.#counted;
    if (succeeded !== this.#told[UPDATED]) return `${succeeded} successes are counted, ${this.#told[UPDATED]} told`;
    if (failed !== this.#told[FAILED]) return `${failed} failures are counted, ${this.#told[FAILED]} told`;
    return undefined;
  }

  /** What it asks about an operation that Azure has begun is not about the pool. */
  #attemptOf({ url, method, headers }: HttpRequest): Attempt | undefined {
    const [, loadBalancer = '', name = ''] = POOL.exec(url) ?? [];
    const mark = markIn(name);
    if (mark === undefined) return undefined;
    const pool = `${loadBalancer}/${name}`;
    const correlation = headers['x-ms-correlation-request-id'] ?? '';
    const known = this.#attempts.get(mark);
    if (known?.correlations.has(correlation) === true) return known;
    if (method === 'GET') return this.#begin(pool, mark, correlation);
    if (known?.pool !== pool) {
      this.#options.complain(`${pool} is written and was not read before`);
      return undefined;
    }
    known.correlations.add(correlation);
    return known;
  }

  #begin(pool: string, mark: string, correlation: string): Attempt {
    const { clock, worldClock, intervalMilliseconds, attemptsWithinInterval, isSteady, complain } = this.#options;
    const startedAt = clock.monotonic();
    this.#checkParked(pool);
    const untold = this.#attempts.get(mark);
    const isQuiet = untold === undefined || untold.status === 404 || !isSteady(mark, untold.startedAt);
    if (!isQuiet) complain(`nothing was told of an attempt at ${untold.pool}`);
    // What met a 404 is dropped without a word; what comes after it is new work, which the main path found.
    if (untold?.status === 404) this.#retries.delete(mark);
    const began = [...(this.#began.get(pool) ?? []), startedAt].slice(-1 - attemptsWithinInterval);
    this.#began.set(pool, began);
    const apart = startedAt - (began[0] ?? 0);
    if (began.length > attemptsWithinInterval && apart < intervalMilliseconds) {
      complain(`${pool} is tried ${began.length} times within ${apart} ms`);
    }
    const attempt = {
      pool,
      mark,
      startedAt: worldClock.monotonic(),
      correlations: new Set([correlation]),
      status: undefined,
      polled: undefined,
      retryAfterMilliseconds: undefined,
    };
    this.#attempts.set(mark, attempt);
    return attempt;
  }

  #checkParked(pool: string): void {
    const parked = this.#parked.get(pool);
    if (parked !== undefined && this.#isEarly(parked)) this.#options.complain(`${pool} is called before its time`);
  }

  /** Parked operations go with a Service that goes or moves; when it comes back, the pool need not wait any more. */
  #isEarly({ mark, since, until }: Parked): boolean {
    const { clock, isSteady } = this.#options;
    return until > clock.monotonic() && isSteady(mark, since);
  }

  /** An answer counts when it has arrived as a whole. */
  async *#heard(attempt: Attempt, { status, headers, body }: HttpResponse): AsyncGenerator<Uint8Array> {
    yield* body;
    attempt.status = status;
    attempt.retryAfterMilliseconds = status === 429 ? this.#delayIn(headers['retry-after']) : undefined;
  }

  #delayIn(text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - this.#options.clock.now();
    return milliseconds > 0 ? milliseconds : undefined;
  }

  /**
   * Each change of what a pool should hold may be tried again so many times, and no more. What waits for a Service that
   * is to move is dropped with each attempt to move it, and begins afresh when that fails.
   */
  #checkBudget(mark: string, reason: string): void {
    const { maxRetries, changesOf, hasOnePool, isToMove, complain } = this.#options;
    if (reason !== RETRYING || isToMove(mark)) {
      this.#retries.delete(mark);
      return;
    }
    const changes = changesOf(mark);
    const before = this.#retries.get(mark) ?? { changes, times: 0 };
    const now = { changes: before.changes, times: before.times + 1 };
    this.#retries.set(mark, now);
    const fresh = 1 + changes - now.changes;
    if (hasOnePool(mark) && now.times > maxRetries * fresh) {
      complain(`${reason} is told ${now.times} times of ${fresh} changes, with ${maxRetries} retries for each`);
    }
  }

  #count({ name }: MetricDefinition, result = ''): void {
    if (name === 'fairlead_throttle_gate_refusals_total') this.#refusals += 1;
    if (name !== 'fairlead_azure_local_operations_total') return;
    if (result === 'succeeded' || result === 'failed') this.#counted[result] += 1;
    else this.#options.complain(`an operation is counted as ${result}`);
  }

  #tell(uid: string, { reason, note }: EventMessage): void {
    const { clock, worldClock, hasOnePool, givenUp, complain } = this.#options;
    if (reason !== UPDATED && reason !== RETRYING && reason !== FAILED) return;
    this.#told[reason] += 1;
    const mark = serviceMark(uid);
    if (reason === FAILED && !note.includes(STILL_TRIED)) givenUp.add(mark);
    else if (hasOnePool(mark)) givenUp.delete(mark);
    this.#checkBudget(mark, reason);
    const attempt = this.#attempts.get(mark);
    this.#attempts.delete(mark);
    for (const [pool, parked] of this.#parked) {
      if (parked.mark !== mark || !this.#isEarly(parked) || !hasOnePool(mark)) continue;
      complain(`${reason} is told of ${pool} before its time`);
    }
    if (note.includes(GATE_CLOSED)) {
      this.#refusals -= 1;
      if (this.#refusals < 0) complain(`${reason} is told of a throttle gate that was not closed`);
      return;
    }
    if (attempt === undefined) {
      complain(`${reason} is told, and there was no attempt that was not told of before: ${note}`);
      return;
    }
    const { pool, status, polled, retryAfterMilliseconds } = attempt;
    if (status === 404) complain(`${reason} is told of ${pool}, which is not there`);
    if (reason === UPDATED && !(status !== undefined && status < 300 && (polled ?? status) < 300))
      complain(`${pool} answered ${polled ?? status}: ${reason}`);
    const isContended = [status, polled].some((heard) => heard === 409 || heard === 412);
    const isWorthARetry = isContended || status === 429 || note.includes(LEASE_ENDS);
    if (reason === RETRYING && !isWorthARetry) complain(`${pool} answered ${status}: ${reason}: ${note}`);
    if (reason !== RETRYING || retryAfterMilliseconds === undefined) return;
    const until = clock.monotonic() + retryAfterMilliseconds;
    this.#parked.set(pool, { since: worldClock.monotonic(), until, mark });
  }
}

class WatchedEvents extends EventRecorder {
  readonly #tell: (uid: string, message: EventMessage) => void;

  constructor(options: EventRecorderOptions, tell: (uid: string, message: EventMessage) => void) {
    super(options);
    this.#tell = tell;
  }

  override record(...[resource, object, message]: Parameters<EventRecorder['record']>): void {
    this.#tell(object.metadata.uid ?? '', message);
    super.record(resource, object, message);
  }
}
