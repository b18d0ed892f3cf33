import { afterEach, describe, expect, it } from 'vitest';
import { services } from '../api/resources.ts';
import type { Service } from '../types/service.ts';
import type { CacheChange } from './change.ts';
import { CacheWorld } from './testing/cache-world.ts';
import { type Exchange, sendStatus } from './testing/scripted-api-server.ts';

const worlds: CacheWorld[] = [];

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end();
});

async function setUp(): Promise<CacheWorld> {
  const world = await CacheWorld.start();
  worlds.push(world);
  return world;
}

const byNote = (service: Service) => [service.metadata.annotations?.['note'] ?? ''];
const nameOnly = ({ metadata: { namespace = '', name, resourceVersion = '' } }: Service) => ({
  metadata: { namespace, name, resourceVersion },
});

describe('SharedCache', () => {
  it('finds objects by key, and lists them', async () => {
    const { factory, server } = await setUp();
    const cache = factory.cache(services);
    await cache.synced();
    expect(cache.get('shop/a')).toEqual(server.contents['shop/a']);
    expect(cache.get({ namespace: 'shop', name: 'a' })).toBe(cache.get('shop/a'));
    expect(cache.get('shop/none')).toBeUndefined();
    expect(cache.list()).toEqual(Object.values(server.contents));
    expect([...cache.keys()]).toEqual(['shop/a', 'shop/b']);
    expect(cache.size).toBe(2);
  });

  it('finds objects by an index, as they change', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    const early = cache.index('note', byNote);
    await cache.synced();
    const names = (note: string) => early.get(note).map(({ metadata }) => metadata.name);
    expect(names('')).toEqual(['a', 'b']);
    server.put('a', 'blue');
    server.put('c', 'blue');
    server.remove('b');
    await world.inStep(cache);
    expect([names(''), names('blue')]).toEqual([[], ['a', 'c']]);
    expect(early.get('blue')[0]).toBe(cache.get('shop/a'));
  });

  it('keeps only what is wanted, and finds the rest when it is listed again', async () => {
    const world = await setUp();
    const { server, factory } = world;
    let wanted: readonly string[] = ['a'];
    const cache = factory.selected(services, ({ metadata }) => wanted.includes(metadata.name));
    const keys = () => [...cache.keys()].join();
    await cache.synced();
    expect(keys()).toBe('shop/a');
    server.put('c', 'unwanted');
    server.put('a', 'still wanted');
    await world.eventually(() => cache.get('shop/a')?.metadata.annotations?.['note'] === 'still wanted');
    expect(keys()).toBe('shop/a');
    wanted = ['b', 'c'];
    server.put('a', 'no longer');
    await world.eventually(() => keys() === '');
    cache.relist();
    await world.eventually(() => cache.size === 2);
    expect(keys()).toBe('shop/b,shop/c');
    server.put('b', 'followed');
    await world.eventually(() => cache.get('shop/b')?.metadata.annotations?.['note'] === 'followed');
    expect(factory.cache(services)).not.toBe(cache);
  });

  it('makes an index late, and once for each name', async () => {
    const { factory } = await setUp();
    const cache = factory.cache(services);
    await cache.synced();
    const index = cache.index('note', byNote);
    expect(index.get('')).toHaveLength(2);
    expect(cache.index('note', byNote)).toBe(index);
    expect(() => cache.index('note', () => [])).toThrow('choose another name');
  });

  it('indexes all but the objects that an index cannot read', async () => {
    const { factory, logs } = await setUp();
    const cache = factory.cache(services);
    const index = cache.index('broken', ({ metadata }) => {
      if (metadata.name === 'a') throw new Error('a defect in an index');
      return ['all'];
    });
    await cache.synced();
    expect(index.get('all')).toEqual([cache.get('shop/b')]);
    expect(logs.errors).toEqual(['an object could not be indexed']);
  });

  it('tells handlers what was and what is, with the indexes already up to date', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    const index = cache.index('note', byNote);
    const changes: CacheChange<Service>[] = [];
    const blues: number[] = [];
    cache.subscribe((change) => {
      changes.push(change);
      blues.push(index.get('blue').length);
    });
    await cache.synced();
    const [before, after] = [server.contents['shop/a'], server.put('a', 'blue')];
    await world.inStep(cache);
    server.remove('a');
    await world.inStep(cache);
    expect(changes).toEqual([
      { type: 'add', key: 'shop/a', after: before, initial: true },
      { type: 'add', key: 'shop/b', after: server.contents['shop/b'], initial: true },
      { type: 'update', key: 'shop/a', before, after, initial: false },
      { type: 'delete', key: 'shop/a', before: after, initial: false },
    ]);
    expect(blues).toEqual([0, 0, 1, 0]);
  });

  it('tells a late handler first what there is', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await cache.synced();
    const told: string[] = [];
    const subscription = cache.subscribe(({ type, key, initial }) => {
      told.push(`${type} ${key}${initial ? ' initially' : ''}`);
    });
    await subscription.caughtUp;
    server.put('b', 'changed');
    await world.inStep(cache);
    expect(told).toEqual(['add shop/a initially', 'add shop/b initially', 'update shop/b']);
    expect(server.exchanges).toHaveLength(1);
  });

  it('tells a handler that is added by another what there is once, and each change once', async () => {
    const world = await setUp();
    const cache = world.factory.cache(services);
    await cache.synced();
    const told: string[] = [];
    const tell = ({ type, key }: CacheChange<Service>) => void told.push(`${type} ${key}`);
    const first = cache.subscribe(({ initial }) => {
      if (initial) return;
      first.cancel();
      cache.subscribe(tell);
    });
    world.server.put('c');
    await world.inStep(cache);
    expect(told).toEqual(['add shop/a', 'add shop/b', 'add shop/c']);
  });

  it('tells a handler nothing more once its subscription is cancelled', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    const told: string[] = [];
    const subscription = cache.subscribe(({ key }) => void told.push(key));
    await cache.synced();
    subscription.cancel();
    server.put('c');
    await world.inStep(cache);
    expect(told).toEqual(['shop/a', 'shop/b']);
  });

  it('is synced after the first complete list, and says why it is not', async () => {
    const world = await setUp();
    const { clock, server, factory } = world;
    server.scripts.push(({ response }) => void response.writeHead(403).end('no'));
    const cache = factory.cache(services);
    expect(cache.status).toMatchObject({ name: 'services', synced: false, objects: 0, phase: { state: 'listing' } });
    const waiting = cache.synced();
    await world.eventually(() => cache.status.phase.state === 'waiting');
    expect(cache.status.failure).toMatchObject({ at: clock.now(), code: 'Forbidden', attempts: 1 });
    expect(cache.status.phase).toMatchObject({
      since: clock.now(),
      until: clock.now() + (clock.untilNextTimer() ?? 0),
    });
    await world.retry(cache);
    await world.eventually(() => cache.hasSynced);
    await waiting;
    expect(cache.status).toMatchObject({ synced: true, objects: 2, phase: { state: 'watching', since: clock.now() } });
    expect(cache.status.lastEventAt).toBe(clock.now());
  });

  it('is blind from when a watch is refused until one is accepted, and not when one merely ends', async () => {
    const world = await setUp();
    const { server, factory } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    server.scripts.push(({ response }) => void response.writeHead(403).end('no'));
    server.watch.end();
    await world.eventually(() => cache.status.phase.state === 'waiting');
    expect(cache.status).toMatchObject({ isBlind: true, synced: true, failure: { code: 'Forbidden' } });
    await world.retry(cache);
    server.put('c');
    await world.inStep(cache);
    await world.eventually(() => server.watches.size === 1);
    expect(cache.status.isBlind).toBe(false);
    server.watch.end();
    await world.eventually(() => cache.status.phase.state === 'waiting');
    expect(cache.status).toMatchObject({ isBlind: false, failure: { code: 'watch-ended-early' } });
  });

  it('logs once why it is out of step, however often it is tried, and once more when it fails anew', async () => {
    const world = await setUp();
    const { server, factory, logs } = world;
    const refuse = ({ response }: Exchange) => sendStatus(response, 403, 'Forbidden', forbidden);
    const forbidden =
      'services is forbidden: User "me" cannot watch resource "services" in API group "" at the cluster';
    const notYet = ({ response }: Exchange) => sendStatus(response, 503, 'ServiceUnavailable', 'starting');
    server.scripts.push(refuse, refuse, notYet, refuse, notYet);
    const cache = factory.cache(services);
    for (let attempt = 0; attempt < 5; attempt += 1) await world.retry(cache);
    await world.inStep(cache);
    server.put('c');
    await world.inStep(cache);
    server.scripts.push(notYet);
    server.watch.end();
    await world.retry(cache);
    const told = logs.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['error']);
    expect(told).toEqual([
      'GET /api/v1/services: me may not watch services in the whole cluster (403 Forbidden): allow it in a ClusterRole',
      'GET /api/v1/services: starting (503 ServiceUnavailable)',
      'GET /api/v1/services: starting (503 ServiceUnavailable)',
    ]);
    expect(logs.lines.filter(({ level }) => level === 'info').map(({ message }) => message)).toEqual([
      'in step with the API server again',
    ]);
  });

  it('logs nothing when a proxy cuts quiet watches all the time, unless one cannot be resumed', async () => {
    const world = await setUp();
    const { clock, server, factory, logs } = world;
    const cache = factory.cache(services);
    await world.inStep(cache);
    const cut = async () => {
      await world.eventually(() => server.watches.size === 1);
      await clock.advance(20_000);
      const { watch } = server;
      watch.socket?.resetAndDestroy();
      const requests = server.exchanges.length;
      await world.retry(cache);
      await world.eventually(() => watch.closed && server.exchanges.length > requests);
    };
    const told = () => logs.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message);
    for (let time = 0; time < 100; time += 1) await cut();
    expect(told()).toEqual([]);
    expect(server.exchanges.filter(({ query }) => query.has('sendInitialEvents'))).toHaveLength(1);
    server.scripts.push(({ response }) => void response.destroy());
    await cut();
    await world.retry(cache);
    await cut();
    expect(told()).toEqual(['out of step with the API server: trying again', 'in step with the API server again']);
  });

  it('stops with its signal, and leaves nothing behind', async () => {
    const world = await setUp();
    const { clock, server, factory, stop } = world;
    const cache = factory.cache(services);
    await cache.synced();
    stop.abort(new Error('stopped'));
    await world.eventually(() => cache.status.phase.state === 'stopped' && server.watches.size === 0);
    expect(clock.pendingTimers).toBe(0);
    expect(server.exchanges).toHaveLength(1);
    expect(cache.get('shop/a')).toBeDefined();
  });

  it('lets no caller wait for a cache that is stopped, or longer than it wants to', async () => {
    const { factory, server, stop } = await setUp();
    server.scripts.push(() => true);
    const cache = factory.cache(services);
    await expect(cache.synced(AbortSignal.abort(new Error('no time')))).rejects.toThrow('no time');
    const impatient = new AbortController();
    const waiting = cache.synced(impatient.signal);
    impatient.abort(new Error('no more time'));
    await expect(waiting).rejects.toThrow('no more time');
    const patient = cache.synced();
    stop.abort(new Error('stopped'));
    await expect(patient).rejects.toMatchObject({ code: 'cache-stopped' });
  });
});

