import {
  FairleadError,
  type HttpRequest,
  type HttpResponse,
  type HttpTransport,
  noMetrics,
  seededRandom,
  VirtualClock,
} from '@fairlead/control';
import { callMetrics } from '../call-metrics.ts';
import { CallScope } from '../call-scope.ts';
import { CloudError } from '../cloud-error.ts';
import { CloudConnection, type CloudConnectionOptions } from '../connection.ts';
import type { CloudDialect } from '../dialect.ts';
import { type CloudCallOptions, type CloudRequest, isWrite, what } from '../request.ts';

/** What becomes of one request. */
export type Outcome =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly text?: string }
  | 'lost'
  | 'hang'
  | Error;

/** Answers 200 with an empty object, unless told otherwise. */
export class FakeCloud implements HttpTransport {
  readonly requests: HttpRequest[] = [];
  /** When each request came. */
  readonly at: number[] = [];
  readonly #clock: VirtualClock;
  readonly #outcomes: Outcome[] = [];
  #always: (request: HttpRequest) => Outcome = () => ({ status: 200 });

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  next(outcome: Outcome, times = 1): void {
    for (let count = 0; count < times; count += 1) this.#outcomes.push(outcome);
  }

  /** For requests that `next` says nothing about. */
  always(outcome: (request: HttpRequest) => Outcome): void {
    this.#always = outcome;
  }

  /** The times between requests. */
  get gaps(): readonly number[] {
    return this.at.slice(1).map((time, index) => time - (this.at[index] ?? 0));
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    this.requests.push(request);
    this.at.push(this.#clock.monotonic());
    const outcome = this.#outcomes.shift() ?? this.#always(request);
    if (outcome instanceof Error) throw outcome;
    if (outcome === 'lost') throw new FairleadError('reset', { verdict: 'retriable', code: 'connection-reset' });
    if (outcome === 'hang') return hang(request.signal);
    const { status, headers = {}, text = '{}' } = outcome;
    return { status, headers, body: bytes(text) };
  }
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

function hang(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal?.addEventListener('abort', () => reject(signal.reason));
  return promise;
}

export const fakeCalls = callMetrics('fake_calls_total', 'fake_call_seconds', 'the fake cloud');

/** A cloud that has its token in a header of its own, and says `quota: 0` when the budget is used up for a second. */
const dialect: CloudDialect<CloudRequest> = {
  cloud: 'Fake',
  server: 'the fake cloud',
  metrics: fakeCalls,
  side: (verb) => (isWrite(verb) ? 'writes' : 'reads'),
  headers: ({ headers }, token) => ({ ...headers, ...(token === undefined ? {} : { 'x-auth-token': token.text }) }),
  refusal: (request, { status, text, retryAfterMilliseconds: delay }) =>
    new CloudError(`${what(request)}: ${text}`, {
      verdict: status === 400 || status === 404 ? 'terminal' : 'retriable',
      code: `http-${status}`,
      status,
      isThrottling: status === 429,
      mayHaveTakenEffect: request.mayHaveTakenEffect,
      ...(delay === undefined ? {} : { retryAfterMilliseconds: delay }),
    }),
  pauseMilliseconds: ({ quota }) => (quota === '0' ? 1_000 : 0),
};

export interface CallOfTest extends CloudCallOptions {
  readonly account?: string;
  readonly subject?: string;
  readonly isSentOnce?: boolean;
}

/** A connection and the cloud it leads to, on virtual time. */
export function connected(options: Partial<Omit<CloudConnectionOptions, 'clock' | 'transport'>> = {}) {
  const clock = new VirtualClock();
  const cloud = new FakeCloud(clock);
  const rest = { random: seededRandom(1), metrics: noMetrics, ...options };
  const connection = new CloudConnection(dialect, { ...rest, clock, transport: cloud });
  const call = (verb: 'GET' | 'PUT', { account = 'one', subject = 'web', ...how }: CallOfTest = {}) => {
    const { signal, deadlineMilliseconds = 60_000, throttle = 'wait', record, isSentOnce = false } = how;
    const about = { verb, kind: 'routers', subject, method: verb, url: `https://cloud.test/${subject}` };
    const request: CloudRequest = {
      ...about,
      account,
      throttle,
      record,
      isSentOnce,
      ...(verb === 'PUT' ? { body: {} } : {}),
    };
    return connection.send(request, new CallScope(clock, what(request), deadlineMilliseconds, signal));
  };
  return { clock, cloud, get: (how?: CallOfTest) => call('GET', how), put: (how?: CallOfTest) => call('PUT', how) };
}
