import { type Clock, FairleadError } from '@fairlead/control';
import { afterEach, describe, expect, it } from 'vitest';
import { endpointSlices, services } from '../api/resources.ts';
import type { CacheChange } from '../cache/change.ts';
import { SimulatedCluster } from '../testing/simulated-cluster.ts';
import type { EndpointSlice } from '../types/endpoints.ts';
import { Controller, type KeysOf } from './controller.ts';
import type { KeyedQueueOptions } from './queue.ts';

const clusters: SimulatedCluster[] = [];

afterEach(() => {
  for (const cluster of clusters.splice(0)) cluster.stop();
});

async function setUp(options: Partial<KeyedQueueOptions> = {}) {
  const cluster = await SimulatedCluster.start();
  clusters.push(cluster);
  const { clock, random, logger, metrics } = cluster;
  const controller = new Controller({ name: 'test', clock, random, logger, metrics, ...options });
  const caches = cluster.caches();
  const reconciled: string[] = [];
  const reconcile = async (key: string) => {
    reconciled.push(key);
  };
  /** What was reconciled since this was asked last. */
  const since = () => reconciled.splice(0).sort();
  return { cluster, clock, controller, caches, reconcile, since, signal: cluster.signal };
}

const SLICES = '/apis/discovery.k8s.io/v1/endpointslices';

const createSlice = ({ client }: SimulatedCluster, name: string, service: string) =>
  client.create(endpointSlices, {
    metadata: { namespace: 'shop', name, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    endpoints: [],
    ports: [],
  });

const serviceOf: KeysOf<EndpointSlice> = (change) => {
  const { metadata } = change.type === 'delete' ? change.before : change.after;
  return [`shop/${metadata.labels?.['kubernetes.io/service-name']}`];
};

/** Each look at it takes time, so that objects are handed over one for each turn of the event loop. */
function slowed(clock: Clock): Clock {
  let spent = 0;
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic() + (spent += 10),
    setTimer: (delay, callback) => clock.setTimer(delay, callback),
    turn: () => clock.turn(),
  };
}

