import {
  CallScope,
  type CallVerb,
  type CloudAnswer,
  type CloudCallOptions,
  CloudConnection,
  type CloudConnectionOptions,
  TokenCache,
  what,
} from '@fairlead/cloud';
import type { OpenStackCloud } from '../configuration/cloud.ts';
import { apiRoot, endpointOf, type ServiceType, unversioned } from '../keystone/catalog.ts';
import { Keystone, type KeystoneToken } from '../keystone/keystone.ts';
import { openStackDialect, type OpenStackRequest } from './dialect.ts';
import { type ApiVersion, parseVersions } from './versions.ts';

export interface SessionOptions extends Omit<CloudConnectionOptions, 'tokens'> {
  readonly cloud: OpenStackCloud;
  /** Who we are in OpenStack's logs, such as `fairlead octavia`. */
  readonly userAgent: string;
}

export interface CallOptions extends CloudCallOptions {
  /** What it means that the resource is not there. Terminal unless told otherwise. */
  readonly notFound?: 'stale';
}

/** One request to a service. */
export interface ServiceCall {
  readonly verb: CallVerb;
  /** Of the resource; one of few, as it labels metrics. */
  readonly kind: string;
  readonly subject: string;
  readonly method: OpenStackRequest['method'];
  /** Below the version, without a slash before it, with the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const DEADLINE_MILLISECONDS = 60_000;

/**
 * The way to all services of one cloud, with one token: it is renewed once for all callers, and the catalog that comes
 * with it says where the services are.
 */
export class OpenStackSession {
  readonly #options: SessionOptions;
  readonly #tokens: TokenCache<KeystoneToken>;
  readonly #connection: CloudConnection<OpenStackRequest>;

  constructor(options: SessionOptions) {
    const { cloud, clock, userAgent } = options;
    this.#options = options;
    this.#tokens = new TokenCache(`the cloud ${cloud.name}`, new Keystone(options), clock);
    const dialect = openStackDialect(`the cloud ${cloud.name}`, userAgent);
    this.#connection = new CloudConnection(dialect, { ...options, tokens: this.#tokens });
  }

  /** The project that we work in. */
  async projectId(options: CallOptions = {}): Promise<string> {
    const scope = this.#scope('finding the project', options);
    return (await scope.wait(() => this.#tokens.current())).projectId;
  }

  /** Sends a request to a version of a service. Resolves with an answer below 400. */
  async send(
    service: ServiceType,
    version: string,
    { path, ...call }: ServiceCall,
    options: CallOptions = {},
  ): Promise<CloudAnswer> {
    const scope = this.#scope(what(call), options);
    const url = `${apiRoot(await this.#endpoint(service, scope), version)}/${path}`;
    const { throttle = 'wait', record, notFound } = options;
    const account = new URL(url).host;
    const isSentOnce = call.method === 'POST';
    return this.#connection.send({ ...call, url, account, throttle, record, notFound, isSentOnce }, scope);
  }

  /** The versions that a service offers, as it lists them itself: the newest last. */
  async versions(service: ServiceType, options: CallOptions = {}): Promise<readonly ApiVersion[]> {
    const about = { verb: 'GET', kind: 'versions', subject: service, method: 'GET' } as const;
    const scope = this.#scope(what(about), options);
    const url = `${unversioned(await this.#endpoint(service, scope))}/`;
    const { throttle = 'wait', record } = options;
    const { body } = await this.#connection.send(
      { ...about, url, account: new URL(url).host, throttle, record },
      scope,
    );
    return parseVersions(what(about), body);
  }

  async #endpoint(service: ServiceType, scope: CallScope): Promise<string> {
    const { catalog } = await scope.wait(() => this.#tokens.current());
    return endpointOf(catalog, this.#options.cloud, service);
  }

  #scope(name: string, { deadlineMilliseconds = DEADLINE_MILLISECONDS, signal }: CallOptions): CallScope {
    return new CallScope(this.#options.clock, name, deadlineMilliseconds, signal);
  }
}
