import {
  CallScope,
  type CloudAnswer,
  CloudConnection,
  type CloudConnectionOptions,
  isNotFound,
  what,
} from '@fairlead/cloud';
import type { ArmId, ResourceGroup } from '../arm-id.ts';
import type {
  AddressLocation,
  ArmBodies,
  ArmRequestBody,
  GatewayService,
  UpdateAddressLocationsRequest,
  UpdateServicesRequest,
} from '../types/index.ts';
import type { CallableKind, CallOptions, DeleteOptions, ListableKind, PutOptions } from './call-options.ts';
import { READ_DEADLINE_MILLISECONDS, REQUEST_DEADLINE_MILLISECONDS, WRITE_DEADLINE_MILLISECONDS } from './deadlines.ts';
import { isBodyAt, isBodyOf, toAddressLocation, toGatewayService, toPage, unexpectedAnswer } from './decode.ts';
import { type ArmRequest, armDialect } from './dialect.ts';
import { trustedLink } from './links.ts';
import { progressOfWrite } from './long-running.ts';
import { operationSeconds } from './metrics.ts';
import { failedOperation, OperationPoller } from './operation-poller.ts';
import { RequestFactory } from './request-factory.ts';

/** The version of the network API whose shapes the types describe. */
export const API_VERSION = '2026-01-01';

export interface ArmClientOptions extends CloudConnectionOptions {
  /** Scheme, host and port of Azure Resource Manager. */
  readonly endpoint: string;
  /** Who we are in Azure's logs, such as `fairlead/0.1.0`. */
  readonly userAgent: string;
  /** For clouds that lag behind. */
  readonly apiVersion?: string;
}

/** Reads and writes Azure's network resources. Rejects with an ArmError when Azure refuses. */
export class ArmClient {
  readonly #options: ArmClientOptions;
  readonly #connection: CloudConnection<ArmRequest>;
  readonly #poller: OperationPoller;
  readonly #requests: RequestFactory;