describe('Controller', () => {
  it('reconciles each object that is there at the start once, and again when it changes', async () => {
    const { cluster, clock, controller, caches, reconcile, since, signal } = await setUp();
    await cluster.createService('web');
    await cluster.createService('api');
    await createSlice(cluster, 'web-1', 'web');
    await createSlice(cluster, 'web-2', 'web');
    controller.watch(caches.cache(services));
    controller.watch(caches.cache(endpointSlices), serviceOf);
    void controller.run(reconcile, signal);
    await clock.advance(1000);
    expect(since()).toEqual(['default/kubernetes', 'shop/api', 'shop/web']);
    await createSlice(cluster, 'api-1', 'api');
    await clock.advance(1000);
    expect(since()).toEqual(['shop/api']);
    await cluster.client.delete(services, { namespace: 'shop', name: 'web' });
    await clock.advance(1000);
    expect(since()).toEqual(['shop/web']);
  });

  it('reconciles nothing before all caches are complete', async () => {
    const { cluster, clock, controller, caches, reconcile, since, signal } = await setUp();
    await cluster.createService('web');
    cluster.stalled.add(SLICES);
    controller.watch(caches.cache(services));
    controller.watch(caches.cache(endpointSlices), serviceOf);
    controller.add('shop/early');
    void controller.run(reconcile, signal);
    await clock.advance(5000);
    expect(since()).toEqual([]);
    cluster.stalled.clear();
    await clock.advance(5000);
    expect(since()).toEqual(['default/kubernetes', 'shop/early', 'shop/web']);
  });

  it('reconciles nothing before all objects were handed over, however long that takes', async () => {
    const { cluster, clock, controller, since, signal } = await setUp();
    for (let index = 0; index < 20; index += 1) await createSlice(cluster, `slice-${index}`, 'web');
    const cache = cluster.caches(signal, slowed(clock)).cache(endpointSlices);
    await Promise.all([cache.synced(), clock.advance(1000)]);
    const known = new Set<string>();
    controller.watch(cache, ({ key }) => {
      known.add(key);
      return [key];
    });
    const counts: number[] = [];
    void controller.run(async () => void counts.push(known.size), signal);
    await clock.advance(1000);
    expect(counts).toEqual(Array.from({ length: 20 }, () => 20));
    expect(since()).toEqual([]);
  });

  it('lets other work wait for the same moment', async () => {
    const { cluster, clock, controller, caches, reconcile, since, signal } = await setUp();
    await createSlice(cluster, 'web-1', 'web');
    cluster.stalled.add(SLICES);
    const noted: string[] = [];
    const note = ({ key }: CacheChange<EndpointSlice>) => void noted.push(key);
    controller.watch(caches.cache(endpointSlices), note);
    let isSynced = false;
    const other = controller.synced(signal).then(() => (isSynced = true));
    void controller.run(reconcile, signal);
    await clock.advance(1000);
    expect(isSynced).toBe(false);
    cluster.stalled.clear();
    await Promise.all([other, clock.advance(1000)]);
    expect(noted).toEqual(['shop/web-1']);
    expect(since()).toEqual([]);
  });

  it('tries again what failed, tells of it, and knows the state of a key', async () => {
    const retries: string[] = [];
    const onRetry = (key: string, error: unknown) => void retries.push(`${key}: ${String(error)}`);
    const { clock, controller, signal } = await setUp({ onRetry });
    let attempts = 0;
    const reconcile = async () => {
      attempts += 1;
      if (attempts === 1) throw new FairleadError('busy', { verdict: 'retriable', code: 'busy' });
    };
    void controller.run(reconcile, signal);
    controller.add('shop/web');
    await clock.advance(1);
    expect(controller.stateOf('shop/web')).toMatchObject({ state: 'delayed', failures: 1 });
    expect(retries).toEqual(['shop/web: FairleadError: busy']);
    await clock.advance(2000);
    expect(attempts).toBe(2);
    expect(controller.stateOf('shop/web')).toBeUndefined();
  });

  it('ends with its signal: no change reaches it any more', async () => {
    const { cluster, clock, controller, caches, since } = await setUp();
    const stop = new AbortController();
    const heard: string[] = [];
    controller.watch(caches.cache(services), ({ key }) => void heard.push(key));
    const ended = controller.run(async () => {}, stop.signal);
    await clock.advance(1000);
    stop.abort();
    await ended;
    await cluster.createService('late');
    await clock.advance(1000);
    expect(heard).toEqual(['default/kubernetes']);
    expect(since()).toEqual([]);
  });

  it('ends with its signal also while a cache is not complete', async () => {
    const { cluster, clock, controller, caches, reconcile, since } = await setUp();
    cluster.stalled.add(SLICES);
    controller.watch(caches.cache(endpointSlices));
    const stop = new AbortController();
    const ended = controller.run(reconcile, stop.signal);
    await clock.advance(1000);
    stop.abort();
    await ended;
    expect(since()).toEqual([]);
  });

  it('fails when a cache was stopped before it was complete, for then nothing would ever be reconciled', async () => {
    const { cluster, clock, controller, reconcile, signal } = await setUp();
    cluster.stalled.add(SLICES);
    const stopCaches = new AbortController();
    controller.watch(cluster.caches(stopCaches.signal).cache(endpointSlices));
    const ended = controller.run(reconcile, signal).catch((error: unknown) => error);
    await clock.advance(1000);
    stopCaches.abort();
    expect(await ended).toMatchObject({ code: 'cache-stopped' });
  });

  it('watches no cache that comes too late to be waited for', async () => {
    const { controller, caches, reconcile, signal } = await setUp();
    void controller.run(reconcile, signal);
    expect(() => controller.watch(caches.cache(services))).toThrow('watch all caches before that');
  });
});
