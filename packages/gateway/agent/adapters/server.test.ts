import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect as connectPlainly } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { type Clock, type Logger, silentLogger } from '@fairlead/control';
import { SocketTransport, systemClock } from '@fairlead/control/adapters';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configurationAnswer } from '../../protocol/answer.ts';
import type { ConfigurationRequest } from '../../protocol/configuration.ts';
import { issueCertificate } from '../certificates/certificate.ts';
import { type ApiServer, startApiServer } from './server.ts';

const DAY = 86_400_000;
const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

class Authority {
  readonly #keys = newKeys();
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  get certificate(): string {
    return this.#issue('authority', this.#name, this.#keys, DAY);
  }

  /** A certificate and its key, as PEM. */
  issue(role: 'server' | 'client', host: string, lastsFor = DAY): { readonly cert: string; readonly key: string } {
    const keys = newKeys();
    const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { cert: this.#issue(role, host, keys, lastsFor), key };
  }

  #issue(
    role: 'authority' | 'server' | 'client',
    host: string,
    keys: ReturnType<typeof newKeys>,
    lastsFor: number,
  ): string {
    const now = Math.floor(Date.now() / 1_000) * 1_000;
    const hosts = role === 'authority' ? [] : [host];
    const dates = { from: now - 2 * DAY, until: now + lastsFor };
    const contents = { name: host, role, hosts, publicKey: keys.publicKey, serial: 7n, ...dates };
    return issueCertificate(contents, { name: this.#name, privateKey: this.#keys.privateKey });
  }
}

const authority = new Authority('ours');
const controller = authority.issue('client', 'fairlead-controller');
const body = JSON.stringify({ kind: 'whole', generation: { epoch: 1, number: 1 }, virtualServers: [] });

/** The real one, but where a test has it stand still. */
let stoppedAt: number | undefined;
const clock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => stoppedAt ?? systemClock.monotonic(),
  setTimer: (delay, callback) => systemClock.setTimer(delay, callback),
  turn: () => systemClock.turn(),
};
let folder: string;
let server: ApiServer;
const stop = new AbortController();
const taken: (ConfigurationRequest | number)[] = [];
const warnings: string[] = [];
const logger: Logger = {
  ...silentLogger,
  warn: (fields, message) => void warnings.push(`${message} ${JSON.stringify(fields)}`),
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-agent-'));
  const agent = authority.issue('server', 'localhost');
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  server = await startApiServer({
    configuration: {
      listen: '127.0.0.1:0',
      tls: {
        certificateFile: await file('agent.crt', agent.cert),
        keyFile: await file('agent.key', agent.key),
        authorityFile: await file('authority.crt', authority.certificate),
        controller: 'fairlead-controller',
      },
    },
    configurable: {
      take(asked) {
        taken.push(asked);
        return Promise.resolve({ kind: 'taken', generation: asked.generation });
      },
      announce(epoch) {
        taken.push(epoch);
        return Promise.resolve(epoch);
      },
      status: () => ({ programmed: true, heldAddresses: [] }),
    },
    clock,
    logger,
    signal: stop.signal,
    limits: { requestMilliseconds: 3_000, bodyBytes: 1_000_000 },
  });
});

afterAll(async () => {
  stop.abort();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  taken.length = 0;
  warnings.length = 0;
});

interface Shown {
  readonly cert?: string;
  readonly key?: string;
}

function options(shown: Shown, method: string, path: string) {
  return {
    host: '127.0.0.1',
    port: server.port,
    servername: 'localhost',
    ca: authority.certificate,
    agent: false,
    method,
    path,
    ...shown,
  };
}

