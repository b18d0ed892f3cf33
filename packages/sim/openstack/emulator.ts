import {
  type Clock,
  type HttpRequest,
  type HttpResponse,
  type HttpTransport,
  type Random,
  randomUuid,
} from '@fairlead/control';
import { callLine, CallLog } from '../cloud/call-log.ts';
import { type EmulatedAnswer, exchange } from '../cloud/emulated-exchange.ts';
import { FaultScript, type ScriptedFault } from '../cloud/fault-script.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, textOf, valueAt } from '../json.ts';
import { type BehaviourChanges, changedBehaviour, DEFAULT_BEHAVIOUR } from './behaviour.ts';
import { Identity, type Project } from './keystone/identity.ts';
import { Neutron, singularOf } from './neutron/neutron.ts';
import type { Kind } from './neutron/store.ts';
import { Octavia } from './octavia/octavia.ts';
import { invalid, octaviaError } from './octavia/refusals.ts';
import type { OctaviaKind, ProvisioningStatus } from './octavia/store.ts';
import { badRequest, keystoneError, neutronError, noSuchPath, Refusal } from './refusal.ts';
import { IDENTITY_PATH, kindOf, LOAD_BALANCER_PATH, nameOf, NETWORK_PATH, parseTarget, type Target } from './target.ts';

export interface OpenStackEmulatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly behaviour?: BehaviourChanges;
}

/** For what a person does at the command line, or another program: no latency, no fault, no log. */
export interface ManualCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the version of Neutron or Octavia: `/ports`, `/lbaas/loadbalancers`. */
  readonly path: string;
  readonly body?: JsonObject;
  /** The project in which it is done; without it, by the administrator. */
  readonly project?: Project;
}

interface Answered {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Json | undefined;
}

const REGION = 'RegionOne';

/**
 * Keystone, Neutron and Octavia as far as Fairlead uses them, in one process and driven by the clock given: the same
 * seed and the same calls give the same answers. Keystone is below `/identity`, Neutron below `/network` and Octavia
 * below `/load-balancer`, whatever the host.
 */
export class OpenStackEmulator implements HttpTransport {
  readonly identity: Identity;
  readonly faults: FaultScript;
  readonly log = new CallLog(callLine);
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #neutron: Neutron;
  readonly #octavia: Octavia;
  readonly #admin: Project;

  constructor({ clock, random, behaviour = {} }: OpenStackEmulatorOptions) {
    this.#clock = clock;
    this.#random = random;
    this.faults = new FaultScript(clock);
    this.identity = new Identity(clock, random);
    this.#neutron = new Neutron(clock, random, changedBehaviour(DEFAULT_BEHAVIOUR, behaviour));
    this.#octavia = new Octavia(clock, random, this.#neutron.world);
    this.#admin = this.identity.addProject('admin');
  }

