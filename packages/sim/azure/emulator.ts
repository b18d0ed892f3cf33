import {
  type Clock,
  type HttpRequest,
  type HttpResponse,
  type HttpTransport,
  type Random,
  randomUuid,
} from '@fairlead/control';
import type { Json, JsonObject } from '../json.ts';
import { CallLog } from '../cloud/call-log.ts';
import { type EmulatedAnswer, exchange } from '../cloud/emulated-exchange.ts';
import { FaultScript, type ScriptedFault } from '../cloud/fault-script.ts';
import { type ArmBehaviour, DEFAULT_BEHAVIOUR } from './behaviour.ts';
import { lineOf } from './call-line.ts';
import { RateLimit, type RateSide, rateSideOf, UNCOUNTED } from './rate-limit.ts';
import { type Answer, type ArmRequest, parseBody } from './requests/exchange.ts';
import { errorBody, Refusal } from './requests/refusal.ts';
import { answer } from './requests/router.ts';
import { kindOf, nameOf, parseTarget, type RootKind } from './requests/target.ts';
import { inconsistencies } from './resources/consistency.ts';
import type { GatewayTables } from './service-gateway/tables.ts';
import { respelled } from './respelled.ts';
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
  readonly log = new CallLog(lineOf);
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #world: ArmWorld;
  #limits: Readonly<Record<RateSide, RateLimit>> | undefined;

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
        : {
            reads: new RateLimit(this.#clock, limits.reads),
            writes: new RateLimit(this.#clock, limits.writes),
            deletes: new RateLimit(this.#clock, limits.deletes),
          };
  }

  send(request: HttpRequest): Promise<HttpResponse> {
    const url = new URL(request.url);
    const target = parseTarget(decodeURIComponent(url.pathname));
    const kind = target === undefined ? 'unknown' : kindOf(target);
    const name = target === undefined ? url.pathname : nameOf(target);
    const correlationId = request.headers['x-ms-correlation-request-id'];
    return exchange(request, {
      clock: this.#clock,
      random: this.#random,
      log: this.log,
      faults: this.faults,
      latency: this.#world.behaviour.latency,
      call: { kind, name, correlationId },
      answer: (fault) => this.#respond(request, url, fault),
    });
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

  /** Writes that changed what was there without an If-Match; none of them by hand. */
  get overwrites(): readonly string[] {
    return this.#world.overwrites;
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
    let admitted: Readonly<Record<string, string>> = {};
    try {
      body = parseBody(request.body);
      admitted = this.#admit(request);
      if (fault?.kind === 'refuse') throw scriptedRefusal(fault);
      const done = answer(this.#world, understood(request, url, body, fault));
      if (fault?.kind === 'misreport') throw new Refusal(fault.status, 'InternalServerError', 'An error occurred.');
      return { body, answered: { ...done, headers: { ...admitted, ...done.headers } } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code } = error;
      const headers = error.isOfGateway ? error.headers : { ...admitted, ...error.headers };
      return { body, answered: { status, headers, body: errorBody(error), code } };
    }
  }

  /** Who may come in at all, and how much room is left behind them. */
  #admit(request: HttpRequest): Readonly<Record<string, string>> {
    if (!this.#world.behaviour.authorize(request.headers['authorization'])) {
      throw new Refusal(401, 'ExpiredAuthenticationToken', 'The access token is missing, invalid or expired.');
    }
    const side = rateSideOf(request.method);
    const taken = this.#limits?.[side].take() ?? { remaining: UNCOUNTED[side] };
    if ('remaining' in taken)
      return { [`x-ms-ratelimit-remaining-subscription-global-${side}`]: String(taken.remaining) };
    throw new Refusal(429, 'SubscriptionRequestsThrottled', `Too many ${side} in this subscription.`, {
      headers: { 'retry-after': String(taken.retryAfterSeconds) },
    });
  }

  #respond(request: HttpRequest, url: URL, fault: ScriptedFault | undefined): EmulatedAnswer {
    const { body: requestBody, answered } = this.#answer(request, url, fault);
    const { status, headers, body, code } = answered;
    const correlationId = request.headers['x-ms-correlation-request-id'];
    return {
      status,
      headers: () => ({
        'content-type': 'application/json; charset=utf-8',
        'x-ms-request-id': randomUuid(this.#random),
        ...(correlationId === undefined ? {} : { 'x-ms-correlation-request-id': correlationId }),
        ...headers,
      }),
      text:
        body === undefined ? '' : JSON.stringify(this.#world.behaviour.spelling === 'its-own' ? respelled(body) : body),
      requestBody,
      code,
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
