import { type LogFields, type Logger, noMetrics, seededRandom, VirtualClock } from '@fairlead/control';
import { SocketTransport } from '@fairlead/control/adapters';
import { HttpConnection } from '../../api/http-connection.ts';
import type { Credential, Credentials } from '../../auth/credentials.ts';
import type { Service } from '../../types/service.ts';
import { CacheFactory } from '../cache-factory.ts';
import type { SharedCache } from '../shared-cache.ts';
import { bookmarkLine, ScriptedApiServer } from './scripted-api-server.ts';

/** Keeps what was logged. */
class Logs implements Logger {
  readonly lines: { readonly level: string; readonly fields: LogFields; readonly message: string }[] = [];
  debug = (fields: LogFields, message: string) => void this.lines.push({ level: 'debug', fields, message });
  info = (fields: LogFields, message: string) => void this.lines.push({ level: 'info', fields, message });
  warn = (fields: LogFields, message: string) => void this.lines.push({ level: 'warn', fields, message });
  error = (fields: LogFields, message: string) => void this.lines.push({ level: 'error', fields, message });
  child = () => this;

  get errors(): readonly string[] {
    return this.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
  }
}

/** Shows a first token until that is refused, and a second from then on. */
function twoTokens(): Credentials {
  const second: Credential = { headers: { authorization: 'Bearer second' }, tls: {} };
  let credential: Credential = { headers: { authorization: 'Bearer first' }, tls: {} };
  return {
    current: () => Promise.resolve(credential),
    renew() {
      credential = second;
    },
  };
}

/** Caches connected by real sockets to a server that has the Services `a` and `b`. Time passes only when driven. */
export class CacheWorld {
  readonly clock: VirtualClock;
  readonly server: ScriptedApiServer;
  readonly logs = new Logs();
  readonly stop = new AbortController();
  readonly factory: CacheFactory;
  readonly #connection: HttpConnection;

  private constructor(clock: VirtualClock, server: ScriptedApiServer, url: string) {
    this.clock = clock;
    this.server = server;
    const transport = () => new SocketTransport();
    this.#connection = new HttpConnection({
      server: url,
      credentials: twoTokens(),
      transport,
      clock,
      userAgent: 'test',
    });
    this.factory = new CacheFactory({
      connection: this.#connection,
      clock,
      random: seededRandom(1),
      logger: this.logs,
      metrics: noMetrics,
      signal: this.stop.signal,
    });
  }

  static async start(): Promise<CacheWorld> {
    const clock = new VirtualClock();
    const server = new ScriptedApiServer(clock);
    server.put('a');
    server.put('b');
    return new CacheWorld(clock, server, await server.start());
  }

  async end(): Promise<void> {
    this.stop.abort(new Error('the test is over'));
    await this.#connection.close();
    await this.server.stop();
  }

  /** Waits for sockets, not for time: no timer fires that is not due now. */
  async eventually(condition: () => boolean): Promise<void> {
    while (!condition()) await this.clock.advance(0);
  }

  /** Waits until the cache has given up on a connection, and lets the delay before the next attempt pass. */
  async retry(cache: SharedCache<Service>): Promise<void> {
    await this.eventually(() => cache.status.phase.state === 'waiting');
    await this.clock.runNext();
  }

  /** Waits until the cache has the versions that the server has. */
  async inStep(cache: SharedCache<Service>): Promise<void> {
    await this.eventually(() => cache.hasSynced && versions(contentsOf(cache)) === versions(this.server.contents));
  }

  /** Writes to the only watch and waits until the bytes are with the cache: a bookmark before them shows that. */
  async writeToWatch(cache: SharedCache<Service>, bytes: Uint8Array): Promise<void> {
    await this.clock.advance(1);
    const position = cache.get('shop/b')?.metadata.resourceVersion ?? '';
    this.server.watch.write(Buffer.concat([Buffer.from(bookmarkLine(position, false)), bytes]));
    await this.eventually(() => cache.status.lastEventAt === this.clock.now());
  }
}

export function contentsOf(cache: SharedCache<Service>): Readonly<Record<string, Service | undefined>> {
  return Object.fromEntries([...cache.keys()].map((key) => [key, cache.get(key)]));
}

function versions(objects: Readonly<Record<string, Service | undefined>>): string {
  const texts = Object.entries(objects).map(([key, object]) => `${key}@${object?.metadata.resourceVersion}`);
  return texts.sort().join();
}
