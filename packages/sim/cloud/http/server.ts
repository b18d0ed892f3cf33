import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type HttpRequest, type HttpTransport, readText } from '@fairlead/control';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

const KEEP_ALIVE_MILLISECONDS = 90_000;

/** A server that is up. */
export interface EmulatorServer extends AsyncDisposable {
  /** Scheme, host and port. */
  readonly endpoint: string;
}

/** Serves an emulated cloud on loopback. Port 0 takes any that is free. */
export async function serveEmulator(emulator: HttpTransport, port = 0): Promise<EmulatorServer> {
  const server = createServer((incoming, outgoing) => void exchange(emulator, incoming, outgoing));
  // Not every client sends again what meets a connection that is just being closed.
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { endpoint: `http://127.0.0.1:${portOf(server)}`, [Symbol.asyncDispose]: () => close(server) };
}

async function exchange(emulator: HttpTransport, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort(new Error('the client is gone')));
  try {
    const response = await emulator.send(await understood(incoming, gone.signal));
    const body = await readText(response);
    outgoing.writeHead(response.status, response.headers);
    outgoing.end(body);
  } catch {
    // A lost message looks like this from the outside.
    outgoing.destroy();
  }
}

async function understood(incoming: IncomingMessage, signal: AbortSignal): Promise<HttpRequest> {
  const pieces: Uint8Array[] = [];
  for await (const piece of incoming) if (piece instanceof Uint8Array) pieces.push(piece);
  const body = Buffer.concat(pieces).toString('utf8');
  const method = METHODS.find((known) => known === incoming.method);
  if (method === undefined) throw new Error(`unexpected method ${incoming.method}`);
  const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  return {
    method,
    url: `http://${incoming.headers.host ?? 'localhost'}${incoming.url ?? '/'}`,
    headers: Object.fromEntries(headers),
    signal,
    ...(body === '' ? {} : { body }),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the emulator has no port');
  return address.port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.closeAllConnections();
    server.close((error) => (error === undefined ? resolve() : reject(error)));
  });
}
