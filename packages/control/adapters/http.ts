import { X509Certificate } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { FairleadError, messageOf } from '../errors.ts';
import type { HttpRequest, HttpResponse, HttpTransport } from '../network/http.ts';
import { proxyFromEnvironment, usableProxy } from '../network/proxy.ts';
import { orAborted } from '../time/deadline.ts';
import { explainFailure } from './http-failure.ts';
import { openTunnel } from './proxy-tunnel.ts';

/** Certificates and keys are PEM text. */
export interface TlsOptions {
  /** Trusted instead of the authorities that come with Node and those of the system. */
  readonly certificateAuthority?: string;
  /** Shown to a server that asks who we are; goes with `key`. */
  readonly certificate?: string;
  readonly key?: string;
  /** The name the server's certificate must carry, where it is not the one in the URL. */
  readonly serverName?: string;
  /** Accepts any certificate: a proxy in between can read and change everything. */
  readonly insecure?: boolean;
}

export interface SocketTransportOptions {
  readonly tls?: TlsOptions;
  /** The URL of the one through which everything goes; otherwise HTTPS_PROXY and NO_PROXY decide. */
  readonly proxy?: string | undefined;
  /** Where those are: this process, unless told otherwise. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly connectTimeoutMilliseconds?: number;
  /** From the request until the head of the response. */
  readonly responseTimeoutMilliseconds?: number;
  /** Between two pieces of a body; a streaming one may be silent for ever. */
  readonly bodyTimeoutMilliseconds?: number;
}

const CONNECT_TIMEOUT_MILLISECONDS = 10_000;
const RESPONSE_TIMEOUT_MILLISECONDS = 120_000;
const BODY_TIMEOUT_MILLISECONDS = 60_000;
/** Idle connections are given up before common servers and firewalls drop them, which would fail the next request. */
const KEEP_ALIVE_MILLISECONDS = 15_000;
/** For each host; more requests than this wait for one another. Streaming requests have their own connections. */
const CONNECTIONS_PER_HOST = 64;

/**
 * HTTP/1.1 over sockets. Only 1.1: over a shared HTTP/2 connection a slow watch holds up writes. Requests that
 * stream and requests that do not never share a connection. A body that the server compressed arrives decompressed.
 */
export class SocketTransport implements HttpTransport {
  readonly #requests: Agent;
  readonly #streams: Agent;

  constructor(options: SocketTransportOptions = {}) {
    const connectTimeout = options.connectTimeoutMilliseconds ?? CONNECT_TIMEOUT_MILLISECONDS;
    const shared = {
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
      headersTimeout: options.responseTimeoutMilliseconds ?? RESPONSE_TIMEOUT_MILLISECONDS,
      connect: throughProxy(proxiesOf(options), connectTimeout, connector(options.tls ?? {}, connectTimeout)),
    };
    this.#requests = new Agent({
      ...shared,
      connections: CONNECTIONS_PER_HOST,
      bodyTimeout: options.bodyTimeoutMilliseconds ?? BODY_TIMEOUT_MILLISECONDS,
    });
    this.#streams = new Agent({ ...shared, bodyTimeout: 0 });
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { signal } = request;
    signal?.throwIfAborted();
    const url = parseUrl(request.url);
    const agent = request.streaming === true ? this.#streams : this.#requests;
    try {
      // undici notices an abort only once it is connected; callers should not have to wait for that.
      const response = await orAborted(
        agent.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: request.method,
          headers: { ...request.headers, ...copied(request.repeatedHeaders) },
          ...(request.body === undefined ? {} : { body: request.body }),
          ...(signal === undefined ? {} : { signal }),
        }),
        signal,
      );
      const headers = joinRepeated(response.headers);
      const body = headers['content-encoding'] === 'gzip' ? gunzipped(response.body) : response.body;
      return { status: response.statusCode, headers, body: pieces(body, url.origin, signal) };
    } catch (error) {
      signal?.throwIfAborted();
      throw explainFailure(url.origin, error);
    }
  }

  /** Closes every connection; requests under way are rejected. */
  async close(): Promise<void> {
    await Promise.all([this.#requests.destroy(), this.#streams.destroy()]);
  }
}

/** undici wants arrays that it could change. */
function copied(headers: HttpRequest['repeatedHeaders'] = {}): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [...values]]));
}