describe('CacheFactory', () => {
  it('shares one list and watch between all who ask for the same objects', async () => {
    const { factory, server } = await setUp();
    const cache = factory.cache(services);
    expect(factory.cache(services)).toBe(cache);
    expect(factory.cache({ ...services })).toBe(cache);
    expect(factory.cache(services, {})).toBe(cache);
    await factory.synced();
    expect(server.exchanges).toHaveLength(1);
  });

  it('keeps caches of other namespaces, selectors and projections apart', async () => {
    const { factory, server } = await setUp();
    const caches = [
      factory.cache(services),
      factory.cache(services, { namespace: 'shop' }),
      factory.cache(services, { labelSelector: 'app=web' }),
      factory.cache(services, { fieldSelector: 'spec.type=LoadBalancer' }),
      factory.projected(services, nameOnly),
    ];
    expect(new Set(caches).size).toBe(5);
    expect(factory.projected(services, nameOnly)).toBe(caches[4]);
    await factory.synced();
    expect(server.exchanges.map(({ query }) => query.get('labelSelector') ?? query.get('fieldSelector'))).toEqual([
      null,
      null,
      'app=web',
      'spec.type=LoadBalancer',
      null,
    ]);
    expect(factory.statuses().map(({ name, synced }) => `${name}: ${synced}`)).toEqual([
      'services: true',
      'services in shop: true',
      'services?labelSelector=app=web: true',
      'services?fieldSelector=spec.type=LoadBalancer: true',
      'services: true',
    ]);
  });

  it('keeps only the projection of each object, also of those that change', async () => {
    const world = await setUp();
    const cache = world.factory.projected(services, nameOnly);
    await cache.synced();
    const { resourceVersion } = world.server.put('c').metadata;
    await world.eventually(() => cache.size === 3);
    expect(cache.list().at(-1)).toEqual({ metadata: { namespace: 'shop', name: 'c', resourceVersion } });
    world.server.remove('c');
    await world.eventually(() => cache.size === 2);
  });
});
