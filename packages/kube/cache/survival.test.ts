import { afterEach, describe, expect, it } from 'vitest';
import { services } from '../api/resources.ts';
import type { Service } from '../types/service.ts';
import type { CacheChange } from './change.ts';
import type { SharedCache } from './shared-cache.ts';
import { CacheWorld, contentsOf } from './testing/cache-world.ts';
import { bookmarkLine, type Exchange, eventLine, sendStatus } from './testing/scripted-api-server.ts';

const worlds: CacheWorld[] = [];

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end();
});

async function setUp(): Promise<CacheWorld> {
  const world = await CacheWorld.start();
  worlds.push(world);
  return world;
}

/** In step, and still so after another change: the watch is alive. */
async function staysInStep(world: CacheWorld, cache: SharedCache<Service>): Promise<void> {
  await world.inStep(cache);
  await world.eventually(() => world.server.watches.size === 1);
  world.server.put('one-more');
  await world.inStep(cache);
  expect(contentsOf(cache)).toEqual(world.server.contents);
}

/** Everything a handler is told. */
function changesOf(cache: SharedCache<Service>): CacheChange<Service>[] {
  const changes: CacheChange<Service>[] = [];
  cache.subscribe((change) => void changes.push(change));
  return changes;
}

/** What a handler is told that was not there before. */
function newsOf(cache: SharedCache<Service>): CacheChange<Service>[] {
  const changes: CacheChange<Service>[] = [];
  cache.subscribe((change) => {
    if (!change.initial) changes.push(change);
  });
  return changes;
}

/** Each change in a few words. */
function told(changes: readonly CacheChange<Service>[]): readonly string[] {
  return changes.map(({ type, key }) => `${type} ${key}`);
}

/** Where each request went on from. */
function resumedFrom(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.map(({ query }) => query.get('resourceVersion') ?? (query.get('limit') === '1' ? 'check' : 'list'));
}

/** How long after the first request the second came, of what it was asked to wait: from 1 to 1.5 is right. */
function waitedOf(exchanges: readonly Exchange[], delay: number): string {
  const [first, second] = exchanges.map(({ at }) => at);
  const fraction = ((second ?? Number.NaN) - (first ?? Number.NaN)) / delay;
  return exchanges.length === 2 && fraction >= 1 && fraction <= 1.5 ? 'as told, or a little longer' : String(fraction);
}

/** What was logged above the level of debugging. */
function messagesOf(logs: CacheWorld['logs']): readonly string[] {
  return logs.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message);
}

/** As a server says it that was restored from a backup, and has not come so far again. */
const versionNotReached = {
  kind: 'Status',
  code: 504,
  reason: 'Timeout',
  message: 'Too large resource version: 102, current: 80',
  details: {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  },
};

