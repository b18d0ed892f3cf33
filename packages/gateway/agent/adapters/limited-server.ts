import type { IncomingMessage, Server as PlainServer, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { Socket } from 'node:net';
import { FairleadError, KeyedCounts, type Logger, type RateLimit } from '@fairlead/control';
import type { ApiResponse } from '../api/api.ts';

/* What every server of an agent bounds: what one client, or all of them, can take of it. */

export interface Limits {
  readonly bodyBytes: number;
  /** For a request, from its first byte to its last. */
  readonly requestMilliseconds: number;
}

/** 10,000 Services with 10 backends each are 8 MB. */
export const USUAL_LIMITS: Limits = { bodyBytes: 32 * 1024 * 1024, requestMilliseconds: 30_000 };
export const CHECK_MILLISECONDS = 500;

const MOST_CONNECTIONS = 64;
const MOST_CONNECTIONS_OF_ONE = 8;
const HEAD_MILLISECONDS = 5_000;
/** A controller sends a few in a second at most. */
export const REQUEST_RATE: RateLimit = { burst: 40, perSecond: 20 };

type AnyServer = PlainServer | TlsServer;

export function limitServer(server: AnyServer, { requestMilliseconds }: Limits, logger: Logger): void {
  server.maxConnections = MOST_CONNECTIONS;
  server.headersTimeout = Math.min(HEAD_MILLISECONDS, requestMilliseconds);
  server.requestTimeout = requestMilliseconds;
  server.maxHeadersCount = 50;
  limitConnections(server, logger);
}

/** Undefined when it is too long. Rejects when it ends before its end. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<string | undefined> {
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

export function send(response: ServerResponse, { status, body }: ApiResponse): void {
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

/** One client cannot take all connections, whether or not it has a certificate. */
function limitConnections(server: AnyServer, logger: Logger): void {
  const open = new KeyedCounts<string>();
  server.on('connection', (socket) => {
    const from = socket instanceof Socket ? (socket.remoteAddress ?? '') : '';
    const count = open.add(from, 1);
    socket.once('close', () => open.add(from, -1));
    if (count <= MOST_CONNECTIONS_OF_ONE) return;
    if (count === MOST_CONNECTIONS_OF_ONE + 1) logger.warn({ from }, 'connections beyond the limit are closed');
    socket.destroy();
  });
}

export function listening(server: AnyServer, listen: string): Promise<void> {
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

export function close(server: AnyServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export function portOf(server: AnyServer): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