  /** The user `admin`, who may do everything. */
  addAdministrator(password: string): void {
    this.identity.addUser('admin', password, [this.#admin], true);
  }

  /** Changes how OpenStack behaves from now on; what is not named stays as it is. */
  behave(changes: BehaviourChanges): void {
    const { world } = this.#neutron;
    world.behaviour = changedBehaviour(world.behaviour, changes);
  }

  send(request: HttpRequest): Promise<HttpResponse> {
    const url = new URL(request.url);
    const target = parseTarget(decodeURIComponent(url.pathname));
    const { latency } = this.#neutron.world.behaviour;
    const side = target?.service === 'identity' ? 'logins' : request.method === 'GET' ? 'reads' : 'writes';
    return exchange(request, {
      clock: this.#clock,
      random: this.#random,
      log: this.log,
      faults: this.faults,
      latency: latency[side],
      call:
        target === undefined ? { kind: 'unknown', name: url.pathname } : { kind: kindOf(target), name: nameOf(target) },
      answer: (fault) => this.#respond(request, url, target, fault),
    });
  }

  /** Acts as an operator or another program would; throws where Neutron refuses. */
  byHand({ method, path, body, project }: ManualCall): JsonObject {
    const service = path.startsWith('/lbaas/') ? LOAD_BALANCER_PATH : NETWORK_PATH;
    const url = new URL(`http://by.hand${service}/v2.0${path}`);
    const target = parseTarget(decodeURIComponent(url.pathname));
    if (target === undefined || target.service === 'identity') throw new Error(`the emulator does not know ${path}`);
    this.#octavia.world.operations.settle();
    const { id: projectId } = project ?? this.#admin;
    const requester = { projectId, isAdmin: project === undefined };
    const request = { ...target, method, root: '', query: url.searchParams, body };
    const answered =
      target.service === 'network'
        ? this.#neutron.answer(requester, request)
        : this.#octavia.answer(requester, request);
    return isJsonObject(answered.body) ? answered.body : {};
  }

  /** Creates something as the project would, or the administrator without one; gives its id. */
  create(kind: Kind, fields: JsonObject, project?: Project): string {
    const singular = singularOf(kind);
    const body = { [singular]: fields };
    const call = { method: 'POST', path: `/${kind}`, body, ...(project === undefined ? {} : { project }) } as const;
    return textOf(valueAt(this.byHand(call), singular, 'id'));
  }

  /** All resources of a kind, of all projects. */
  resources(kind: Kind): readonly JsonObject[] {
    this.#octavia.world.operations.settle();
    return this.#neutron.world.store.all(kind);
  }

  /** The same of Octavia, with `loadbalancer_id` and `pool_id` of what they belong to. */
  octaviaResources(kind: OctaviaKind): readonly JsonObject[] {
    this.#octavia.world.operations.settle();
    return this.#octavia.world.store.all(kind);
  }

  /** Octavia fails at the next so many changes: what they are about is then in ERROR. */
  failNextChanges(count = 1): void {
    this.#octavia.world.operations.failNext(count);
  }

  /** Octavia's own health manager, or an administrator in its database, changes a status. */
  setProvisioningStatus(kind: OctaviaKind, id: string, provisioning_status: ProvisioningStatus): void {
    this.#octavia.world.operations.settle();
    this.#octavia.world.store.change(kind, id, { provisioning_status });
  }

  /** Health monitors find the members at this address down from now on, or up again. */
  setMemberHealth(address: string, isUp: boolean): void {
    const { world } = this.#octavia;
    if (isUp) world.down.delete(address);
    else world.down.add(address);
    for (const { id } of world.store.all('loadbalancers')) world.refreshHealth(textOf(id));
  }

  #respond(
    request: HttpRequest,
    url: URL,
    target: Target | undefined,
    fault: ScriptedFault | undefined,
  ): EmulatedAnswer {
    const { status, headers = {}, body, requestBody, code } = this.#answer(request, url, target, fault);
    return {
      status,
      headers: () => ({
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        'x-openstack-request-id': `req-${randomUuid(this.#random)}`,
        ...headers,
      }),
      text: body === undefined ? '' : JSON.stringify(body),
      requestBody,
      code,
    };
  }

  #answer(
    request: HttpRequest,
    url: URL,
    target: Target | undefined,
    fault: ScriptedFault | undefined,
  ): Answered & { readonly requestBody: JsonObject | undefined; readonly code?: string } {
    let requestBody: JsonObject | undefined;
    try {
      if (fault?.kind === 'refuse') throw scripted(fault);
      if (target === undefined) throw noSuchPath();
      requestBody = parseBody(request.body, target);
      const done = this.#serve(request, url, target, requestBody);
      if (fault?.kind === 'misreport') throw new Refusal(fault.status, 'HTTPInternalServerError', 'An error occurred.');
      return { ...done, requestBody };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return {
        status: error.status,
        headers: error.headers,
        body: errorBody(url, error),
        requestBody,
        code: error.type,
      };
    }
  }

