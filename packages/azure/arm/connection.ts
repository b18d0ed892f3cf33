import {
  type BackoffPolicy,
  backoffDelay,
  type Clock,
  FairleadError,
  findFairleadError,
  type HttpRequest,
  type HttpTransport,
  type Metrics,
  parseRetryAfter,
  type Random,
  randomUuid,
  readText,
  sleep,
  type StepRecord,
} from '@fairlead/control';
import { ArmError, armErrorFromAnswer } from './arm-error.ts';
import { armMetrics, type CallResult, callSeconds, callsTotal, resultOf } from './arm-metrics.ts';
import type { CallScope } from './call-scope.ts';
import { type ArmCall, type CallKind, type CallVerb, isWrite } from './call.ts';
import { unexpectedAnswer } from './decode.ts';
import { SubscriptionGates } from './subscription-gates.ts';
import { type AccessToken, TokenCache, type TokenProvider } from './tokens.ts';
import { REPEATED_STATUSES } from './verdict.ts';

/** How often, and after what delays, a request is repeated that got no answer or one of 408, 500, 502, 503, 504. */
export interface RepeatPolicy {
  /** The first attempt included. */
  readonly attempts: number;
  readonly backoff: BackoffPolicy;
}

const DEFAULT_REPEATS: RepeatPolicy = {
  attempts: 4,
  backoff: { initialMilliseconds: 500, maximumMilliseconds: 15_000, factor: 2, jitter: 0.25 },
};
const DEFAULT_REQUEST_DEADLINE_MILLISECONDS = 10_000;

export interface ArmConnectionOptions {
  /** Scheme, host and port of Azure Resource Manager. */
  readonly endpoint: string;
  readonly transport: HttpTransport;
  /** Absent for an emulator that asks nobody who they are. */
  readonly tokens?: TokenProvider;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** Who we are in Azure's logs, such as `fairlead/0.1.0`. */
  readonly userAgent: string;
  readonly repeats?: RepeatPolicy;
  /** For one request; a call may consist of several. */
  readonly requestDeadlineMilliseconds?: number;
  /** Asked before each request, which is not sent when this throws: a call must not outlive the lease, say. */
  readonly beforeCall?: (call: ArmCall) => void;
}

/** One request to Azure, and what belongs to the call it is made for. */
export interface ArmRequest {
  readonly verb: CallVerb;
  readonly kind: CallKind;
  readonly subject: string;
  readonly method: HttpRequest['method'];
  /** Absolute. */
  readonly url: string;
  readonly subscriptionId: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly throttle: 'wait' | 'refuse';
  readonly notFound?: 'stale' | undefined;
  /** Whether the call may have taken effect by something that was sent before. */
  readonly mayHaveTakenEffect?: boolean;
  readonly correlationId: string;
  readonly record?: StepRecord | undefined;
}

export interface ArmAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded; undefined when there was none. */
  readonly body: unknown;
  /** Whether an attempt before the one that was answered may have taken effect by itself. */
  readonly mayHaveTakenEffect?: boolean;
}

interface Received {
  readonly answer: ArmAnswer;
  /** Set when Azure refused. */
  readonly refusal: ArmError | undefined;
}

/** No answer came: nobody knows whether Azure has seen the request. */
class NoAnswer extends FairleadError {}

/**
 * The way to Azure Resource Manager: adds credentials, keeps to the throttle gates, repeats what is worth repeating,
 * counts, and turns refusals into ArmError.
 */
export class ArmConnection {
  readonly #options: ArmConnectionOptions;
  readonly #gates: SubscriptionGates;
  readonly #tokens: TokenCache | undefined;
  readonly #repeats: RepeatPolicy;
  readonly #requestDeadline: number;

  constructor(options: ArmConnectionOptions) {
    const { clock, random, metrics, tokens } = options;
    this.#options = options;
    this.#gates = new SubscriptionGates(clock, random, metrics);
    this.#tokens = tokens === undefined ? undefined : new TokenCache(tokens, clock);
    this.#repeats = options.repeats ?? DEFAULT_REPEATS;
    this.#requestDeadline = options.requestDeadlineMilliseconds ?? DEFAULT_REQUEST_DEADLINE_MILLISECONDS;
    for (const definition of armMetrics) metrics.declare(definition);
  }

