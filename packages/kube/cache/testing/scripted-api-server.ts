import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@fairlead/control';
import type { Service } from '../../types/service.ts';

/** A request as the script sees it, and how to answer it. */
export interface Exchange {
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** The monotonic time at which it came. */
  readonly at: number;
  readonly response: ServerResponse;
}

/** Answers the request itself, or leaves it to the server by returning false. */
export type Script = (exchange: Exchange) => boolean | void;

interface LoggedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Service;
}

/**
 * An API server on a real socket that serves Services: lists, pages and watches are answered as Kubernetes would,
 * unless the script of a test takes over.
 */
export class ScriptedApiServer {
  /** What each of the next requests meets, in order; without a script, a request is served. */
  readonly scripts: Script[] = [];
  readonly exchanges: Exchange[] = [];
  /** The responses of the watches that are open. */
  readonly watches = new Set<ServerResponse>();
  /** Whether `sendInitialEvents` is known, refused with a 422, or ignored as by servers that are too old. */
  streaming: 'known' | 'refused' | 'ignored' = 'known';
  readonly #clock: Clock;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #objects = new Map<string, Service>();
  #log: LoggedEvent[] = [];
  #version = 100;
  /** Watches from before this version are too old. */
  #oldest = 0;
  #isMute = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#server = createServer((request, response) => this.#receive(request, response));
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
    });
  }

  /** Gives the URL. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  get version(): string {
    return String(this.#version);
  }

  /** By key, what a cache should hold. */
  get contents(): Readonly<Record<string, Service>> {
    return Object.fromEntries(this.#objects);
  }

  /** Creates or changes a Service and tells the watches. */
  put(name: string, annotation = ''): Service {
    const before = this.#objects.get(`shop/${name}`);
    this.#version += 1;
    const object: Service = {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: {
        name,
        namespace: 'shop',
        uid: before?.metadata.uid ?? `uid-${this.#version}`,
        resourceVersion: this.version,
        annotations: { note: annotation },
      },
      spec: { type: 'LoadBalancer' },
    };
    this.#objects.set(`shop/${name}`, object);
    this.#tell({ type: before === undefined ? 'ADDED' : 'MODIFIED', object });
    return object;
  }

  /** Deletes a Service and tells the watches. */
  remove(name: string): void {
    const object = this.#objects.get(`shop/${name}`);
    if (object === undefined) throw new Error(`there is no Service ${name}`);
    this.#version += 1;
    this.#objects.delete(`shop/${name}`);
    this.#tell({ type: 'DELETED', object: withVersion(object, this.version) });
  }

  /** Does something of which the open watches hear nothing; a watch that starts later does. */
  silently(work: () => void): void {
    this.#isMute = true;
    work();
    this.#isMute = false;
  }

  /** Something else in the cluster changes: the version rises. */
  pass(versions: number): void {
    this.#version += versions;
  }

  /** Forgets what happened: a watch can only start from now. */
  compact(): void {
    this.#oldest = this.#version;
    this.#log = [];
  }

  /** Puts back an earlier state, version and all, as an administrator does with a backup. */
  restore(objects: Readonly<Record<string, Service>>, version: string): void {
    this.#objects.clear();
    for (const [key, object] of Object.entries(objects)) this.#objects.set(key, object);
    this.#version = Number(version);
    this.compact();
  }

  /** The only watch there is. */
  get watch(): ServerResponse {
    const [watch] = this.watches;
    if (watch === undefined || this.watches.size > 1) throw new Error(`there are ${this.watches.size} watches`);
    return watch;
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://server');
    const at = this.#clock.monotonic();
    const exchange: Exchange = { query: url.searchParams, headers: request.headers, at, response };
    this.exchanges.push(exchange);
    const script = this.scripts.shift();
    if (script !== undefined && script(exchange) !== false) return;
    if (exchange.query.get('watch') === 'true') this.#serveWatch(exchange);
    else this.#servePage(exchange);
  }

  #serveWatch({ query, response }: Exchange): void {
    const wantsInitialEvents = query.get('sendInitialEvents') === 'true';
    if (wantsInitialEvents && this.streaming === 'refused') {
      sendStatus(response, 422, 'Invalid', 'sendInitialEvents is forbidden');
      return;
    }
    const from = query.get('resourceVersion');
    if (from !== null && Number(from) < this.#oldest) {
      sendStatus(response, 410, 'Expired', `too old resource version: ${from} (${this.#oldest})`);
      return;
    }
    this.openWatch(response);
    if (from === null) {
      for (const object of this.#objects.values()) response.write(eventLine('ADDED', object));
      if (wantsInitialEvents && this.streaming === 'known') response.write(bookmarkLine(this.version, true));
      return;
    }
    for (const { type, object } of this.#log) {
      if (Number(object.metadata.resourceVersion) > Number(from)) response.write(eventLine(type, object));
    }
  }

  /** Sends the head of a watch, and from then on every change. */
  openWatch(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.watches.add(response);
    response.on('close', () => this.watches.delete(response));
  }

  #servePage({ query, response }: Exchange): void {
    const start = Number(query.get('continue') ?? 0);
    const end = start + Number(query.get('limit') ?? Number.POSITIVE_INFINITY);
    const all = [...this.#objects.values()];
    sendPage(response, all.slice(start, end), this.version, end < all.length ? String(end) : '');
  }

  #tell(event: LoggedEvent): void {
    this.#log.push(event);
    if (this.#isMute) return;
    for (const watch of this.watches) watch.write(eventLine(event.type, event.object));
  }
}

function withVersion(object: Service, resourceVersion: string): Service {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

export function eventLine(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

export function bookmarkLine(resourceVersion: string, endsInitialEvents: boolean): string {
  const annotations = endsInitialEvents ? { 'k8s.io/initial-events-end': 'true' } : undefined;
  return eventLine('BOOKMARK', { kind: 'Service', apiVersion: 'v1', metadata: { resourceVersion, annotations } });
}

/** The items of a real list come without their kind. */
function sendPage(response: ServerResponse, objects: readonly Service[], resourceVersion: string, token: string): void {
  const items = objects.map(({ metadata, spec }) => ({ metadata, spec }));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ kind: 'ServiceList', apiVersion: 'v1', metadata: { resourceVersion, continue: token }, items }),
  );
}

export function sendStatus(
  response: ServerResponse,
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message }));
}
