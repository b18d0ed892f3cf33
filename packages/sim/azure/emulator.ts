import {
  type Clock,
  FairleadError,
  type HttpRequest,
  type HttpResponse,
  type HttpTransport,
  type Random,
  randomUuid,
  sleep,
} from '@fairlead/control';
import type { Json, JsonObject } from '../json.ts';
import { type ArmBehaviour, DEFAULT_BEHAVIOUR, drawSpan } from './behaviour.ts';
import { CallLog } from './call-log.ts';
import { FaultScript, type ScriptedFault } from './fault-script.ts';
import { RateLimit } from './rate-limit.ts';
import { type Answer, type ArmRequest, parseBody } from './requests/exchange.ts';
import { errorBody, Refusal } from './requests/refusal.ts';
import { answer } from './requests/router.ts';
import { kindOf, nameOf, parseTarget, type RootKind } from './requests/target.ts';
import { inconsistencies } from './resources/consistency.ts';
import type { GatewayTables } from './service-gateway/tables.ts';
import { ArmWorld } from './world.ts';

export interface ArmEmulatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The paths of the resource groups that exist: `/subscriptions/ID/resourceGroups/NAME`. */
  readonly groups: readonly string[];
  readonly behaviour?: Partial<ArmBehaviour>;
}

/** For what a person does in the portal, or another program: no latency, no fault, no log. */
export interface ManualCall {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';
  /** Without the API version. */
  readonly path: string;
  readonly body?: JsonObject;
}

const API_VERSION = '2026-01-01';

/**
 * Azure Resource Manager as far as Fairlead uses it, in one process and driven by the clock given: the same seed and
 * the same calls give the same answers. It is a transport; the HTTP face and a simulated network stand in front of it.
 */
export class ArmEmulator implements HttpTransport {
  readonly faults: FaultScript;
  readonly log = new CallLog();
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #world: ArmWorld;
  #limits: Readonly<Record<'reads' | 'writes', RateLimit>> | undefined;

  constructor(options: ArmEmulatorOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.faults = new FaultScript(options.clock);
    this.#world = new ArmWorld({ ...options, behaviour: DEFAULT_BEHAVIOUR });
    this.behave(options.behaviour ?? {});
  }

