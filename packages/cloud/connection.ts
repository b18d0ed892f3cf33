import {
  type BackoffPolicy,
  backoffDelay,
  type Clock,
  DEADLINE_EXCEEDED_CODE,
  FairleadError,
  findFairleadError,
  type HttpRequest,
  type HttpTransport,
  type Metrics,
  parseRetryAfter,
  type Random,
  readText,
  sleep,
} from '@fairlead/control';
import { AccountGates } from './account-gates.ts';
import type { CallScope } from './call-scope.ts';
import { type CallResult, CloudError, resultOf, unexpectedAnswer } from './cloud-error.ts';
import type { CloudDialect, RefusedAnswer } from './dialect.ts';
import { type CallVerb, type CloudAnswer, type CloudCall, type CloudRequest, what } from './request.ts';
import { type AccessToken, TokenCache, type TokenProvider } from './tokens.ts';

/** Statuses after which the same request may succeed at once: repeated inside the call. */
export const REPEATED_STATUSES: readonly number[] = [408, 500, 502, 503, 504];

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

export interface CloudConnectionOptions {
  readonly transport: HttpTransport;
  /** Absent for an emulator, which asks for no token. A cache, where other clients of the same cloud share the token. */
  readonly tokens?: TokenProvider | TokenCache;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly repeats?: RepeatPolicy;
  /** For one request; a call may consist of several. */
  readonly requestDeadlineMilliseconds?: number | ((verb: CallVerb) => number);
  /** What an operator can do about requests that are not answered by then; it follows `if this stays,`. */
  readonly deadlineAdvice?: (verb: CallVerb) => string;
  /** Asked before each request, which is not sent when this throws: a call must not outlive the lease, say. */
  readonly beforeCall?: (call: CloudCall) => void;
}

type AnswerText = Omit<RefusedAnswer, 'retryAfterMilliseconds'>;

interface Received {
  readonly answer: CloudAnswer;
  /** Set when the cloud refused. */
  readonly refusal: CloudError | undefined;
}

/** No answer came: the cloud may have seen the request, or not. */
class NoAnswer extends FairleadError {}

/**
 * The way to a cloud: adds credentials, keeps to the throttle gates, repeats what is worth repeating, counts, and
 * turns refusals into the errors of its dialect.
 */
export class CloudConnection<Request extends CloudRequest> {
  readonly #dialect: CloudDialect<Request>;
  readonly #options: CloudConnectionOptions;
  readonly #gates: AccountGates;
  readonly #tokens: TokenCache | undefined;
  readonly #repeats: RepeatPolicy;
  readonly #requestDeadline: (verb: CallVerb) => number;

  constructor(dialect: CloudDialect<Request>, options: CloudConnectionOptions) {
    const { clock, random, metrics, tokens } = options;
    this.#dialect = dialect;
    this.#options = options;
    this.#gates = new AccountGates(dialect.cloud, clock, random, metrics);
    const isShared = tokens === undefined || tokens instanceof TokenCache;
    this.#tokens = isShared ? tokens : new TokenCache(dialect.cloud, tokens, clock);
    this.#repeats = options.repeats ?? DEFAULT_REPEATS;
    const deadline = options.requestDeadlineMilliseconds ?? DEFAULT_REQUEST_DEADLINE_MILLISECONDS;
    this.#requestDeadline = typeof deadline === 'number' ? () => deadline : deadline;
    metrics.declare(dialect.metrics.callsTotal);
    metrics.declare(dialect.metrics.callSeconds);
  }

