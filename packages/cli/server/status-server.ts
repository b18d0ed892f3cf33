import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { FairleadError, joinHostPort, messageOf, parseIpAddress } from '@fairlead/control';
import { type Answer, type Caller, type Route, route, text } from './router.ts';

/** Where a caller shows a token of the cluster. */
export const TOKEN_HEADER = 'x-fairlead-token';

/** A question is a few lines, and an answer some pages: who is slower than this keeps memory that is ours. */
const PATIENCE_MILLISECONDS = 30_000;

export interface StatusServer {
  /** `http://127.0.0.1:8080`, with the port it really got. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the routes, to GET and HEAD only. `listen` is `HOST:PORT`; port 0 takes a free one. */
export async function startStatusServer(
  listen: string,
  routes: ReadonlyMap<string, Route>,
  patienceMilliseconds = PATIENCE_MILLISECONDS,
): Promise<StatusServer> {
  const host = hostOf(listen);
  const patience = { headersTimeout: patienceMilliseconds, requestTimeout: patienceMilliseconds };
  const checking = { connectionsCheckingInterval: patienceMilliseconds / 2 };
  const server = createServer({ ...patience, ...checking }, (request, response) => {
    void respond(routes, request, response);
  }).setTimeout(patienceMilliseconds);
  await listening(server, host === '' ? undefined : host, portOf(listen), listen);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://${joinHostPort(host === '' ? '127.0.0.1' : host, port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Empty: every address of the machine. */
export function hostOf(listen: string): string {
  return listen.slice(0, listen.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}

export function portOf(listen: string): number {
  return Number(listen.slice(listen.lastIndexOf(':') + 1));
}

async function respond(
  routes: ReadonlyMap<string, Route>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await answerTo(routes, request);
  response.writeHead(answer.status, { 'content-type': answer.contentType, 'cache-control': 'no-store' });
  response.end(request.method === 'HEAD' ? undefined : answer.body);
}

async function answerTo(routes: ReadonlyMap<string, Route>, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'only GET is served here');
  try {
    return await route(routes, request.url ?? '/', callerOf(request));
  } catch (error) {
    return text(500, messageOf(error));
  }
}

/** The API server's proxy keeps the Authorization header to itself: a token that passes it has a header of ours. */
function callerOf({ headers, socket }: IncomingMessage): Caller {
  const own = headers[TOKEN_HEADER];
  const token = typeof own === 'string' ? own : /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const address = socket.remoteAddress ?? '';
  return { token, address, isLocal: isLoopback(address) && isAskedAsLocal(headers.host ?? '') };
}

/** A page in a browser of this machine can have a name of its own lead here, and would be let read what it is told. */
function isAskedAsLocal(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return name === 'localhost' || (parseIpAddress(name) !== undefined && isLoopback(name));
}

/** As a socket has it; a host without a name is every address of the machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^(::ffff:)?127\./.test(host);
}

function listening(server: Server, host: string | undefined, port: number, listen: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error) => {
      reject(
        new FairleadError(`cannot listen on ${listen}: ${error.message}; choose another address in http.listen`, {
          verdict: 'terminal',
          code: 'listen-failed',
          cause: error,
        }),
      );
    });
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  });
}