  constructor(options: ArmClientOptions) {
    const { clock, random, endpoint, userAgent, metrics } = options;
    this.#options = options;
    this.#connection = new CloudConnection(armDialect(userAgent, random), {
      requestDeadlineMilliseconds: REQUEST_DEADLINE_MILLISECONDS,
      ...options,
    });
    this.#poller = new OperationPoller({ connection: this.#connection, endpoint, clock, random });
    this.#requests = new RequestFactory(endpoint, options.apiVersion ?? API_VERSION, random);
    metrics.declare(operationSeconds);
  }

  async get<Kind extends CallableKind>(id: ArmId<Kind>, options: CallOptions = {}): Promise<ArmBodies[Kind]> {
    const request = this.#requests.at(id, 'GET', options);
    return this.#read(id, request, this.#scope(request, READ_DEADLINE_MILLISECONDS, options));
  }

  /** Like `get`, but undefined when there is no such resource. */
  async find<Kind extends CallableKind>(
    id: ArmId<Kind>,
    options: CallOptions = {},
  ): Promise<ArmBodies[Kind] | undefined> {
    try {
      return await this.get(id, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** All of a kind in a resource group. */
  async list<Kind extends ListableKind>(
    kind: Kind,
    group: ResourceGroup,
    options: CallOptions = {},
  ): Promise<readonly ArmBodies[Kind][]> {
    const request = this.#requests.inGroup(kind, group, options);
    const items = await this.#pages(request, options);
    return items.map((item) => {
      if (isBodyOf(kind, item)) return item;
      throw unexpectedAnswer(what(request), `lists something that is not one of the ${kind}`);
    });
  }

  /** Makes the resource be as the body says, and waits until Azure is done. Repeating it does no harm. */
  async put<Kind extends CallableKind>(
    id: ArmId<Kind>,
    body: ArmRequestBody<ArmBodies[Kind]>,
    options: PutOptions = {},
  ): Promise<ArmBodies[Kind]> {
    const request = { ...this.#requests.at(id, 'PUT', options), body };
    const scope = this.#scope(request, WRITE_DEADLINE_MILLISECONDS, options);
    const answer = await this.#connection.send(request, scope);
    const made = await this.#finish(request, answer, scope);
    if (isBodyAt(id, made)) return made;
    if (options.answer === 'accepted' && isBodyAt(id, answer.body)) return answer.body;
    // Azure has taken the write: neither a gate that closed meanwhile nor a refusal to read may make it look refused.
    const { correlationId } = request;
    const reading = this.#requests.at(id, 'GET', { ...options, throttle: 'wait', correlationId });
    return this.#read(id, { ...reading, mayHaveTakenEffect: true }, scope);
  }

  /** Waits until the resource is gone; that there is none is as good. */
  async delete(id: ArmId<CallableKind>, options: DeleteOptions = {}): Promise<void> {
    const request = this.#requests.at(id, 'DELETE', options);
    try {
      await this.#act(request, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async listServices(gateway: ArmId<'serviceGateways'>, options: CallOptions = {}): Promise<readonly GatewayService[]> {
    const request = this.#requests.ofGateway(gateway, 'services', options);
    const items = await this.#pages(request, options);
    return items.map((item) => toGatewayService(what(request), item));
  }

  async listAddressLocations(
    gateway: ArmId<'serviceGateways'>,
    options: CallOptions = {},
  ): Promise<readonly AddressLocation[]> {
    const request = this.#requests.ofGateway(gateway, 'addressLocations', options);
    const items = await this.#pages(request, options);
    return items.map((item) => toAddressLocation(what(request), item));
  }

  /** All of the request takes effect, or none of it. */
  async updateServices(
    gateway: ArmId<'serviceGateways'>,
    body: UpdateServicesRequest,
    options: CallOptions = {},
  ): Promise<void> {
    await this.#act({ ...this.#requests.ofGateway(gateway, 'updateServices', options), body }, options);
  }

  /** All of the request takes effect, or none of it. */
  async updateAddressLocations(
    gateway: ArmId<'serviceGateways'>,
    body: UpdateAddressLocationsRequest,
    options: CallOptions = {},
  ): Promise<void> {
    await this.#act({ ...this.#requests.ofGateway(gateway, 'updateAddressLocations', options), body }, options);
  }

  async #act(request: ArmRequest, options: CallOptions): Promise<void> {
    const scope = this.#scope(request, WRITE_DEADLINE_MILLISECONDS, options);
    await this.#finish(request, await this.#connection.send(request, scope), scope);
  }

  async #read<Kind extends CallableKind>(
    id: ArmId<Kind>,
    request: ArmRequest,
    scope: CallScope,
  ): Promise<ArmBodies[Kind]> {
    const { body } = await this.#connection.send(request, scope);
    if (isBodyAt(id, body)) return body;
    throw unexpectedAnswer(what(request), 'is not the resource that was asked for');
  }

  /** Follows a write until Azure is done; gives the resource where the last answer held it. */
  async #finish(request: ArmRequest, answer: CloudAnswer, scope: CallScope): Promise<unknown> {
    const { clock, metrics } = this.#options;
    const progress = progressOfWrite(request, answer);
    if (progress.state === 'done') return progress.body;
    if (progress.state === 'failed') throw failedOperation(request, answer, progress.failure);
    const startedAt = clock.monotonic();
    const body = await this.#poller.follow(request, answer, progress.poll, scope);
    const { verb, kind } = request;
    metrics.observe(operationSeconds, (clock.monotonic() - startedAt) / 1000, { verb, kind });
    return body;
  }

  /** All items of a list. The deadline is for each page. */
  async #pages(first: ArmRequest, options: CallOptions): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    const seen = new Set<string>();
    let request = first;
    for (;;) {
      const scope = this.#scope(request, READ_DEADLINE_MILLISECONDS, options);
      const { body } = await this.#connection.send(request, scope);
      const page = toPage(what(request), body);
      items.push(...page.items);
      if (page.nextLink === undefined) return items;
      const url = trustedLink(what(request), this.#options.endpoint, page.nextLink);
      if (seen.has(url)) throw unexpectedAnswer(what(request), 'leads in a circle');
      seen.add(url);
      request = { ...request, url };
    }
  }

  #scope(request: ArmRequest, standard: number, options: CallOptions): CallScope {
    const milliseconds = options.deadlineMilliseconds ?? standard;
    return new CallScope(this.#options.clock, what(request), milliseconds, options.signal);
  }
}