  /** Resolves with an answer below 400. */
  async send(request: Request, scope: CallScope): Promise<CloudAnswer> {
    const { clock, random } = this.#options;
    for (let failures = 1; ; failures += 1) {
      try {
        if (failures === 1) return await this.#sendOnce(request, scope);
        const answer = await this.#sendOnce({ ...request, mayHaveTakenEffect: true }, scope);
        return { ...answer, mayHaveTakenEffect: true };
      } catch (error) {
        scope.throwIfAborted();
        const attempts = request.isSentOnce === true ? 1 : this.#repeats.attempts;
        if (failures >= attempts || !isWorthRepeating(error)) throw error;
        const asked = findFairleadError(error)?.retryAfterMilliseconds;
        const delay = backoffDelay(this.#repeats.backoff, failures, random, asked);
        if (delay >= scope.remainingMilliseconds) throw error;
        await scope.wait((signal) => sleep(clock, delay, signal));
      }
    }
  }

  async #sendOnce(request: Request, scope: CallScope): Promise<CloudAnswer> {
    const gate = this.#gates.gate(request.account, this.#dialect.side(request.verb));
    if (request.throttle === 'refuse') gate.refuse();
    else if (!gate.isOpen) await scope.wait((signal) => gate.wait(signal));
    const { answer, refusal } = await (this.#tokens === undefined
      ? this.#exchange(request, undefined, scope)
      : this.#exchangeAs(this.#tokens, request, scope));
    if (refusal === undefined) {
      gate.answered(this.#dialect.pauseMilliseconds(answer.headers));
      return answer;
    }
    if (refusal.isThrottling) gate.throttled(refusal.retryAfterMilliseconds);
    throw refusal;
  }

  /** With credentials; once more with new ones when the cloud does not accept the first. */
  async #exchangeAs(tokens: TokenCache, request: Request, scope: CallScope): Promise<Received> {
    const token = await scope.wait(() => tokens.current());
    const received = await this.#exchange(request, token, scope);
    if (received.refusal?.status !== 401 || !tokens.renew(token)) return received;
    return this.#exchange(request, await scope.wait(() => tokens.current()), scope);
  }

  async #exchange(request: Request, token: AccessToken | undefined, scope: CallScope): Promise<Received> {
    const { clock, transport, beforeCall, deadlineAdvice } = this.#options;
    const { verb, kind, subject } = request;
    const deadlineMilliseconds = this.#requestDeadline(verb);
    // What cannot be sent any more is neither asked about nor counted.
    scope.throwIfOver();
    beforeCall?.({ verb, kind, name: `${verb} ${kind}`, subject, deadlineMilliseconds });
    const startedAt = clock.monotonic();
    let received: AnswerText;
    try {
      received = await scope.wait(async (signal) => {
        const response = await transport.send(this.#httpRequest(request, token, signal));
        return { status: response.status, headers: response.headers, text: await readText(response) };
      }, deadlineMilliseconds);
    } catch (error) {
      scope.throwIfAborted();
      const cause = findFairleadError(error);
      if (cause === undefined) throw error;
      this.#count(request, startedAt, cause.code, 'no-answer');
      const isTooLate = cause.code === DEADLINE_EXCEEDED_CODE;
      throw noAnswer(what(request), cause, isTooLate ? deadlineAdvice?.(verb) : undefined);
    }
    const { status, headers, text } = received;
    const refusal = status >= 400 ? this.#refusal(request, received) : undefined;
    this.#count(request, startedAt, String(status), refusal === undefined ? 'ok' : resultOf(refusal));
    const body = refusal === undefined && text !== '' ? this.#parse(request, text) : undefined;
    return { answer: { status, headers, body }, refusal };
  }

  #httpRequest(request: Request, token: AccessToken | undefined, signal: AbortSignal): HttpRequest {
    const { method, url, body } = request;
    const headers = this.#dialect.headers(request, token);
    if (body === undefined) return { method, url, headers, signal };
    headers['content-type'] = 'application/json';
    return { method, url, headers, signal, body: JSON.stringify(body) };
  }

  #refusal(request: Request, answer: AnswerText): CloudError {
    const asked = parseRetryAfter(answer.headers['retry-after'], this.#options.clock.now());
    const retryAfterMilliseconds = asked !== undefined && asked > 0 ? asked : undefined;
    return this.#dialect.refusal(request, { ...answer, retryAfterMilliseconds });
  }

  #parse(request: Request, text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw unexpectedAnswer(this.#dialect.server, what(request), 'is not JSON', error);
    }
  }

  #count({ verb, kind, record }: Request, startedAt: number, told: string, result: CallResult): void {
    const { metrics, clock } = this.#options;
    const { callsTotal, callSeconds } = this.#dialect.metrics;
    const milliseconds = clock.monotonic() - startedAt;
    metrics.increment(callsTotal, { verb, kind, result });
    metrics.observe(callSeconds, milliseconds / 1000, { verb, kind });
    record?.journal.record(record.key, { kind: 'call', call: `${verb} ${kind}`, result: told, milliseconds });
  }
}

function isWorthRepeating(error: unknown): boolean {
  if (error instanceof CloudError) return REPEATED_STATUSES.includes(error.status);
  return error instanceof NoAnswer && error.verdict === 'retriable';
}

/** Transports name the host, deadlines the call: the message names both. */
function noAnswer(name: string, cause: FairleadError, advice: string | undefined): NoAnswer {
  const told = cause.message.startsWith(name) ? cause.message : `${name}: ${cause.message}`;
  const message = advice === undefined ? told : `${told}; if this stays, ${advice}`;
  return new NoAnswer(message, { verdict: cause.verdict, code: cause.code, cause });
}
