import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type Clock, FairleadError, type Logger, messageOf, sleep } from '@fairlead/control';
import { answer, type ApiResponse, type Configurable } from '../api/api.ts';
import type { GatewayAgentConfiguration } from '../configuration.ts';

const MOST_CONNECTIONS = 64;
const MOST_CONNECTIONS_OF_ONE = 8;
const HANDSHAKE_MILLISECONDS = 5_000;
const HEAD_MILLISECONDS = 5_000;
const CHECK_MILLISECONDS = 500;
/** A controller sends a few in a second at most. */
const REQUESTS_PER_SECOND = 20;
const REQUESTS_AT_ONCE = 40;
/** Certificates are renewed in place. */
const RELOAD_MILLISECONDS = 30_000;

export interface ApiServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface ApiServerOptions {
  readonly configuration: Pick<GatewayAgentConfiguration, 'listen' | 'tls'>;
  readonly configurable: Configurable;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Others than usual. */
  readonly limits?: Partial<Limits>;
}

interface Limits {
  readonly bodyBytes: number;
  /** For a request, from its first byte to its last. */
  readonly requestMilliseconds: number;
}

/** 10,000 Services with 10 backends each are 8 MB. */
const USUAL_LIMITS: Limits = { bodyBytes: 32 * 1024 * 1024, requestMilliseconds: 30_000 };

/** The API over HTTPS, for the one whose certificate says that it is the controller. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { configuration, clock, logger, signal } = options;
  const { tls, listen } = configuration;
  let material = await readMaterial(tls);
  const server = createServer({
    ...material,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.3',
    handshakeTimeout: HANDSHAKE_MILLISECONDS,
    // A session that is taken up again brings no certificate to look at.
    sessionTimeout: 1,
    connectionsCheckingInterval: CHECK_MILLISECONDS,
  });
  server.maxConnections = MOST_CONNECTIONS;
  const { requestMilliseconds, bodyBytes } = { ...USUAL_LIMITS, ...options.limits };
  server.headersTimeout = Math.min(HEAD_MILLISECONDS, requestMilliseconds);
  server.requestTimeout = requestMilliseconds;
  server.maxHeadersCount = 50;
  limitConnections(server, logger);
  const mayAsk = rateLimit(clock);
  server.on('tlsClientError', (error, socket) => {
    logger.warn({ from: socket.remoteAddress, error: error.message }, 'a connection was refused');
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void respond(request, options, mayAsk, bodyBytes).then(
      (told) => send(response, told),
      () => response.destroy(),
    );
  });
  await listening(server, listen);
  const reload = keepReloading(async () => {
    const next = await readMaterial(tls);
    if (JSON.stringify(next) === JSON.stringify(material)) return;
    server.setSecureContext(next);
    material = next;
    logger.info({}, 'the certificates were read again');
  }, options);
  const address = server.address();
  return {
    port: isAddressInfo(address) ? address.port : 0,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      if (signal.aborted) await reload;
    },
  };
}

async function respond(
  request: IncomingMessage,
  { configuration, configurable, logger }: ApiServerOptions,
  mayAsk: () => boolean,
  mostBytes: number,
): Promise<ApiResponse> {
  const from = request.socket.remoteAddress ?? '';
  const refuse = (status: number, message: string): ApiResponse => {
    logger.warn({ from, status, message }, 'a request was refused');
    return { status, body: { message } };
  };
  if (!isController(request, configuration.tls.controller))
    return refuse(403, 'this certificate is not the controller’s');
  if (!mayAsk()) return refuse(429, 'too many requests');
  const length = Number(request.headers['content-length'] ?? 0);
  const body = length > mostBytes ? undefined : await readBody(request, mostBytes);
  if (body === undefined) return refuse(413, `a body may have ${mostBytes} bytes`);
  const { pathname } = new URL(request.url ?? '/', 'https://agent');
  return answer({ method: request.method ?? '', path: pathname, body, from }, configurable, logger);
}

/** The authority has signed others, too: the agents, for example. */
function isController({ socket }: IncomingMessage, name: string): boolean {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
  const certificate = socket.getPeerX509Certificate();
  return certificate?.checkHost(name, { subject: 'never', wildcards: false }) === name;
}

/** Undefined when it is too long. Rejects when it ends before its end. */
async function readBody(request: IncomingMessage, mostBytes: number): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    if (!Buffer.isBuffer(piece)) continue;
    bytes += piece.length;
    if (bytes > mostBytes) return undefined;
    pieces.push(piece);
  }
  if (!request.complete) throw new FairleadError('half a body', { verdict: 'terminal', code: 'half-a-body' });
  return Buffer.concat(pieces).toString('utf8');
}

function send(response: ServerResponse, { status, body }: ApiResponse): void {
  const hasBodyLeft = status === 413;
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(hasBodyLeft ? { connection: 'close' } : {}),
  });
  response.end(JSON.stringify(body), () => {
    if (hasBodyLeft) response.socket?.destroy();
  });
}

/** No one may take all connections for itself, whether or not it has a certificate. */
function limitConnections(server: Server, logger: Logger): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const from = socket instanceof Socket ? (socket.remoteAddress ?? '') : '';
    const count = (open.get(from) ?? 0) + 1;
    open.set(from, count);
    socket.once('close', () => {
      const left = (open.get(from) ?? 1) - 1;
      if (left === 0) open.delete(from);
      else open.set(from, left);
    });
    if (count <= MOST_CONNECTIONS_OF_ONE) return;
    if (count === MOST_CONNECTIONS_OF_ONE + 1) logger.warn({ from }, 'connections beyond the limit are closed');
    socket.destroy();
  });
}

function rateLimit(clock: Clock): () => boolean {
  let tokens = REQUESTS_AT_ONCE;
  let at = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    tokens = Math.min(REQUESTS_AT_ONCE, tokens + ((now - at) / 1_000) * REQUESTS_PER_SECOND);
    at = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

async function readMaterial(tls: GatewayAgentConfiguration['tls']): Promise<{ cert: string; key: string; ca: string }> {
  const [cert, key, ca] = await Promise.all([tls.certificateFile, tls.keyFile, tls.authorityFile].map(readText));
  return { cert: cert ?? '', key: key ?? '', ca: ca ?? '' };
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new FairleadError(
      `cannot read ${path}: ${messageOf(cause)}; \`fairlead gateway certificates\` makes the certificates of an agent`,
      { verdict: 'retriable', code: 'certificate-unreadable', cause },
    );
  });
}

async function keepReloading(work: () => Promise<void>, { clock, signal, logger }: ApiServerOptions): Promise<void> {
  while (!signal.aborted) {
    await sleep(clock, RELOAD_MILLISECONDS, signal).catch(() => {});
    if (signal.aborted) return;
    // Half-written files are read again later; until then the old ones serve.
    await work().catch((error: unknown) =>
      logger.warn({ error: messageOf(error) }, 'the certificates could not be read'),
    );
  }
}

function listening(server: Server, listen: string): Promise<void> {
  const colon = listen.lastIndexOf(':');
  const host = listen.slice(0, colon).replaceAll(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    server.once('error', (cause: Error) => {
      const message = `cannot listen on ${listen}: ${cause.message}; choose another address in listen`;
      reject(new FairleadError(message, { verdict: 'retriable', code: 'listen-failed', cause }));
    });
    server.listen({ port: Number(listen.slice(colon + 1)), ...(host === '' ? {} : { host }) }, resolve);
  });
}

function isAddressInfo(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}
