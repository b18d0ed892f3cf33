import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type HttpRequest, type HttpResponse, messageOf } from '@fairlead/control';
import type { SimulatedKube } from '../../simulated-kube.ts';
import { withReadableBody } from './protobuf/body.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

const KEEP_ALIVE_MILLISECONDS = 90_000;

/** A server that is up. */
export interface KubeServer extends AsyncDisposable {
  readonly url: string;
  /** For kubectl and other clients: a file's content. */
  readonly kubeconfig: string;
}

export interface KubeServerOptions {
  /** Any that is free, where none is given. */
  readonly port?: number;
}

/** Serves a simulated API server on loopback, in the clear: a client that reaches it is trusted, or shows a token. */
export async function serveKube(kube: SimulatedKube, { port = 0 }: KubeServerOptions = {}): Promise<KubeServer> {
  const server = createServer((incoming, outgoing) => void exchange(kube, incoming, outgoing));
  // A watch may be silent for a long time.
  server.requestTimeout = 0;
  // As long as real API servers: not every client sends again what meets a connection that is just being closed.
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${portOf(server)}`;
  return { url, kubeconfig: kubeconfigFor(url), [Symbol.asyncDispose]: () => close(server) };
}

async function exchange(kube: SimulatedKube, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  try {
    await send(kube.handle(await understood(incoming, gone.signal)), outgoing);
  } catch (error) {
    // The client is gone, or the simulation has a defect that had better be seen.
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(500).end(messageOf(error));
  }
}

async function send({ status, headers, body }: HttpResponse, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(status, headers);
  // Who watches wants to know that the watch is open, long before there is anything to see.
  outgoing.flushHeaders();
  await pipeline(Readable.from(body), outgoing);
}

async function understood(incoming: IncomingMessage, signal: AbortSignal): Promise<HttpRequest> {
  const pieces: Uint8Array[] = [];
  for await (const piece of incoming) if (piece instanceof Uint8Array) pieces.push(piece);
  const method = METHODS.find((known) => known === incoming.method);
  if (method === undefined) throw new Error(`unexpected method ${incoming.method}`);
  const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  const url = `http://${incoming.headers.host ?? 'localhost'}${incoming.url ?? '/'}`;
  return { method, url, signal, ...withReadableBody(Object.fromEntries(headers), Buffer.concat(pieces)) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the simulated API server has no port');
  return address.port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.closeAllConnections();
    server.close((error) => (error === undefined ? resolve() : reject(error)));
  });
}

/** JSON is YAML too. */
function kubeconfigFor(server: string): string {
  const name = 'simulated';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
