import { isDeepStrictEqual } from 'node:util';
import type { Clock, HttpRequest, HttpResponse, HttpTransport, RateLimit, Timer } from '@fairlead/control';
import type { TlsOptions } from '@fairlead/control/adapters';
import type { Credential, Credentials } from '../auth/credentials.ts';
import { apiErrorFromResponse } from './api-error.ts';
import type { ApiConnection, ApiRequest } from './connection.ts';
import { Pacing } from './pacing.ts';

/** Longer than any watch lasts: a transport that was replaced has nothing left to do after this. */
const RETIREMENT_MILLISECONDS = 600_000;

/** A transport that holds sockets open. */
export interface ClosableTransport extends HttpTransport {
  close(): Promise<void>;
}

/** What a connection over HTTP is made of; `connect` of the adapters gathers it. */
export interface HttpConnectionOptions {
  /** The URL of the API server, without a slash at its end. */
  readonly server: string;
  readonly credentials: Credentials;
  /** Makes a transport that trusts and shows these. */
  readonly transport: (tls: TlsOptions) => ClosableTransport;
  readonly clock: Clock;
  /** Who we are in the logs of the API server. */
  readonly userAgent: string;
  /** Of all requests but watches and those about Leases; 500 in a second, 1000 at once, unless told otherwise. */
  readonly rate?: RateLimit;
}

/**
 * A connection to an API server over HTTP, whose requests are paced. A refused credential is renewed and the request
 * sent once more.
 */
export class HttpConnection implements ApiConnection {
  readonly #options: HttpConnectionOptions;
  readonly #pacing: Pacing;
  readonly #retired = new Map<ClosableTransport, Timer>();
  #current: { readonly tls: TlsOptions; readonly transport: ClosableTransport } | undefined;

  constructor(options: HttpConnectionOptions) {
    this.#options = options;
    this.#pacing = new Pacing(options.clock, options.rate);
  }

  async send(request: ApiRequest): Promise<HttpResponse> {
    const { credentials, clock } = this.#options;
    await this.#pacing.admit(request);
    const credential = await credentials.current();
    let response = await this.#sendWith(credential, request);
    if (response.status === 401) {
      // Read first: a body that is left unread keeps its connection from other requests.
      const refusal = await apiErrorFromResponse(request, response, clock.now());
      credentials.renew(credential);
      const renewed = await credentials.current();
      if (renewed === credential) throw refusal;
      response = await this.#sendWith(renewed, request);
    }
    if (response.status < 400) return response;
    const error = await apiErrorFromResponse(request, response, clock.now());
    this.#pacing.refused(request, error);
    throw error;
  }

  /** What we show the API server, if it is a token: for a server of ours that has it reviewed. */
  async token(): Promise<string | undefined> {
    const { headers } = await this.#options.credentials.current();
    return /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1];
  }

  /** Ends every request under way. */
  async close(): Promise<void> {
    for (const timer of this.#retired.values()) timer.cancel();
    const transports = [...this.#retired.keys(), ...(this.#current === undefined ? [] : [this.#current.transport])];
    await Promise.all(transports.map((transport) => transport.close()));
  }

  #sendWith(credential: Credential, request: ApiRequest): Promise<HttpResponse> {
    const { method, signal, streaming } = request;
    const transport = this.#transportFor(credential);
    request.beforeSending?.();
    const sent: HttpRequest = {
      method,
      url: `${this.#options.server}${request.path}${queryText(request.query)}`,
      headers: {
        accept: 'application/json',
        ...(method === 'GET' && streaming !== true ? { 'accept-encoding': 'gzip' } : {}),
        'user-agent': this.#options.userAgent,
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
        ...request.headers,
        ...credential.headers,
      },
      ...(credential.repeatedHeaders === undefined ? {} : { repeatedHeaders: credential.repeatedHeaders }),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      ...(signal === undefined ? {} : { signal }),
      ...(streaming === undefined ? {} : { streaming }),
    };
    return transport.send(sent);
  }

  /** A renewed certificate needs new connections; those in use, such as a watch, may end in their own time. */
  #transportFor(credential: Credential): ClosableTransport {
    const { tls } = credential;
    if (this.#current !== undefined && isDeepStrictEqual(this.#current.tls, tls)) return this.#current.transport;
    // Made first: when it cannot be, the old connections may still be wanted.
    const transport = this.#open(credential);
    if (this.#current !== undefined) this.#retire(this.#current.transport);
    this.#current = { tls, transport };
    return transport;
  }

  /** Files that were read while they were being renewed, such as a new certificate with the old key, are read again. */
  #open(credential: Credential): ClosableTransport {
    try {
      return this.#options.transport(credential.tls);
    } catch (error) {
      this.#options.credentials.renew(credential);
      throw error;
    }
  }

  #retire(transport: ClosableTransport): void {
    const timer = this.#options.clock.setTimer(RETIREMENT_MILLISECONDS, () => {
      this.#retired.delete(transport);
      void transport.close();
    });
    this.#retired.set(transport, timer);
  }
}

function queryText(query: ApiRequest['query']): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