describe('a cache survives', () => {
  it('a connection reset in the middle of a line', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    const { watch } = server;
    let line = '';
    server.silently(() => {
      line = eventLine('ADDED', server.put('c'));
    });
    await world.writeToWatch(cache, Buffer.from(line.slice(0, line.length / 2)));
    watch.socket?.resetAndDestroy();
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(server.exchanges).toHaveLength(2);
  });

  it('a line split inside a UTF-8 character', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    let line = Buffer.alloc(0);
    server.silently(() => {
      line = Buffer.from(eventLine('ADDED', server.put('c', 'über den Atlantik 🚢')));
    });
    const middleOfShip = line.indexOf('🚢') + 2;
    await world.writeToWatch(cache, line.subarray(0, middleOfShip));
    expect(cache.get('shop/c')).toBeUndefined();
    server.watch.write(line.subarray(middleOfShip));
    await staysInStep(world, cache);
    expect(cache.get('shop/c')?.metadata.annotations).toEqual({ note: 'über den Atlantik 🚢' });
  });

  it('410 on watch: what is gone meanwhile is deleted, with the last known object', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    const changes = newsOf(cache);
    const lastKnown = cache.get('shop/a');
    server.silently(() => {
      server.remove('a');
      server.put('c');
    });
    server.compact();
    server.watch.end();
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(resumedFrom(server.exchanges)).toEqual(['list', '102', 'list']);
    expect(changes).toMatchObject([
      { type: 'add', key: 'shop/c' },
      { type: 'delete', key: 'shop/a', before: lastKnown },
      { type: 'add', key: 'shop/one-more' },
    ]);
  });

  it('410 on watch, and a list that breaks off: who wants it whole is told when it is complete', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    const told: string[] = [];
    await cache.subscribe(({ type, key }) => void told.push(`${type} ${key}`), { whole: true }).caughtUp;
    told.length = 0;
    server.silently(() => {
      server.remove('a');
      server.put('c');
    });
    server.compact();
    server.scripts.push(
      () => false,
      ({ response }) => void response.end(eventLine('ADDED', server.contents['shop/c'])),
    );
    server.watch.end();
    await world.retry(cache);
    await world.eventually(() => cache.get('shop/c') !== undefined);
    expect(told).toEqual([]);
    await world.retry(cache);
    await world.inStep(cache);
    expect(told).toEqual(['add shop/c', 'delete shop/a']);
  });

  it('410 in the stream of a watch', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    server.silently(() => server.remove('a'));
    server.watch.write(eventLine('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }));
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(server.exchanges.at(-1)?.query.get('sendInitialEvents')).toBe('true');
  });

  it("410 on a page's continue token: reads all in one go, as pages would expire again", async () => {
    const world = await setUp();
    const { server, factory } = world;
    server.streaming = 'refused';
    for (let number = 0; number < 700; number += 1) server.put(`service-${number}`);
    const serve = () => false;
    const expire = ({ response, query }: Exchange) => {
      expect(query.get('continue')).toBe('500');
      server.remove('a');
      sendStatus(response, 410, 'Expired', 'the provided continue parameter is too old');
    };
    server.scripts.push(serve, serve, expire);
    const cache = factory.cache(services);
    await staysInStep(world, cache);
    expect(cache.size).toBe(702);
    expect(contentsOf(cache)).toEqual(server.contents);
    const asked = ({ query }: Exchange) => query.get('continue') ?? query.get('limit') ?? query.get('watch') ?? 'all';
    expect(server.exchanges.map(asked)).toEqual(['true', '500', '500', 'all', 'true']);
  });

  it.each([
    [408, 'Timeout'],
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [503, 'ServiceUnavailable'],
    [504, 'Timeout'],
  ])('an ERROR %i in the stream: goes on from where it was, without a list', async (code, reason) => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    const changes = newsOf(cache);
    const { resourceVersion } = server.put('a', 'before').metadata;
    await world.inStep(cache);
    server.silently(() => {
      server.put('a', 'changed');
      server.remove('b');
    });
    server.watch.write(eventLine('ERROR', { kind: 'Status', status: 'Failure', code, reason, message: 'not now' }));
    await world.eventually(() => cache.status.phase.state === 'waiting');
    expect(cache.status.failure).toMatchObject({ code: reason, attempts: 1 });
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(cache.status.failure).toBeUndefined();
    expect(resumedFrom(server.exchanges)).toEqual(['list', resourceVersion]);
    expect(told(changes)).toEqual(['update shop/a', 'update shop/a', 'delete shop/b', 'add shop/one-more']);
  });

  it('an ERROR 429 in the stream that names a delay: asks again then, or a little later', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    server.watch.write(eventLine('ERROR', { kind: 'Status', code: 429, details: { retryAfterSeconds: 7 } }));
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(waitedOf(server.exchanges, 7000)).toBe('as told, or a little longer');
  });

  it.each([
    ['says that it expired without a code', { kind: 'Status', reason: 'Expired', message: 'too old' }],
    ['says nothing', { kind: 'Status' }],
    ['is no Status', { kind: 'Surprise', code: 500 }],
    ['names a version that is not reached yet', versionNotReached],
    ['forbids it', { kind: 'Status', code: 403, reason: 'Forbidden' }],
  ])('an ERROR in the stream that %s: lists', async (_, status) => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    server.silently(() => server.remove('a'));
    server.watch.write(eventLine('ERROR', status));
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(resumedFrom(server.exchanges)).toEqual(['list', 'list']);
  });

  it('an ERROR that comes again and again at the same version: lists to get past it', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    const fail = ({ response }: Exchange) => {
      response.writeHead(200);
      response.end(eventLine('ERROR', { kind: 'Status', code: 500, message: 'cannot convert the next object' }));
    };
    const change = ({ response }: Exchange) => {
      response.writeHead(200);
      response.write(eventLine('MODIFIED', server.contents['shop/a']));
      response.end(eventLine('ERROR', { kind: 'Status', code: 500 }));
    };
    server.scripts.push(fail, fail, change, fail, fail);
    server.silently(() => server.put('a', 'changed'));
    server.watch.end();
    for (let attempt = 0; attempt < 5; attempt += 1) await world.retry(cache);
    await staysInStep(world, cache);
    expect(resumedFrom(server.exchanges)).toEqual(['list', '102', '102', '102', '103', '103', 'list']);
  });

  it.each([
    [429, 'is overloaded'],
    [502, 'is restarted behind a proxy'],
    [503, 'is starting'],
    [504, 'is too slow for its proxy'],
  ])('%i from an API server that %s, without adding lists to its load', async (status) => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    const refuse = ({ response }: Exchange) => void response.writeHead(status).end('<html>not now</html>');
    server.scripts.push(refuse, refuse, refuse, refuse, refuse, refuse);
    server.silently(() => server.put('c'));
    server.watch.end();
    for (let attempt = 0; attempt < 6; attempt += 1) await world.retry(cache);
    await staysInStep(world, cache);
    expect(resumedFrom(server.exchanges)).toEqual(['list', ...Array(7).fill('102')]);
  });

  it('a line that is no event', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    server.silently(() => server.remove('a'));
    server.watch.write('<html>Bad Gateway</html>\n');
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(server.exchanges.map(({ query }) => query.get('sendInitialEvents'))).toEqual(['true', 'true']);
  });

  it('503 on list, without forgetting what it has', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const refuse = ({ response }: Exchange) => sendStatus(response, 503, 'ServiceUnavailable', 'starting');
    server.scripts.push(refuse, refuse);
    const cache = factory.cache(services);
    await world.retry(cache);
    expect(cache.hasSynced).toBe(false);
    await world.retry(cache);
    await world.inStep(cache);
    server.scripts.push(() => false, refuse, refuse);
    server.silently(() => server.put('c'));
    server.compact();
    server.watch.end();
    await world.retry(cache);
    await world.retry(cache);
    await world.eventually(() => cache.status.phase.state === 'waiting');
    expect(Object.keys(contentsOf(cache))).toEqual(['shop/a', 'shop/b']);
    await world.retry(cache);
    await staysInStep(world, cache);
  });

  it('429 with Retry-After in seconds: asks again then, or a little later', async () => {
    const world = await setUp();
    const { server, factory } = world;
    server.scripts.push(({ response }) =>
      sendStatus(response, 429, 'TooManyRequests', 'slow down', { 'retry-after': '7' }),
    );
    const cache = factory.cache(services);
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(waitedOf(server.exchanges, 7000)).toBe('as told, or a little longer');
  });

  it('429 with Retry-After as a date: asks again then, or a little later', async () => {
    const world = await setUp();
    const { clock, server, factory } = world;
    const date = new Date(clock.now() + 9000).toUTCString();
    server.scripts.push(({ response }) =>
      sendStatus(response, 429, 'TooManyRequests', 'slow down', { 'retry-after': date }),
    );
    const cache = factory.cache(services);
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(waitedOf(server.exchanges, 9000)).toBe('as told, or a little longer');
  });

  it('a proxy that tells it to come back tomorrow: asks again after a minute or so', async () => {
    const world = await setUp();
    const { server, factory } = world;
    server.scripts.push(({ response }) =>
      sendStatus(response, 503, 'ServiceUnavailable', 'maintenance', { 'retry-after': '86400' }),
    );
    const cache = factory.cache(services);
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(waitedOf(server.exchanges, 60_000)).toBe('as told, or a little longer');
  });

  it('being told to come later together with others: all come back apart', async () => {
    const world = await setUp();
    const { clock, server, factory } = world;
    const refuse = ({ response }: Exchange) =>
      sendStatus(response, 503, 'ServiceUnavailable', 'starting', { 'retry-after': '10' });
    server.scripts.push(refuse, refuse, refuse);
    const caches = ['a', 'b', 'c'].map((labelSelector) => factory.cache(services, { labelSelector }));
    await world.eventually(() => caches.every(({ status }) => status.phase.state === 'waiting'));
    const times = caches.map(({ status: { phase } }) => (phase.state === 'waiting' ? phase.until - clock.now() : 0));
    expect(new Set(times).size).toBe(3);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...times)).toBeLessThanOrEqual(15_000);
  });

  it('a line that does not end: gives up on it, and lists', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    server.silently(() => server.remove('a'));
    server.watch.write(Buffer.alloc(17 * 1024 * 1024, 'x'));
    await world.eventually(() => cache.status.phase.state === 'waiting');
    expect(cache.status.failure?.code).toBe('answer-too-large');
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(resumedFrom(server.exchanges)).toEqual(['list', 'list']);
  });

  it('a silent half-open connection', async () => {
    const world = await setUp();
    const { clock, server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    server.watches.clear();
    server.put('c');
    await clock.advance(129_999);
    expect(cache.status.phase).toEqual({ state: 'watching', since: clock.now() - 129_999 });
    await clock.advance(1);
    await staysInStep(world, cache);
    expect(resumedFrom(server.exchanges)).toEqual(['list', 'check', '102']);
    expect(cache.status.failure).toBeUndefined();
  });

  it('an API server that falls silent and stays so, and asks for next to nothing until it is back', async () => {
    const world = await setUp();
    const { clock, server, factory, logs } = world;
    const cache = factory.cache(services, { labelSelector: 'app=web' });
    await world.inStep(cache);
    server.watches.clear();
    const ignore = () => true;
    server.scripts.push(ignore, ignore);
    await clock.advance(130_000);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await world.eventually(() => server.scripts.length === 1 - attempt);
      await clock.advance(30_000);
      await world.retry(cache);
    }
    await world.eventually(() => server.watches.size === 1);
    expect(cache.status.failure).toBeUndefined();
    await staysInStep(world, cache);
    expect(resumedFrom(server.exchanges)).toEqual(['list', 'check', 'check', 'check', '102']);
    expect(server.exchanges.map(({ query }) => query.get('labelSelector') ?? 'none')).toEqual([
      'app=web',
      'none',
      'none',
      'none',
      'app=web',
    ]);
    expect(messagesOf(logs)).toEqual([
      'out of step with the API server: trying again',
      'in step with the API server again',
    ]);
  });

  it('hours in which nothing happens and no bookmark comes, without a list, a pause or a word', async () => {
    const world = await setUp();
    const { clock, server, factory, logs } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    for (let round = 0; round < 100; round += 1) {
      const watches = 1 + 2 * round;
      await world.eventually(() => server.exchanges.length === watches && server.watches.size === 1);
      await clock.advance(130_000);
    }
    await staysInStep(world, cache);
    const [first, ...others] = resumedFrom(server.exchanges);
    expect(first).toBe('list');
    expect(others).toEqual(others.map((_, index) => (index % 2 === 0 ? 'check' : '102')));
    expect(messagesOf(logs)).toEqual([]);
  });

  it('not being allowed to ask how far the server is: lists', async () => {
    const world = await setUp();
    const { clock, server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    server.watches.clear();
    server.silently(() => server.remove('a'));
    server.scripts.push(({ response }) => sendStatus(response, 403, 'Forbidden', 'only watching is allowed'));
    await clock.advance(130_000);
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(resumedFrom(server.exchanges)).toEqual(['list', 'check', 'list']);
  });

  it('a token that expires', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    const unauthorized = ({ response, headers }: Exchange) => {
      if (headers.authorization === 'Bearer second') return false;
      sendStatus(response, 401, 'Unauthorized', 'the token has expired');
      return true;
    };
    server.scripts.push(unauthorized, unauthorized);
    server.silently(() => server.put('c'));
    server.watch.end();
    await staysInStep(world, cache);
    expect(server.exchanges.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first',
      'Bearer first',
      'Bearer second',
    ]);
  });

  it('credentials that are refused for a while', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const refuse = ({ response }: Exchange) => sendStatus(response, 401, 'Unauthorized', 'who are you?');
    server.scripts.push(refuse, refuse, refuse);
    const cache = factory.cache(services);
    await world.retry(cache);
    await world.eventually(() => cache.status.phase.state === 'waiting');
    expect(cache.status).toMatchObject({ synced: false, failure: { code: 'Unauthorized', attempts: 2 } });
    await world.retry(cache);
    await staysInStep(world, cache);
  });

  it('only bookmarks for a long time, and goes on from the last without a list', async () => {
    const world = await setUp();
    const { clock, server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    for (let minute = 0; minute < 240; minute += 1) {
      await clock.advance(60_000);
      server.pass(10);
      server.watch.write(bookmarkLine(server.version, false));
      await world.eventually(() => cache.status.lastEventAt === clock.now());
    }
    expect(server.exchanges).toHaveLength(1);
    server.compact();
    server.watch.end();
    await world.eventually(() => server.exchanges.length === 2);
    expect(server.exchanges[1]?.query.get('resourceVersion')).toBe(server.version);
    await staysInStep(world, cache);
    expect(server.exchanges).toHaveLength(2);
  });

  it('events that are repeated, and lists out of order', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    const changes = newsOf(cache);
    const first = server.put('a', 'first');
    const created = server.put('c');
    const second = server.put('a', 'second');
    server.remove('c');
    for (const object of [first, second]) server.watch.write(eventLine('MODIFIED', object));
    server.watch.write(eventLine('ADDED', created));
    server.watch.write(eventLine('DELETED', first));
    await world.inStep(cache);
    server.silently(() => server.put('d'));
    server.compact();
    server.scripts.push(
      () => false,
      // Backwards, each twice, and one of them as it was long ago.
      ({ response }) => {
        server.openWatch(response);
        const all = Object.values(server.contents).reverse();
        for (const object of [first, ...all, ...all, first]) response.write(eventLine('ADDED', object));
        response.write(bookmarkLine(server.version, true));
      },
    );
    server.watch.end();
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(told(changes)).toEqual([
      'update shop/a',
      'add shop/c',
      'update shop/a',
      'delete shop/c',
      'add shop/d',
      'add shop/one-more',
    ]);
  });

  it('a handler that throws, which no other handler notices', async () => {
    const world = await setUp();
    const { server, factory, logs } = world;
    const cache = factory.cache(services);
    cache.subscribe(() => {
      throw new Error('a defect in a handler');
    });
    const changes = changesOf(cache);
    await world.inStep(cache);
    server.put('c');
    server.remove('c');
    await staysInStep(world, cache);
    expect(changes.map(({ type }) => type)).toEqual(['add', 'add', 'add', 'delete', 'add']);
    expect(logs.errors).toEqual(Array(5).fill('a handler failed on a change'));
    const { fields } = logs.lines.find(({ level }) => level === 'error') ?? {};
    expect(fields).toMatchObject({ error: 'a defect in a handler', stack: expect.stringContaining('survival.test') });
    expect(server.exchanges).toHaveLength(1);
  });

  it.each([
    ['says so', ({ response }: Exchange) => void response.writeHead(504).end(JSON.stringify(versionNotReached))],
    ['says so in the stream', ({ response }: Exchange) => void response.end(eventLine('ERROR', versionNotReached))],
    ['sends an older bookmark', ({ response }: Exchange) => void response.write(bookmarkLine('102', false))],
  ])('an API server that was restored from a backup, and %s', async (_, answer) => {
    const world = await setUp();
    const { server, factory } = world;
    const backup = { contents: server.contents, version: server.version };
    const cache = factory.cache(services);
    await world.inStep(cache);
    server.put('a', 'changed after the backup');
    server.put('c');
    await world.inStep(cache);
    server.restore(backup.contents, backup.version);
    server.put('a', 'changed after it was restored');
    server.scripts.push(answer);
    server.watch.end();
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(contentsOf(cache)).toEqual(server.contents);
    expect(resumedFrom(server.exchanges)).toEqual(['list', '104', 'list']);
  });

  it('an API server that was restored from a backup, and keeps silent until it is as far as it was', async () => {
    const world = await setUp();
    const { clock, server, factory, logs } = world;
    const backup = { contents: server.contents, version: server.version };
    const cache = factory.cache(services);
    await world.inStep(cache);
    server.put('a', 'changed after the backup');
    server.put('c');
    await world.inStep(cache);
    server.restore(backup.contents, backup.version);
    server.scripts.push(({ response }: Exchange) => {
      server.openWatch(response);
      server.watches.delete(response);
    });
    server.watch.end();
    await world.eventually(() => server.scripts.length === 0);
    server.put('a', 'changed after it was restored');
    await clock.advance(130_000);
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(contentsOf(cache)).toEqual(server.contents);
    expect(resumedFrom(server.exchanges)).toEqual(['list', '104', 'check', 'list']);
    expect(messagesOf(logs)).toEqual([
      'out of step with the API server: trying again',
      'in step with the API server again',
    ]);
  });

  it('an API server that was restored from a backup, behind a proxy that cuts what is silent', async () => {
    const world = await setUp();
    const { clock, server, factory } = world;
    const backup = { contents: server.contents, version: server.version };
    const cache = factory.cache(services);
    await world.inStep(cache);
    server.put('a', 'changed after the backup');
    server.put('c');
    await world.inStep(cache);
    server.restore(backup.contents, backup.version);
    for (let cut = 0; cut < 3; cut += 1) {
      await world.eventually(() => server.watches.size === 1);
      await clock.advance(50_000);
      const { watch } = server;
      watch.socket?.resetAndDestroy();
      await world.retry(cache);
      await world.eventually(() => watch.closed);
    }
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(contentsOf(cache)).toEqual(server.contents);
    expect(resumedFrom(server.exchanges)).toEqual(['list', '104', '104', 'check', 'list']);
  });

  it('an object deleted and created anew under the same name between two events', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    const changes = newsOf(cache);
    server.silently(() => {
      server.remove('a');
      server.put('a');
    });
    server.compact();
    server.watch.end();
    await world.retry(cache);
    await world.inStep(cache);
    expect(told(changes)).toEqual(['delete shop/a', 'add shop/a']);
  });

  it('an object that it cannot read, and keeps the others', async () => {
    const world = await setUp();
    const { server, factory, logs } = world;
    const cache = factory.projected(services, (service: Service) => {
      if (service.metadata.name === 'a') throw new Error('a defect in a projection');
      return service;
    });
    await world.eventually(() => cache.hasSynced);
    server.watch.write(eventLine('ADDED', { kind: 'Pod', metadata: { name: 'stranger' } }));
    const created = server.put('c');
    await world.eventually(() => cache.get('shop/c') !== undefined);
    expect(cache.list()).toEqual([server.contents['shop/b'], created]);
    expect(logs.errors).toEqual([
      'a Service could not be read and is left out',
      'the API server sent something that is no Service',
    ]);
    expect(logs.lines.find(({ level }) => level === 'error')?.fields).toMatchObject({
      key: 'shop/a',
      error: 'a defect in a projection',
    });
  });

  it('an object that can no longer be read: the last that could be stays until it is deleted', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.projected(services, (service: Service) => {
      if (service.metadata.annotations?.['note'] === 'unreadable') throw new Error('a defect in a projection');
      return service;
    });
    const changes: string[] = [];
    cache.subscribe(({ type, key, initial }) => void (initial || changes.push(`${type} ${key}`)));
    await world.eventually(() => cache.hasSynced);
    const readable = server.contents['shop/a'];
    for (const streaming of ['known', 'refused'] as const) {
      server.streaming = streaming;
      server.silently(() => void server.put('a', 'unreadable'));
      const change = server.put('b', streaming);
      await world.eventually(() => cache.get('shop/b')?.metadata.resourceVersion === change.metadata.resourceVersion);
      server.pass(1);
      server.compact();
      server.watch.end();
      await world.retry(cache);
      await world.eventually(() => cache.status.phase.state === 'watching' && server.watches.size === 1);
      expect(cache.get('shop/a')).toEqual(readable);
    }
    server.remove('a');
    await world.eventually(() => cache.get('shop/a') === undefined);
    expect(changes).toEqual(['update shop/b', 'update shop/b', 'delete shop/a']);
  });

  it('a list that ends in the middle', async () => {
    const world = await setUp();
    const { server, factory } = world;
    server.scripts.push(({ response }) => {
      response.writeHead(200);
      response.end(eventLine('ADDED', server.contents['shop/a']));
    });
    const cache = factory.cache(services);
    await world.eventually(() => cache.status.phase.state === 'waiting');
    expect(cache.status).toMatchObject({ synced: false, objects: 1, failure: { code: 'list-broke-off' } });
    await world.retry(cache);
    await staysInStep(world, cache);
  });

  it('an object that is deleted while the list is sent', async () => {
    const world = await setUp();
    const { server, factory } = world;
    server.scripts.push(({ response }) => {
      server.openWatch(response);
      for (const object of Object.values(server.contents)) response.write(eventLine('ADDED', object));
      server.remove('a');
      response.write(bookmarkLine(server.version, true));
    });
    const cache = factory.cache(services);
    await staysInStep(world, cache);
    expect(cache.get('shop/a')).toBeUndefined();
  });

  it('a resource version that the server does not understand', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    server.scripts.push(({ response }) => sendStatus(response, 400, 'BadRequest', 'invalid resource version'));
    server.watch.end();
    await world.retry(cache);
    await staysInStep(world, cache);
    expect(server.exchanges.map(({ query }) => query.get('sendInitialEvents'))).toEqual(['true', null, 'true']);
  });

  it('many failures, and after a success starts with short delays again', async () => {
    const world = await setUp();
    const { clock, server, factory } = world;
    const refuse = ({ response }: Exchange) => sendStatus(response, 503, 'ServiceUnavailable', 'starting');
    server.scripts.push(refuse, refuse, refuse, refuse, refuse);
    const cache = factory.cache(services);
    const delayAfter = async (failure: () => void) => {
      failure();
      await world.eventually(() => cache.status.phase.state === 'waiting');
      const delay = clock.untilNextTimer() ?? 0;
      await world.retry(cache);
      return delay;
    };
    for (let attempt = 0; attempt < 5; attempt += 1) await world.retry(cache);
    await world.inStep(cache);
    const breakOff = () => void server.watch.socket?.resetAndDestroy();
    expect(await delayAfter(breakOff)).toBeGreaterThan(500);
    await world.eventually(() => server.watches.size === 1);
    await clock.advance(10_000);
    expect(await delayAfter(breakOff)).toBeLessThanOrEqual(500);
    await staysInStep(world, cache);
  });

  it('a server that ends every watch at once, without asking it all the time', async () => {
    const world = await setUp();
    const { clock, server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    const end = ({ response }: Exchange) => void response.writeHead(200).end();
    server.scripts.push(end, end, end, end);
    server.watch.end();
    for (let attempt = 0; attempt < 4; attempt += 1) await world.retry(cache);
    await staysInStep(world, cache);
    const [, ...watches] = server.exchanges.map(({ at }) => at);
    const gaps = watches.slice(1).map((at, index) => at - (watches[index] ?? 0));
    expect(gaps.every((gap, index) => gap >= 250 * 2 ** index && gap <= 500 * 2 ** index)).toBe(true);
    expect(clock.monotonic()).toBe(watches.at(-1));
    const timeouts = server.exchanges.map(({ query }) => Number(query.get('timeoutSeconds')));
    expect(timeouts.every((timeout) => timeout >= 261 && timeout <= 319)).toBe(true);
    expect(new Set(timeouts).size).toBeGreaterThan(1);
  });
});

