import { type HttpRequest, type HttpResponse, messageOf, readText, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import type { Credential } from '../auth/credentials.ts';
import { response } from '../testing/responses.ts';
import { isForbidden } from './api-error.ts';
import { HttpConnection } from './http-connection.ts';

const bearer = (token: string, certificate?: string): Credential => ({
  headers: { authorization: `Bearer ${token}` },
  tls: certificate === undefined ? {} : { certificate },
});

/** A connection whose credentials are taken from the list, one further each time the server refuses. */
function setUp(answer: (request: HttpRequest) => HttpResponse, given: readonly [Credential, ...Credential[]]) {
  const clock = new VirtualClock();
  const sent: HttpRequest[] = [];
  const opened: unknown[] = [];
  const closed: number[] = [];
  let position = 0;
  const connection = new HttpConnection({
    server: 'https://api.example/prefix',
    clock,
    userAgent: 'fairlead/test',
    credentials: {
      current: () => Promise.resolve(given[position] ?? given[0]),
      renew: () => {
        position = Math.min(position + 1, given.length - 1);
      },
    },
    transport: (tls) => {
      const index = opened.push(tls) - 1;
      return {
        send(request) {
          sent.push(request);
          return Promise.resolve(answer(request));
        },
        close() {
          closed.push(index);
          return Promise.resolve();
        },
      };
    },
  });
  return { connection, clock, sent, opened, closed };
}

const ok = () => response(200, '{}');

describe('HttpConnection', () => {
  it('adds address, query, credentials and content type', async () => {
    const { connection, sent } = setUp(ok, [bearer('a')]);
    const signal = new AbortController().signal;
    const query = { labelSelector: 'a in (b,c)', limit: 5, force: true, continue: undefined };
    await connection.send({ method: 'POST', path: '/api/v1/pods', query, body: { a: 1 }, signal, streaming: true });
    expect(sent[0]).toEqual({
      method: 'POST',
      url: 'https://api.example/prefix/api/v1/pods?labelSelector=a%20in%20(b%2Cc)&limit=5&force=true',
      headers: {
        accept: 'application/json',
        authorization: 'Bearer a',
        'content-type': 'application/json',
        'user-agent': 'fairlead/test',
      },
      body: '{"a":1}',
      signal,
      streaming: true,
    });
  });

  it('asks for compressed answers where they are read as a whole, and not for watches', async () => {
    const { connection, sent } = setUp(ok, [bearer('a')]);
    await connection.send({ method: 'GET', path: '/api/v1/services' });
    await connection.send({ method: 'GET', path: '/api/v1/services', query: { watch: true }, streaming: true });
    await connection.send({ method: 'PATCH', path: '/api/v1/services/a', body: {} });
    expect(sent.map(({ headers }) => headers['accept-encoding'])).toEqual(['gzip', undefined, undefined]);
  });

  it('sends nothing while the server asks one of its requests to come later, but what concerns Leases', async () => {
    let isBusy = true;
    const { connection, clock, sent } = setUp(
      () => (isBusy ? { ...response(429), headers: { 'retry-after': '3' } } : response(200, '{}')),
      [bearer('a')],
    );
    const path = '/api/v1/services';
    await expect(connection.send({ method: 'GET', path })).rejects.toMatchObject({ status: 429 });
    isBusy = false;
    const held = connection.send({ method: 'GET', path });
    await connection.send({ method: 'GET', path: '/apis/coordination.k8s.io/v1/namespaces/f/leases/part' });
    await clock.advance(2_999);
    expect(sent).toHaveLength(2);
    await clock.advance(1);
    expect((await held).status).toBe(200);
  });

  it('asks whether a request may be sent after all that it waits for, and sends none that may not', async () => {
    let isBusy = true;
    const { connection, clock, sent } = setUp(
      () => (isBusy ? { ...response(429), headers: { 'retry-after': '3' } } : response(200, '{}')),
      [bearer('a')],
    );
    const request = { method: 'PATCH', path: '/api/v1/services/a', body: {} } as const;
    await expect(connection.send(request)).rejects.toMatchObject({ status: 429 });
    isBusy = false;
    let isLeading = true;
    const beforeSending = () => {
      if (!isLeading) throw new Error('the Lease is lost');
    };
    const held = connection.send({ ...request, beforeSending }).catch((error: unknown) => messageOf(error));
    isLeading = false;
    await clock.advance(3_000);
    expect(await held).toBe('the Lease is lost');
    expect(sent).toHaveLength(1);
  });

  it('asks again before a request is sent once more with a renewed credential', async () => {
    const { connection, sent } = setUp(() => response(401), [bearer('old'), bearer('new')]);
    let left = 1;
    const beforeSending = () => {
      if ((left -= 1) < 0) throw new Error('the Lease is too short');
    };
    const request = { method: 'PUT', path: '/x', body: {}, beforeSending } as const;
    await expect(connection.send(request)).rejects.toThrow('the Lease is too short');
    expect(sent).toHaveLength(1);
  });

  it('passes on headers that are repeated', async () => {
    const repeatedHeaders = { 'impersonate-group': ['ops', 'dev'] };
    const { connection, sent } = setUp(ok, [{ ...bearer('a'), repeatedHeaders }]);
    await connection.send({ method: 'GET', path: '/x' });
    expect(sent[0]?.repeatedHeaders).toEqual(repeatedHeaders);
  });

  it('turns a refusal into an ApiError and passes on what is below 400', async () => {
    const { connection } = setUp((request) => response(request.url.endsWith('/no') ? 403 : 201, 'text'), [bearer('a')]);
    expect(await readText(await connection.send({ method: 'GET', path: '/yes' }))).toBe('text');
    const error: unknown = await connection.send({ method: 'GET', path: '/no' }).catch((thrown: unknown) => thrown);
    expect(isForbidden(error)).toBe(true);
  });

  it('renews a refused credential and sends the request once more', async () => {
    const answer = (request: HttpRequest) => response(request.headers['authorization'] === 'Bearer new' ? 200 : 401);
    const { connection, sent } = setUp(answer, [bearer('old'), bearer('new')]);
    await connection.send({ method: 'PUT', path: '/x', body: { a: 1 } });
    expect(sent.map((request) => request.headers['authorization'])).toEqual(['Bearer old', 'Bearer new']);
    expect(sent[1]?.body).toBe('{"a":1}');
  });

  it('does not repeat a request with the credential that was just refused, nor a second time', async () => {
    const unchanged = setUp(() => response(401), [bearer('old')]);
    await expect(unchanged.connection.send({ method: 'GET', path: '/x' })).rejects.toMatchObject({ status: 401 });
    expect(unchanged.sent).toHaveLength(1);
    const refusing = setUp(() => response(401), [bearer('old'), bearer('new'), bearer('newer')]);
    await expect(refusing.connection.send({ method: 'GET', path: '/x' })).rejects.toMatchObject({ status: 401 });
    expect(refusing.sent).toHaveLength(2);
  });

  it('reads a refusal to its end also when the credential cannot be renewed', async () => {
    let isRead = false;
    async function* body() {
      yield new TextEncoder().encode('who are you?');
      isRead = true;
    }
    let isRefused = false;
    const connection = new HttpConnection({
      server: 'https://api.example',
      clock: new VirtualClock(),
      userAgent: 'fairlead/test',
      credentials: {
        current: () => (isRefused ? Promise.reject(new Error('not logged in')) : Promise.resolve(bearer('a'))),
        renew: () => {
          isRefused = true;
        },
      },
      transport: () => ({
        send: () => Promise.resolve({ status: 401, headers: {}, body: body() }),
        close: () => Promise.resolve(),
      }),
    });
    await expect(connection.send({ method: 'GET', path: '/x' })).rejects.toThrow('not logged in');
    expect(isRead).toBe(true);
  });

  it('opens new connections for a new certificate, and closes the old ones when their work has ended', async () => {
    const answer = (request: HttpRequest) => response(request.headers['authorization'] === 'Bearer a' ? 401 : 200);
    const { connection, clock, opened, closed } = setUp(answer, [bearer('a', 'one'), bearer('b', 'two')]);
    await connection.send({ method: 'GET', path: '/x' });
    await connection.send({ method: 'GET', path: '/x' });
    expect(opened).toEqual([{ certificate: 'one' }, { certificate: 'two' }]);
    await clock.advance(599_999);
    expect(closed).toEqual([]);
    await clock.advance(1);
    expect(closed).toEqual([0]);
    await connection.close();
    expect(closed).toEqual([0, 1]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('has a certificate that cannot be used read again, and keeps its connections in case the old one comes back', async () => {
    const clock = new VirtualClock();
    const closed: (string | undefined)[] = [];
    let certificate = 'whole';
    const renewed: (string | undefined)[] = [];
    const connection = new HttpConnection({
      server: 'https://api.example',
      clock,
      userAgent: 'fairlead/test',
      credentials: {
        current: () => Promise.resolve(bearer('a', certificate)),
        renew: ({ tls }) => void renewed.push(tls.certificate),
      },
      transport: (tls) => {
        if (tls.certificate === 'half') throw new Error('half a certificate');
        return { send: () => Promise.resolve(ok()), close: () => Promise.resolve(void closed.push(tls.certificate)) };
      },
    });
    await connection.send({ method: 'GET', path: '/x' });
    certificate = 'half';
    await expect(connection.send({ method: 'GET', path: '/x' })).rejects.toThrow('half a certificate');
    expect(renewed).toEqual(['half']);
    certificate = 'whole';
    await connection.send({ method: 'GET', path: '/x' });
    await clock.advance(600_000);
    expect(closed).toEqual([]);
  });

  it('closes replaced connections as well when it is closed', async () => {
    const answer = (request: HttpRequest) => response(request.headers['authorization'] === 'Bearer a' ? 401 : 200);
    const { connection, clock, closed } = setUp(answer, [bearer('a', 'one'), bearer('b', 'two')]);
    await connection.send({ method: 'GET', path: '/x' });
    await connection.close();
    expect(closed).toEqual([0, 1]);
    expect(clock.pendingTimers).toBe(0);
  });
});
