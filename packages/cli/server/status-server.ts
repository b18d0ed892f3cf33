import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { FairleadError, messageOf } from '@fairlead/control';
import { type Answer, type Route, route, text } from './router.ts';

export interface StatusServer {
  /** `http://127.0.0.1:8080`, with the port it really got. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the routes, to GET and HEAD only. `listen` is `HOST:PORT`; port 0 takes a free one. */
export async function startStatusServer(listen: string, routes: ReadonlyMap<string, Route>): Promise<StatusServer> {
  const colon = listen.lastIndexOf(':');
  const host = listen.slice(0, colon).replace(/^\[|\]$/g, '');
  const server = createServer((request, response) => void respond(routes, request, response));
  await listening(server, host === '' ? undefined : host, Number(listen.slice(colon + 1)), listen);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host === '' ? '127.0.0.1' : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
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
    return await route(routes, request.url ?? '/');
  } catch (error) {
    return text(500, messageOf(error));
  }
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