describe('a cache of a server that cannot stream lists', () => {
  it('reads pages when the server refuses', async () => {
    const world = await setUp();
    const { server, factory } = world;
    server.streaming = 'refused';
    const cache = factory.cache(services);
    await staysInStep(world, cache);
    expect(server.exchanges.map(({ query }) => query.get('limit') ?? query.get('resourceVersion'))).toEqual([
      null,
      '500',
      '102',
    ]);
  });

  it('reads pages when the server watches without ending the list', async () => {
    const world = await setUp();
    const { server, factory } = world;
    server.streaming = 'ignored';
    const cache = factory.cache(services);
    await world.eventually(() => cache.size === 2);
    expect(cache.hasSynced).toBe(false);
    server.watch.write(bookmarkLine(server.version, false));
    await staysInStep(world, cache);
    expect(server.exchanges[1]?.query.get('limit')).toBe('500');
  });

  it('reads pages when the server falls silent in the middle', async () => {
    const world = await setUp();
    const { clock, server, factory } = world;
    server.streaming = 'ignored';
    const cache = factory.cache(services);
    await world.eventually(() => cache.size === 2);
    await clock.advance(30_000);
    await staysInStep(world, cache);
    expect(server.exchanges[1]?.query.get('limit')).toBe('500');
  });

  it('reads pages for a while when the server fell silent once, and then has lists streamed again', async () => {
    const world = await setUp();
    const { clock, server, factory } = world;
    server.streaming = 'ignored';
    const cache = factory.cache(services);
    await world.eventually(() => cache.size === 2);
    await clock.advance(30_000);
    await staysInStep(world, cache);
    server.streaming = 'known';
    const listedBy = async () => {
      await clock.advance(1_000);
      const before = server.exchanges.length;
      server.pass(1);
      server.compact();
      server.watch.end();
      await world.retry(cache);
      await staysInStep(world, cache);
      const [, list] = server.exchanges.slice(before);
      return list?.query.get('sendInitialEvents') === 'true' ? 'stream' : 'pages';
    };
    expect(await listedBy()).toBe('pages');
    for (let minute = 0; minute < 10; minute += 1) {
      await clock.advance(60_000);
      server.watch.write(bookmarkLine(server.version, false));
      await world.eventually(() => cache.status.lastEventAt === clock.now());
    }
    expect(await listedBy()).toBe('stream');
    expect(await listedBy()).toBe('stream');
  });

  it('gives listed objects the kind that the list leaves out', async () => {
    const world = await setUp();
    const { server, factory } = world;
    server.streaming = 'refused';
    const cache = factory.cache(services);
    await world.inStep(cache);
    expect(cache.get('shop/a')).toMatchObject({ apiVersion: 'v1', kind: 'Service' });
  });
});