  /** Resolves with an answer below 400. */
  async send(request: ArmRequest, scope: CallScope): Promise<ArmAnswer> {
    const { clock, random } = this.#options;
    for (let failures = 1; ; failures += 1) {
      try {
        if (failures === 1) return await this.#sendOnce(request, scope);
        const answer = await this.#sendOnce({ ...request, mayHaveTakenEffect: true }, scope);
        return { ...answer, mayHaveTakenEffect: true };
      } catch (error) {
        scope.throwIfAborted();
        if (failures >= this.#repeats.attempts || !isWorthRepeating(error)) throw error;
        const asked = findFairleadError(error)?.retryAfterMilliseconds;
        const delay = backoffDelay(this.#repeats.backoff, failures, random, asked);
        if (delay >= scope.remainingMilliseconds) throw error;
        await scope.wait((signal) => sleep(clock, delay, signal));
      }
    }
  }

  async #sendOnce(request: ArmRequest, scope: CallScope): Promise<ArmAnswer> {
    const { subscriptionId, throttle, verb } = request;
    const side = isWrite(verb) ? 'writes' : 'reads';
    const gate = this.#gates.gate(subscriptionId, side);
    if (throttle === 'refuse') gate.refuse();
    else if (!gate.isOpen) await scope.wait((signal) => gate.wait(signal));
    const { answer, refusal } = await (this.#tokens === undefined
      ? this.#exchange(request, undefined, scope)
      : this.#exchangeAs(this.#tokens, request, scope));
    if (refusal === undefined) {
      this.#gates.answered(subscriptionId, side, answer.headers);
      return answer;
    }
    if (refusal.isThrottling) this.#gates.throttled(subscriptionId, side, refusal.retryAfterMilliseconds);
    throw refusal;
  }

  /** With credentials; once more with new ones when Azure does not accept the first. */
  async #exchangeAs(tokens: TokenCache, request: ArmRequest, scope: CallScope): Promise<Received> {
    const token = await scope.wait(() => tokens.current());
    const received = await this.#exchange(request, token, scope);
    if (received.refusal?.status !== 401 || !tokens.renew(token)) return received;
    return this.#exchange(request, await scope.wait(() => tokens.current()), scope);
  }

  async #exchange(request: ArmRequest, token: AccessToken | undefined, scope: CallScope): Promise<Received> {
    const { clock, transport, beforeCall } = this.#options;
    const { verb, kind, subject, correlationId } = request;
    const deadlineMilliseconds = this.#requestDeadline;
    // What cannot be sent any more is neither asked about nor counted.
    scope.throwIfOver();
    beforeCall?.({ verb, kind, name: `${verb} ${kind}`, subject, correlationId, deadlineMilliseconds });
    const startedAt = clock.monotonic();
    try {
      const { status, headers, text } = await scope.wait(async (signal) => {
        const response = await transport.send(this.#httpRequest(request, token, signal));
        return { status: response.status, headers: response.headers, text: await readText(response) };
      }, deadlineMilliseconds);
      const refusal = status >= 400 ? this.#refusal(request, status, headers, text) : undefined;
      this.#count(request, startedAt, String(status), refusal === undefined ? 'ok' : resultOf(refusal));
      const body = refusal === undefined && text !== '' ? parse(what(request), text) : undefined;
      return { answer: { status, headers, body }, refusal };
    } catch (error) {
      scope.throwIfAborted();
      const cause = findFairleadError(error);
      if (cause === undefined || cause.code === 'unexpected-answer') throw error;
      this.#count(request, startedAt, cause.code, 'no-answer');
      throw noAnswer(what(request), cause);
    }
  }

  #httpRequest(request: ArmRequest, token: AccessToken | undefined, signal: AbortSignal): HttpRequest {
    const { userAgent, random } = this.#options;
    const headers: Record<string, string> = {
      accept: 'application/json',
      'user-agent': userAgent,
      'x-ms-correlation-request-id': request.correlationId,
      'x-ms-client-request-id': randomUuid(random),
      ...request.headers,
    };
    if (token !== undefined) headers['authorization'] = `Bearer ${token.text}`;
    const { method, url } = request;
    if (request.body === undefined) return { method, url, headers, signal };
    headers['content-type'] = 'application/json';
    return { method, url, headers, signal, body: JSON.stringify(request.body) };
  }

  #refusal(request: ArmRequest, status: number, headers: ArmAnswer['headers'], text: string): ArmError {
    const asked = parseRetryAfter(headers['retry-after'], this.#options.clock.now());
    const retryAfter = asked !== undefined && asked > 0 ? asked : undefined;
    const { correlationId, notFound, mayHaveTakenEffect } = request;
    const call = { what: what(request), correlationId, notFound, mayHaveTakenEffect };
    return armErrorFromAnswer(call, status, text, retryAfter);
  }

  #count({ verb, kind, record }: ArmRequest, startedAt: number, told: string, result: CallResult): void {
    const { metrics, clock } = this.#options;
    const milliseconds = clock.monotonic() - startedAt;
    metrics.increment(callsTotal, { verb, kind, result });
    metrics.observe(callSeconds, milliseconds / 1000, { verb, kind });
    record?.journal.record(record.key, { kind: 'call', call: `${verb} ${kind}`, result: told, milliseconds });
  }
}

/** Verb, kind and name: the beginning of every message about a call. */
export function what({ verb, kind, subject }: Pick<ArmRequest, 'verb' | 'kind' | 'subject'>): string {
  return `${verb} ${kind}/${subject}`;
}

function isWorthRepeating(error: unknown): boolean {
  if (error instanceof ArmError) return REPEATED_STATUSES.includes(error.status);
  return error instanceof NoAnswer && error.verdict === 'retriable';
}

/** Transports name the host, deadlines the call: the message names both. */
function noAnswer(name: string, cause: FairleadError): NoAnswer {
  const message = cause.message.startsWith(name) ? cause.message : `${name}: ${cause.message}`;
  return new NoAnswer(message, { verdict: cause.verdict, code: cause.code, cause });
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unexpectedAnswer(name, 'is not JSON', error);
  }
}