/** The status of the answer, or what went wrong instead. */
async function ask(shown: Shown, method = 'PUT', path = '/v1/config', sent = body): Promise<number | string> {
  const asked = request(options(shown, method, path));
  const { promise, resolve } = Promise.withResolvers<number | string>();
  asked.on('response', (response: IncomingMessage) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  asked.on('error', (error) => resolve(error.message));
  asked.end(method === 'PUT' ? sent : undefined);
  return promise;
}

describe('the API of the agent', () => {
  it('serves the controller', async () => {
    expect(await ask(controller)).toBe(200);
    expect(await ask(controller, 'GET', '/v1/status')).toBe(200);
    expect(taken).toHaveLength(1);
  });

  it('serves the transport that the controller uses, over several connections', async () => {
    for (let round = 0; round < 3; round += 1) {
      const tls = { certificateAuthority: authority.certificate, certificate: controller.cert, key: controller.key };
      const transport = new SocketTransport({ tls: { ...tls, serverName: 'localhost' } });
      const url = `https://127.0.0.1:${server.port}/v1/status`;
      const { status } = await transport.send({ method: 'GET', url, headers: {} });
      expect(status).toBe(200);
      await transport.close();
    }
  });

  it.each([
    ['no certificate', {}],
    ['a certificate of another authority', new Authority('theirs').issue('client', 'fairlead-controller')],
    ['a certificate that has ended', authority.issue('client', 'fairlead-controller', -DAY)],
    ['a certificate of a server', authority.issue('server', 'fairlead-controller')],
  ])('lets nobody in with %s, and says so in the log', async (_, shown) => {
    expect(typeof (await ask(shown))).toBe('string');
    expect(typeof (await ask(shown, 'PUT', '/v1/leader', '{"epoch":9}'))).toBe('string');
    await expect.poll(() => warnings.join()).toContain('a connection was refused');
    expect(taken).toEqual([]);
  });

  it.each([['gateway-1'], ['fairlead-controller.example'], ['*']])(
    'refuses the certificate of %s, of the same authority',
    async (name) => {
      const other = authority.issue('client', name);
      expect(await ask(other)).toBe(403);
      expect(await ask(other, 'PUT', '/v1/leader', '{"epoch":9}')).toBe(403);
      expect(warnings.join()).toContain('this certificate is not the controller');
      expect(taken).toEqual([]);
    },
  );

  it('refuses an older TLS', async () => {
    const { path: _, ...rest } = options(controller, 'GET', '/');
    const socket = connect({ ...rest, maxVersion: 'TLSv1.2' });
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('alert');
  });

  it.each([
    ['no JSON', '{'],
    ['another shape', '{"kind":"whole"}'],
    ['an address that ends a statement', body.replace('[]', '[{"address":"192.0.2.1; flush ruleset"}]')],
  ])('refuses %s', async (_, sent) => {
    expect(await ask(controller, 'PUT', '/v1/config', sent)).toBe(400);
    expect(await ask(controller, 'PUT', '/v1/leader', sent)).toBe(400);
    expect(warnings.map((line) => line.split(' {')[0])).toEqual([
      'a configuration was refused',
      'an announcement that is none was refused',
    ]);
    expect(taken).toEqual([]);
  });

  it('knows no other way', async () => {
    expect(await ask(controller, 'POST', '/v1/config')).toBe(405);
    expect(await ask(controller, 'PUT', '/v1/status')).toBe(405);
    expect(await ask(controller, 'GET', '/')).toBe(404);
  });

  it('refuses a body of 100 MB without reading all of it', async () => {
    const asked = request({ ...options(controller, 'PUT', '/v1/config'), headers: { 'content-length': 100_000_000 } });
    asked.on('error', () => {});
    asked.flushHeaders();
    const [response]: IncomingMessage[] = await once(asked, 'response');
    expect(response?.statusCode).toBe(413);
    const told = configurationAnswer.parse(await json(response ?? Readable.from([])));
    expect(told).toMatchObject({ kind: 'refused', code: 'too-large' });
    asked.destroy();
  });

  it('refuses a body without a length as soon as it is too long', async () => {
    const asked = request({ ...options(controller, 'PUT', '/v1/config'), headers: { 'transfer-encoding': 'chunked' } });
    asked.on('error', () => {});
    const response = once(asked, 'response');
    const piece = Buffer.alloc(300_000, ' ');
    for (let sent = 0; sent < 4; sent += 1) asked.write(piece);
    const [received]: IncomingMessage[] = await response;
    expect(received?.statusCode).toBe(413);
    asked.destroy();
  });

  it('takes nothing of half a body', async () => {
    const asked = request({ ...options(controller, 'PUT', '/v1/config'), headers: { 'content-length': body.length } });
    asked.on('error', () => {});
    await new Promise<void>((resolve) => asked.write(body.slice(0, 10), () => resolve()));
    asked.destroy();
    expect(await ask(controller, 'GET', '/v1/status')).toBe(200);
    expect(taken).toEqual([]);
  });

  it('waits no longer than its limit for a body', async () => {
    const asked = request({ ...options(controller, 'PUT', '/v1/config'), headers: { 'content-length': body.length } });
    asked.on('error', () => {});
    asked.write(body.slice(0, 10));
    const [{ statusCode }] = await Promise.race([
      once(asked, 'response'),
      once(asked, 'close').then(() => [{ statusCode: 'closed' }]),
    ]);
    expect(statusCode).toBe(408);
    expect(taken).toEqual([]);
  });

  it('closes the ninth connection of one client at once, and leaves it the others', async () => {
    const open = async () => {
      const socket = connectPlainly({ host: '127.0.0.1', port: server.port });
      socket.on('error', () => {});
      socket.resume();
      await once(socket, 'connect');
      return socket;
    };
    const eight = [];
    while (eight.length < 8) eight.push(await open());
    const ninth = await open();
    if (!ninth.closed) await once(ninth, 'close');
    expect(eight.filter((socket) => socket.closed)).toEqual([]);
    for (const socket of eight) socket.destroy();
  });

  it('closes 1,000 connections of one client but for a few, and serves on', async () => {
    const sockets = Array.from({ length: 1_000 }, () => connectPlainly({ host: '127.0.0.1', port: server.port }));
    const closed = sockets.map(async (socket) => {
      socket.on('error', () => {});
      socket.resume();
      await once(socket, 'close');
    });
    await expect.poll(() => sockets.filter((socket) => !socket.closed).length, { timeout: 10_000 }).toBeLessThan(9);
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    await expect.poll(() => ask(controller)).toBe(200);
    expect(warnings.join()).toContain('connections beyond the limit are closed');
  });

  it('answers only so many requests in a second', async () => {
    stoppedAt = systemClock.monotonic();
    const told: (number | string)[] = [];
    for (let round = 0; round < 41; round += 1) told.push(await ask(controller, 'GET', '/v1/status'));
    stoppedAt = undefined;
    expect(told.at(-1)).toBe(429);
  });
});