/** Who stops reading early closes the connection, as without compression. */
function gunzipped(body: Dispatcher.ResponseData['body']): AsyncIterable<Uint8Array> {
  return pipeline(body, createGunzip(), () => {});
}

async function* pieces(
  body: AsyncIterable<Uint8Array>,
  origin: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    signal?.throwIfAborted();
    throw explainFailure(origin, error);
  }
}

function joinRepeated(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return joined;
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new FairleadError(`"${text}" is not a URL that begins with http:// or https://`, {
      verdict: 'terminal',
      code: 'invalid-url',
    });
  }
  return url;
}

/** The proxy for a URL; undefined: straight there. */
type ProxyChoice = (url: URL) => URL | undefined;

function proxiesOf({ proxy, environment = process.env }: SocketTransportOptions): ProxyChoice {
  if (proxy === undefined) return (url) => proxyFromEnvironment(url, environment);
  const named = usableProxy(proxy);
  return () => named;
}

/** Makes connections as `direct` does, over a tunnel where there is a proxy. */
function throughProxy(proxyFor: ProxyChoice, timeout: number, direct: buildConnector.connector) {
  return (options: buildConnector.Options, callback: buildConnector.Callback): void => {
    const { hostname, protocol } = options;
    const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
    const port = options.port || (protocol === 'https:' ? '443' : '80');
    let proxy: URL | undefined;
    try {
      proxy = proxyFor(new URL(`${protocol}//${host}:${port}`));
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
      return;
    }
    if (proxy === undefined) {
      direct(options, callback);
      return;
    }
    openTunnel(proxy, `${host}:${port}`, timeout, (opened) => {
      if ('error' in opened) callback(opened.error, null);
      else if (protocol === 'https:') direct({ ...options, httpSocket: opened.socket }, callback);
      else callback(null, opened.socket);
    });
  };
}

function connector(tls: TlsOptions, timeout: number): buildConnector.connector {
  const shared = { allowH2: false, timeout };
  const plain = buildConnector(shared);
  const secure = () =>
    buildConnector({
      ...shared,
      secureContext: secureContext(tls),
      rejectUnauthorized: tls.insecure !== true,
      ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    });
  // A broken file is told at once. There are hundreds of public authorities: they wait until one is needed.
  let built = tls.certificateAuthority === undefined && tls.certificate === undefined ? undefined : secure();
  return (options, callback) => {
    if (options.protocol !== 'https:') {
      plain(options, callback);
      return;
    }
    built ??= secure();
    built(options, callback);
  };
}

/** Read once, and not again for each connection. */
function secureContext(tls: TlsOptions): SecureContext {
  try {
    const { certificateAuthority: ca, certificate: cert, key } = tls;
    if (ca === undefined) return createSecureContext({ ca: publicAuthorities(), cert, key });
    // OpenSSL passes over a CA it cannot read, and every server is then untrusted for no visible reason.
    void new X509Certificate(ca);
    return createSecureContext({ ca, cert, key });
  } catch (error) {
    const fix = 'they must be PEM, and the key must belong to the certificate';
    throw new FairleadError(`the TLS certificates cannot be used: ${messageOf(error)}; ${fix}`, {
      verdict: 'terminal',
      code: 'tls-unusable-certificate',
      cause: error,
    });
  }
}

/** Those that come with Node, and those of the machine: a company's network has some of its own. */
function publicAuthorities(): string[] {
  return [...new Set([...getCACertificates('default'), ...getCACertificates('system')])];
}
