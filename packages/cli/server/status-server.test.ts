import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Journal, VirtualClock } from '@fairlead/control';
import { afterEach, describe, expect, it } from 'vitest';
import { PrometheusMetrics } from '../observability/metrics.ts';
import { ReadinessBoard } from '../observability/readiness.ts';
import { JournalGuard } from './journal-guard.ts';
import { type Route, text } from './router.ts';
import { statusRoutes } from './routes.ts';
import { isLoopback, type StatusServer, startStatusServer } from './status-server.ts';

/** What the server answers to a request that no client library would send. */
async function answerTo(url: string, requestLine: string, host = 'status'): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end(`${requestLine}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let answer = '';
  for await (const piece of socket) answer += String(piece);
  return answer;
}

async function statusLine(url: string, requestLine: string, host?: string): Promise<string> {
  const answer = await answerTo(url, requestLine, host);
  return answer.slice(0, answer.indexOf('\r\n'));
}

/** However it is closed. */
async function closed(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
}

describe('the status server', () => {
  let server: StatusServer | undefined;
  afterEach(() => server?.close());

  async function start(explanations = Promise.resolve(), guard?: JournalGuard) {
    const readiness = new ReadinessBoard();
    const journal = new Journal(new VirtualClock());
    const metrics = new PrometheusMetrics();
    const journals = new Map([['gateway', journal]]);
    const explained: string[] = [];
    server = await startStatusServer(
      '127.0.0.1:0',
      statusRoutes({
        clusterId: async () => 'uid-1',
        readiness,
        metrics,
        journals,
        guard: guard ?? new JournalGuard('loopback', undefined, new VirtualClock()),
        standing: () => ({ kind: 'leads' }),
        async explain(part, { kind, namespace, name }) {
          explained.push(`${part} ${kind} ${namespace}/${name}`);
          await explanations;
          return { answer: 'It is well.', state: 'as-wanted', wanted: [], there: [] };
        },
      }),
    );
    const get = async (path: string, method = 'GET', headers: Readonly<Record<string, string>> = {}) => {
      const response = await fetch(`${server?.url}${path}`, { method, headers });
      return { status: response.status, body: await response.text() };
    };
    return { readiness, journal, metrics, explained, get };
  }

  it.each([
    ['of our own', { 'x-fairlead-token': 'jane' }, 'jane'],
    ['that all know', { authorization: 'Bearer jane' }, 'jane'],
    ['that all know, in small letters', { authorization: 'bearer jane' }, 'jane'],
    ['of our own before that of others', { authorization: 'Bearer proxy', 'x-fairlead-token': 'jane' }, 'jane'],
    ['of another kind, which is none', { authorization: 'Basic amFuZTo=' }, undefined],
  ])('takes the token in the header %s', async (_, headers, token) => {
    const shown: (string | undefined)[] = [];
    const route: Route = async (__, caller) => {
      shown.push(caller.token);
      return text(200, 'ok');
    };
    server = await startStatusServer('127.0.0.1:0', new Map([['/debug/why', route]]));
    await fetch(`${server.url}/debug/why`, { headers });
    expect(shown).toEqual([token]);
  });

  it('is healthy at once, and ready when every part is', async () => {
    const { readiness, get } = await start();
    const gateway = readiness.add('gateway');
    const dns = readiness.add('dns');
    dns.set({ ready: true });
    expect(await get('/healthz')).toEqual({ status: 200, body: 'ok\n' });
    expect(await get('/readyz')).toEqual({ status: 503, body: 'gateway: not ready: starting\ndns: ready\n' });
    expect((await get('/readyz/dns')).status).toBe(200);
    expect((await get('/readyz/gateway')).status).toBe(503);
    gateway.set({ ready: true });
    expect((await get('/readyz/')).status).toBe(200);
    expect(await get('/readyz/ghost')).toEqual({
      status: 404,
      body: 'no part named ghost runs here; there is gateway, dns\n',
    });
  });

  it('tells health and metrics to all, whoever may read the journal', async () => {
    const postJson = () => Promise.reject(new Error('no token is looked at'));
    const { readiness, get } = await start(undefined, new JournalGuard('token', { postJson }, new VirtualClock()));
    readiness.add('gateway').set({ ready: true });
    for (const path of ['/healthz', '/readyz', '/readyz/gateway', '/metrics'])
      expect((await get(path)).status).toBe(200);
    expect((await get('/debug/journal')).status).toBe(401);
    expect((await get('/debug/why/gateway/service/shop/web')).status).toBe(401);
  });

  it('serves metrics that were declared, and those that were touched', async () => {
    const { metrics, get } = await start();
    const lamps = { name: 'lamps', kind: 'gauge', help: 'Lamps that burn.', labels: ['colour'] } as const;
    metrics.declare(lamps);
    expect((await get('/metrics')).body).toContain('# HELP lamps Lamps that burn.');
    metrics.set(lamps, 3, { colour: 'red' });
    expect((await get('/metrics')).body).toContain('lamps{colour="red"} 3');
    metrics.observe({ name: 'waits', kind: 'histogram', help: 'Waits.', buckets: [7] }, 1);
    expect((await get('/metrics')).body).toContain('waits_bucket{le="7"} 1\nwaits_bucket{le="+Inf"} 1');
  });

  it('serves the journal of an object, with the cluster it is of', async () => {
    const { journal, get } = await start();
    journal.record('service shop/web', { kind: 'note', text: 'seen' });
    expect(JSON.parse((await get('/debug/journal')).body)).toEqual({ gateway: ['service shop/web'] });
    expect(JSON.parse((await get('/debug/journal/gateway/service/shop/web')).body)).toMatchObject({
      cluster: 'uid-1',
      entries: [{ kind: 'note', text: 'seen', count: 1 }],
    });
    expect((await get('/debug/journal/ghost')).status).toBe(404);
  });

  it('tells why an object is as it is, as the part sees it that runs here', async () => {
    const { journal, explained, get } = await start();
    journal.record('service shop/web', { kind: 'note', text: 'seen' });
    expect(JSON.parse((await get('/debug/why/gateway/service/shop/web')).body)).toMatchObject({
      cluster: 'uid-1',
      standing: { kind: 'leads' },
      explanation: { answer: 'It is well.' },
      entries: [{ text: 'seen' }],
    });
    expect(explained).toEqual(['gateway service shop/web']);
    expect((await get('/debug/why/ghost/service/shop/web')).status).toBe(404);
    expect((await get('/debug/why/gateway')).status).toBe(404);
  });

  it('explains two things at once, and no more', async () => {
    const gate = Promise.withResolvers<void>();
    const { get, explained } = await start(gate.promise);
    const asked = [get('/debug/why/gateway/service/a/b'), get('/debug/why/gateway/service/a/c')];
    while (explained.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect((await get('/debug/why/gateway/service/a/d')).status).toBe(429);
    gate.resolve();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await get('/debug/why/gateway/service/a/d')).status).toBe(200);
  });

  it('keeps none waiting for those whose token is still looked at', async () => {
    const never = new Promise<never>(() => {});
    const asked: string[] = [];
    const postJson = async (path: string, body: object): Promise<unknown> => {
      const isKnown = JSON.stringify(body).includes('jane');
      if (!isKnown) asked.push(path);
      return isKnown ? { status: { authenticated: true, user: { username: 'jane' }, allowed: true } } : never;
    };
    const { get } = await start(Promise.resolve(), new JournalGuard('token', { postJson }, new VirtualClock()));
    const path = '/debug/why/gateway/service/a/b';
    for (const token of ['one', 'two']) void get(path, 'GET', { 'x-fairlead-token': token }).catch(() => undefined);
    while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect((await get(path, 'GET', { 'x-fairlead-token': 'jane' })).status).toBe(200);
  });

  it.each([
    ['/debug/journal/gateway/service/shop/web', 200],
    ['/debug/why/gateway/service/shop/web', 200],
    ['/debug/journal/gateway/service/bank/vault', 403],
    ['/debug/journal', 403],
    ['/debug/journal/', 403],
    ['/debug/journal/gateway', 403],
    ['/debug/journal/gateway/service/shop/web/more', 403],
    ['/debug/journal/gateway//shop/web', 403],
    ['/debug/journal//service/shop/web', 403],
    ['/debug/journal/%2Fservice/shop/web', 403],
    ['/debug/why//service/shop/web', 404],
    ['/debug/why/../journal', 404],
  ])('answers who may read the Service shop/web, and no other, at %s with %i', async (path, status) => {
    const postJson = async (_: string, body: object): Promise<unknown> => {
      const { resourceAttributes: { namespace, name } = {} } = Object(Reflect.get(body, 'spec'));
      const allowed = namespace === 'shop' && name === 'web';
      return { status: { authenticated: true, user: { username: 'jane' }, allowed } };
    };
    const guard = new JournalGuard('token', { postJson }, new VirtualClock());
    const { journal } = await start(Promise.resolve(), guard);
    for (const name of ['shop/web', 'bank/vault']) journal.record(`service ${name}`, { kind: 'note', text: name });
    const answer = await answerTo(server?.url ?? '', `GET ${path} HTTP/1.1\r\nX-Fairlead-Token: jane`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).not.toContain('bank/vault"');
  });

  it('has no cache keep what one caller was told', async () => {
    await start();
    const answer = await answerTo(server?.url ?? '', 'GET /readyz HTTP/1.1');
    expect(answer.toLowerCase()).toContain('\r\ncache-control: no-store\r\n');
  });

  it('tells what there is when asked for something else, and changes nothing', async () => {
    const { get } = await start();
    expect((await get('/healthzy')).status).toBe(404);
    expect((await get('/nothing')).body).toContain('there is /healthz, /readyz, /metrics, /debug/journal, /debug/why');
    expect((await get('/healthz', 'POST')).status).toBe(405);
    expect((await get('/%zz')).status).toBe(400);
    expect((await get('/healthz', 'OPTIONS')).status).toBe(405);
  });

  it.each(['//', '///', '//healthz', '//example.org/healthz', '/\\', '/[', '/%00', '/%2F', '/?a=%zz', '/..%2f..'])(
    'has nothing at %s',
    async (path) => {
      await start();
      expect(await statusLine(server?.url ?? '', `GET ${path} HTTP/1.1`)).toBe('HTTP/1.1 404 Not Found');
    },
  );

  it.each([
    ['localhost:8080', '200 OK'],
    ['127.0.0.1', '200 OK'],
    ['[::1]:8080', '200 OK'],
    ['evil.example:8080', '403 Forbidden'],
    ['127.evil.example', '403 Forbidden'],
    ['', '403 Forbidden'],
  ])('tells pages in a browser of the same machine nothing, by whatever name they ask: %j', async (host, status) => {
    await start();
    expect(await statusLine(server?.url ?? '', 'GET /debug/journal HTTP/1.1', host)).toBe(`HTTP/1.1 ${status}`);
  });

  it('answers what a proxy or a broken client may ask for', async () => {
    await start();
    const url = server?.url ?? '';
    expect(await statusLine(url, 'GET /healthz/?verbose=%zz&x HTTP/1.1')).toBe('HTTP/1.1 200 OK');
    expect(await statusLine(url, 'OPTIONS * HTTP/1.1')).toBe('HTTP/1.1 405 Method Not Allowed');
    expect(await statusLine(url, `GET ${'/'.repeat(15_000)}x HTTP/1.1`)).toBe('HTTP/1.1 404 Not Found');
    expect(await statusLine(url, `GET /${'a'.repeat(20_000)} HTTP/1.1`)).toContain('431');
  });

  it.each([
    ['127.0.0.1', true],
    ['127.8.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['localhost', true],
    ['10.127.0.1', false],
    ['::ffff:10.127.0.1', false],
    ['192.0.2.1', false],
    ['', false],
  ])('takes %j for this machine: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });

  it.each(['X-Slow: ', 'Content-Length: 100000\r\n\r\n'])(
    'waits only so long for a request that comes letter by letter after %j',
    async (begun) => {
      server = await startStatusServer('127.0.0.1:0', new Map(), 100);
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1').resume();
      socket.write(`GET /healthz HTTP/1.1\r\nHost: status\r\n${begun}`);
      const letters = setInterval(() => socket.write('x'), 20);
      await closed(socket);
      clearInterval(letters);
      expect(socket.bytesWritten).toBeLessThan(1_000);
    },
  );

  it('keeps an answer only so long for who does not read it', async () => {
    const whole = 64 * 1024 * 1024;
    server = await startStatusServer('127.0.0.1:0', new Map([['/big', async () => text(200, 'x'.repeat(whole))]]), 100);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write('GET /big HTTP/1.1\r\nHost: status\r\n\r\n');
    await once(socket, 'readable');
    // In pieces, so that on a machine that stood still the server's own timers come before the last of them.
    for (let piece = 0; piece < 10; piece += 1) await sleep(100);
    let read = 0;
    socket.on('data', (piece) => (read += piece.length));
    await closed(socket);
    expect(read).toBeLessThan(whole);
  });

  it('says which setting to change when it cannot listen', async () => {
    await start();
    const taken = server?.url.replace('http://', '') ?? '';
    await expect(startStatusServer(taken, new Map())).rejects.toThrow(`cannot listen on ${taken}`);
  });
});