  /** Changes how Azure behaves from now on; what is not named stays as it is. */
  behave(changes: Partial<ArmBehaviour>): void {
    this.#world.behaviour = { ...this.#world.behaviour, ...changes };
    if (!('rateLimits' in changes)) return;
    const limits = changes.rateLimits;
    this.#limits =
      limits === undefined
        ? undefined
        : { reads: new RateLimit(this.#clock, limits.reads), writes: new RateLimit(this.#clock, limits.writes) };
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { signal } = request;
    signal?.throwIfAborted();
    const url = new URL(request.url);
    const latency = drawSpan(this.#world.behaviour.latency, this.#random);
    const target = parseTarget(decodeURIComponent(url.pathname));
    const kind = target === undefined ? 'unknown' : kindOf(target);
    const name = target === undefined ? url.pathname : nameOf(target);
    const fault = this.faults.take({ method: methodOf(request), kind, name });
    const before = latency / 2 + (fault?.kind === 'delay' ? fault.milliseconds : 0);
    if (before > 0) await sleep(this.#clock, before, signal);
    const record = (outcome: number | 'lost' | 'hung', body: JsonObject | undefined, code?: string) =>
      this.log.record({
        at: this.#clock.monotonic(),
        method: request.method,
        kind,
        name,
        body,
        correlationId: request.headers['x-ms-correlation-request-id'],
        outcome,
        ...(code === undefined ? {} : { code }),
      });
    if (fault?.kind === 'lose-request') throw connectionReset(url.origin);
    if (fault?.kind === 'hang') {
      record('hung', undefined);
      return await untilAborted(signal);
    }
    const { body, answered } = this.#answer(request, url, fault);
    const lost = fault?.kind === 'lose-response';
    record(lost ? 'lost' : answered.status, body, answered.code);
    if (latency > 0) await sleep(this.#clock, latency / 2, signal);
    if (lost) throw connectionReset(url.origin);
    return this.#response(request, answered);
  }

  /** Acts as an operator or another controller would; throws where Azure refuses. */
  byHand(call: ManualCall): Json | undefined {
    const target = parseTarget(call.path);
    if (target === undefined) throw new Error(`the emulator does not know ${call.path}`);
    const { body } = answer(this.#world, {
      method: call.method,
      target,
      origin: 'https://portal.invalid',
      path: call.path,
      query: new URLSearchParams({ 'api-version': API_VERSION }),
      headers: {},
      body: call.body,
      instant: true,
    });
    return body;
  }

  /** All resources of a kind, as Azure would answer them now. */
  resources(kind: RootKind): readonly JsonObject[] {
    this.#world.operations.settle();
    return this.#world.store.ofKind(kind).map((resource) => this.#world.render(resource));
  }

  /** One resource, if it is there. */
  resource(id: string): JsonObject | undefined {
    this.#world.operations.settle();
    const found = this.#world.store.find(id);
    return found === undefined ? undefined : this.#world.render(found);
  }

  /** The services and locations of a gateway, to look at. */
  gateway(id: string): Pick<GatewayTables, 'services' | 'locations'> {
    this.#world.operations.settle();
    return this.#world.tables(id);
  }

  /** How many operations are under way. */
  get operationsRunning(): number {
    this.#world.operations.settle();
    return this.#world.operations.running;
  }

  /** Throws when something refers to what is not there: an emulator, or a client, that got it wrong. */
  assertConsistent(): void {
    this.#world.operations.settle();
    const problems = inconsistencies(this.#world);
    if (problems.length > 0) throw new Error(`the emulated Azure is inconsistent:\n${problems.join('\n')}`);
  }

  #answer(
    request: HttpRequest,
    url: URL,
    fault: ScriptedFault | undefined,
  ): { readonly body: JsonObject | undefined; readonly answered: Answer & { readonly code?: string } } {
    let body: JsonObject | undefined;
    try {
      body = parseBody(request.body);
      const headers = this.#admit(request);
      if (fault?.kind === 'refuse') throw scriptedRefusal(fault);
      const done = answer(this.#world, understood(request, url, body, fault));
      if (fault?.kind === 'misreport') throw new Refusal(fault.status, 'InternalServerError', 'An error occurred.');
      return { body, answered: { ...done, headers: { ...headers, ...done.headers } } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, headers, code } = error;
      return { body, answered: { status, headers, body: errorBody(error), code } };
    }
  }

  /** Who may come in at all, and how much room is left behind them. */
  #admit(request: HttpRequest): Readonly<Record<string, string>> {
    if (!this.#world.behaviour.authorize(request.headers['authorization'])) {
      throw new Refusal(401, 'ExpiredAuthenticationToken', 'The access token is missing, invalid or expired.');
    }
    if (this.#limits === undefined) return {};
    const side = request.method === 'GET' ? 'reads' : 'writes';
    const taken = this.#limits[side].take();
    if ('remaining' in taken) return { [`x-ms-ratelimit-remaining-subscription-${side}`]: String(taken.remaining) };
    throw new Refusal(429, 'SubscriptionRequestsThrottled', `Too many ${side} in this subscription.`, {
      headers: { 'retry-after': String(taken.retryAfterSeconds) },
    });
  }

  #response(request: HttpRequest, { status, headers, body }: Answer): HttpResponse {
    const correlationId = request.headers['x-ms-correlation-request-id'];
    return {
      status,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'x-ms-request-id': randomUuid(this.#random),
        ...(correlationId === undefined ? {} : { 'x-ms-correlation-request-id': correlationId }),
        ...headers,
      },
      body: piecesOf(body === undefined ? '' : JSON.stringify(body)),
    };
  }
}

function understood(
  request: HttpRequest,
  url: URL,
  body: JsonObject | undefined,
  fault: ScriptedFault | undefined,
): ArmRequest {
  const path = decodeURIComponent(url.pathname);
  const target = parseTarget(path);
  if (target === undefined) throw new Refusal(404, 'InvalidResourceType', `The emulator does not know ${path}.`);
  const { method, headers } = request;
  const common = { method, target, origin: url.origin, path, query: url.searchParams, headers, body };
  if (fault?.kind !== 'fail-operation') return common;
  return { ...common, failure: { code: fault.code, message: fault.message ?? 'The operation failed.' } };
}

function scriptedRefusal(fault: ScriptedFault & { readonly kind: 'refuse' }): Refusal {
  const { status, code = `Scripted${status}`, message = `Scripted answer ${status}.`, headers = {} } = fault;
  return new Refusal(status, code, message, { headers });
}

function methodOf(request: HttpRequest): 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE' {
  return request.method === 'HEAD' || request.method === 'OPTIONS' ? 'GET' : request.method;
}

function connectionReset(origin: string): FairleadError {
  const message = `cannot talk to ${origin}: the connection broke off before the response was complete`;
  return new FairleadError(message, { verdict: 'retriable', code: 'connection-reset' });
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield new TextEncoder().encode(text);
}
