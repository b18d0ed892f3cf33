import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { TLSSocket } from 'node:tls';
import { type Clock, FairleadError, type Logger, messageOf, sleep, TokenBucket } from '@fairlead/control';
import { answer, type ApiResponse, type Configurable } from '../api/api.ts';
import type { TlsFiles } from '../configuration.ts';
import {
  CHECK_MILLISECONDS,
  close,
  type Limits,
  limitServer,
  listening,
  portOf,
  readBody,
  REQUEST_RATE,
  send,
  USUAL_LIMITS,
} from './limited-server.ts';

const HANDSHAKE_MILLISECONDS = 5_000;
/** Certificates are renewed in place. */
const RELOAD_MILLISECONDS = 30_000;

export interface ApiServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface ApiServerOptions {
  readonly configuration: { readonly listen: string; readonly tls: TlsFiles };
  readonly configurable: Configurable;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Others than usual. */
  readonly limits?: Partial<Limits>;
}

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
  const limits = { ...USUAL_LIMITS, ...options.limits };
  limitServer(server, limits, logger);
  const requests = new TokenBucket(clock, REQUEST_RATE);
  server.on('tlsClientError', (error, socket) => {
    logger.warn({ from: socket.remoteAddress, error: error.message }, 'a connection was refused');
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void respond(request, options, requests, limits.bodyBytes).then(
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
  return {
    port: portOf(server),
    async close() {
      await close(server);
      if (signal.aborted) await reload;
    },
  };
}

async function respond(
  request: IncomingMessage,
  { configuration, configurable, logger }: ApiServerOptions,
  requests: TokenBucket,
  mostBytes: number,
): Promise<ApiResponse> {
  const from = request.socket.remoteAddress ?? '';
  const refuse = (status: number, message: string, more: object = {}): ApiResponse => {
    logger.warn({ from, status, message }, 'a request was refused');
    return { status, body: { ...more, message } };
  };
  if (!isController(request, configuration.tls.controller))
    return refuse(403, 'this certificate is not the controller’s');
  if (requests.take() > 0) return refuse(429, 'too many requests');
  const length = Number(request.headers['content-length'] ?? 0);
  const body = length > mostBytes ? undefined : await readBody(request, mostBytes);
  // As the answer to a configuration, so that the controller tells why nothing arrives any more.
  const tooLarge = { kind: 'refused', code: 'too-large', errors: [] };
  if (body === undefined) return refuse(413, `a body may have ${mostBytes} bytes`, tooLarge);
  const { pathname } = new URL(request.url ?? '/', 'https://agent');
  return answer({ method: request.method ?? '', path: pathname, body, from }, configurable, logger);
}

/** The authority has signed others, too: the agents, for example. */
function isController({ socket }: IncomingMessage, name: string): boolean {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
  const certificate = socket.getPeerX509Certificate();
  return certificate?.checkHost(name, { subject: 'never', wildcards: false }) === name;
}

async function readMaterial(tls: TlsFiles): Promise<{ cert: string; key: string; ca: string }> {
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