  #serve(request: HttpRequest, url: URL, target: Target, body: JsonObject | undefined): Answered {
    this.#octavia.world.operations.settle();
    const { method, headers } = request;
    if (target.service === 'identity') return this.#identify(request, url, target.kind, body);
    const isNeutron = target.service === 'network';
    if (target.kind === 'versions') {
      if (!isNeutron) return { status: 200, body: this.#octavia.versions(`${url.origin}${LOAD_BALANCER_PATH}`) };
      const links = [{ rel: 'self', href: `${url.origin}${NETWORK_PATH}/v2.0/` }];
      return { status: 200, body: { versions: [{ id: 'v2.0', status: 'CURRENT', links }] } };
    }
    const root = `${url.origin}${isNeutron ? NETWORK_PATH : LOAD_BALANCER_PATH}/v2.0`;
    const { tokenCacheMilliseconds } = this.#neutron.world.behaviour;
    const requester = this.identity.authenticate(headers['x-auth-token'], tokenCacheMilliseconds);
    const how = { method, root, query: url.searchParams, ifMatch: headers['if-match'], body };
    return (isNeutron ? this.#neutron : this.#octavia).answer(requester, { ...target, ...how });
  }

  #identify(
    { method, headers }: HttpRequest,
    url: URL,
    kind: (Target & { service: 'identity' })['kind'],
    body: JsonObject | undefined,
  ): Answered {
    if (kind === 'application_credentials') {
      const made = this.identity.createApplicationCredential(headers['x-auth-token'], body);
      return { status: 201, body: { application_credential: made } };
    }
    if (kind === 'tokens' && method === 'GET') {
      return { status: 200, body: this.identity.describe(headers['x-subject-token']) };
    }
    if (kind === 'tokens' && method === 'DELETE') {
      this.identity.revoke(headers['x-subject-token']);
      return { status: 204, body: undefined };
    }
    if (kind === 'versions') {
      const links = [{ rel: 'self', href: `${url.origin}${IDENTITY_PATH}/v3/` }];
      return { status: 200, body: { versions: { values: [{ id: 'v3.14', status: 'stable', links }] } } };
    }
    if (method !== 'POST') throw noSuchPath();
    const { tokenMilliseconds, octavia } = this.#neutron.world.behaviour;
    const { text, body: answer } = this.identity.issue(
      body,
      tokenMilliseconds,
      catalogAt(url.origin, octavia.isOffered),
    );
    return { status: 201, headers: { 'x-subject-token': text }, body: answer };
  }
}

/** Where clients find the services, on the host that they logged in at. */
function catalogAt(origin: string, hasOctavia: boolean): Json {
  const services = {
    network: NETWORK_PATH,
    ...(hasOctavia ? { 'load-balancer': LOAD_BALANCER_PATH } : {}),
    identity: `${IDENTITY_PATH}/v3`,
  };
  return Object.entries(services).map(([type, path]) => ({
    type,
    name: type,
    endpoints: ['public', 'internal', 'admin'].map((name) => ({
      interface: name,
      region: REGION,
      region_id: REGION,
      url: `${origin}${path}`,
    })),
  }));
}

function parseBody(text: string | undefined, { service }: Target): JsonObject | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Told below.
  }
  if (service === 'load-balancer') throw invalid('Request is not in valid JSON format');
  throw badRequest('Body contains invalid data');
}

/** Each service has its own way to say no; who asks for a token is the same before all of them. */
function errorBody({ pathname }: URL, error: Refusal): JsonObject {
  if (error.status === 401) return keystoneError(error);
  if (pathname.startsWith(NETWORK_PATH)) return neutronError(error);
  return pathname.startsWith(LOAD_BALANCER_PATH) ? octaviaError(error) : keystoneError(error);
}

function scripted(fault: ScriptedFault & { readonly kind: 'refuse' }): Refusal {
  const { status, code = `Scripted${status}`, message = `Scripted answer ${status}.`, headers = {} } = fault;
  return new Refusal(status, code, message, headers);
}
