import { Journal, type MetricDefinition, noMetrics, seededRandom, VirtualClock } from '@fairlead/control';
import { SimulatedKube } from '@fairlead/sim/kube';
import { describe, expect, it } from 'vitest';
import { KubeClient } from '../api/client.ts';
import type { ApiRequest } from '../api/connection.ts';
import type { Resource } from '../api/resource.ts';
import { configMaps, namespaces } from '../api/resources.ts';
import type { Leadership } from '../leader/leadership.ts';
import { connectionOver } from '../testing/connection-over.ts';
import { FakeApi, type Fault } from '../testing/fake-api.ts';
import type { ConfigMap } from '../types/configuration.ts';
import type { KubeObject } from '../types/meta.ts';
import { type ObjectWrite, ObjectWriter } from './object-writer.ts';

interface Widget extends KubeObject {
  readonly spec?: { readonly color?: string };
  readonly status?: { readonly phase?: string };
}

const widgets: Resource<Widget> = {
  group: 'example.org',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

const KEY = 'shop/web';
const PATH = '/apis/example.org/v1/namespaces/shop/widgets/web';

const HOLD: ObjectWrite<Widget> = {
  name: 'hold',
  ifItDiesHere: 'The finalizer holds it.',
  patch: { metadata: { finalizers: ['example.org/widget'] } },
};
const PUBLISH: ObjectWrite<Widget> = {
  name: 'publish',
  ifItDiesHere: 'Nothing is left to do.',
  subresource: 'status',
  patch: { status: { phase: 'Ready' } },
};
const LET_GO: ObjectWrite<Widget> = {
  name: 'let-go',
  ifItDiesHere: 'It is no longer ours.',
  patch: { metadata: { finalizers: null } },
};

const writesMetric: MetricDefinition = {
  name: 'writes_total',
  kind: 'counter',
  help: 'Writes.',
  labels: ['step', 'result'],
};

async function setUp(metadata: object = {}) {
  const api = new FakeApi();
  const clock = new VirtualClock();
  const client = new KubeClient(api.connect(clock), clock);
  const journal = new Journal(clock);
  const stop = new AbortController();
  const lease = { covers: (milliseconds: number) => milliseconds < 10_000, ended: new AbortController() };
  const covers = (milliseconds: number) => lease.covers(milliseconds);
  const leadership: Leadership = { epoch: 1, signal: lease.ended.signal, covers };
  const counts: string[] = [];
  const metrics = {
    ...noMetrics,
    increment: (_: MetricDefinition, labels: Readonly<Record<string, string>> = {}) =>
      void counts.push(`${labels['step']} ${labels['result']}`),
  };
  const options = { resource: widgets, client, clock, journal, leadership, fieldManager: 'us', metrics, writesMetric };
  const writer = new ObjectWriter<Widget>(options);
  const put = (more: object = {}) => api.put(PATH, { metadata: { namespace: 'shop', name: 'web', ...more } });
  put(metadata);
  const object = await client.get(widgets, { namespace: 'shop', name: 'web' });
  api.requests.length = 0;
  const write = (from: Widget, ...writes: readonly ObjectWrite<Widget>[]) => writer.write(from, writes, stop.signal);
  const failWrites = (fault: Fault, only: (request: ApiRequest) => boolean = () => true) => {
    api.fault = (request) => (request.method === 'PATCH' && only(request) ? fault : undefined);
  };
  const sent = () => api.requests.map(({ method, path }) => `${method} ${path.replace(PATH, '')}`.trim());
  return { api, clock, client, journal, stop, lease, counts, writer, put, object, write, failWrites, sent };
}

/** What was thrown; fails when nothing was. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => error,
  );
}

describe('ObjectWriter', () => {
  it('writes in order, each from the version that the one before left, and tells the journal', async () => {
    const { api, journal, object, write, sent, counts } = await setUp();
    const written = await write(object, HOLD, PUBLISH);
    expect(sent()).toEqual(['PATCH', 'PATCH /status']);
    expect(api.requests.map(({ query }) => query?.['fieldManager'])).toEqual(['us', 'us']);
    expect(api.requests.map(({ body }) => body)).toEqual([
      { metadata: { finalizers: ['example.org/widget'], resourceVersion: '1' } },
      { status: { phase: 'Ready' }, metadata: { resourceVersion: '2' } },
    ]);
    expect(written).toEqual(api.at(PATH));
    expect(journal.entries('widget shop/web')).toMatchObject([
      { kind: 'step', step: 'hold', call: 'PATCH widgets', outcome: 'done' },
      { kind: 'step', step: 'publish', call: 'PATCH widgets/status', outcome: 'done' },
    ]);
    expect(counts).toEqual(['hold done', 'publish done']);
  });

  it('gives the same object when there is nothing to write', async () => {
    const { object, write, sent } = await setUp();
    expect(await write(object)).toBe(object);
    expect(sent()).toEqual([]);
  });

  it('knows what it wrote before the cache does', async () => {
    const { writer, object, write } = await setUp();
    const written = await write(object, HOLD);
    expect(writer.latest(KEY, object)).toBe(written);
    const cached = structuredClone(written);
    expect(writer.latest(KEY, cached)).toBe(cached);
  });

  it('overwrites nothing that another controller wrote since, and goes on from that', async () => {
    const { api, writer, put, object, write, counts } = await setUp();
    put({ finalizers: ['other/one'] });
    expect(await failure(write(object, HOLD, PUBLISH))).toMatchObject({ verdict: 'stale', step: 'hold' });
    expect(api.at(PATH)?.metadata['finalizers']).toEqual(['other/one']);
    expect(api.writes).toHaveLength(1);
    expect(counts).toEqual(['hold failed']);
    const latest = writer.latest(KEY, object);
    expect(latest?.metadata.finalizers).toEqual(['other/one']);
    await write(latest ?? object, PUBLISH);
    expect(api.at(PATH)).toMatchObject({ metadata: { finalizers: ['other/one'] }, status: { phase: 'Ready' } });
  });

  it('knows what it wrote also when the answer was lost', async () => {
    const { writer, object, write, failWrites } = await setUp();
    failWrites('lose-response');
    expect(await failure(write(object, PUBLISH))).toMatchObject({ code: 'connection-lost' });
    expect(writer.latest(KEY, object)?.status).toEqual({ phase: 'Ready' });
  });

  it('tells of the failure of the write when reading the object fails as well', async () => {
    const { api, writer, object, write } = await setUp();
    api.fault = ({ method }) => (method === 'PATCH' ? { status: 500, reason: 'InternalError' } : 'lose-request');
    expect(await failure(write(object, PUBLISH))).toMatchObject({ code: 'InternalError', step: 'publish' });
    expect(writer.latest(KEY, object)).toBe(object);
  });

  it('is done with an object that is gone, and remembers that', async () => {
    const { api, writer, object, write, counts, sent } = await setUp({ finalizers: ['example.org/widget'] });
    api.remove(PATH);
    expect(await write(object, PUBLISH, LET_GO)).toBeUndefined();
    expect(sent()).toEqual(['PATCH /status', 'GET']);
    expect(counts).toEqual(['publish done']);
    expect(writer.latest(KEY, object)).toBeUndefined();
  });

  it('does not write to a namesake of an object that is gone', async () => {
    const { api, writer, put, object, write } = await setUp();
    api.remove(PATH);
    put();
    expect(await write(object, HOLD)).toBeUndefined();
    expect(api.at(PATH)?.metadata['finalizers']).toBeUndefined();
    expect(writer.latest(KEY, object)).toBeUndefined();
    const namesake = { metadata: { ...object.metadata, uid: 'another' } };
    expect(writer.latest(KEY, namesake)).toBe(namesake);
  });

  it('knows that an object went with its last finalizer', async () => {
    const deleted = { finalizers: ['example.org/widget'], deletionTimestamp: '2026-01-01T00:00:00Z' };
    const { api, writer, object, write, sent } = await setUp(deleted);
    expect(await write(object, LET_GO, PUBLISH)).toBeUndefined();
    expect(api.at(PATH)).toBeUndefined();
    expect(sent()).toEqual(['PATCH']);
    expect(writer.latest(KEY, object)).toBeUndefined();
  });

  it('does not take an object for gone because its status is not served', async () => {
    const { writer, object, write, failWrites } = await setUp();
    failWrites({ status: 404, reason: 'NotFound' }, ({ path }) => path.endsWith('/status'));
    expect(await failure(write(object, PUBLISH))).toMatchObject({ code: 'NotFound' });
    expect(writer.latest(KEY, object)).toBeDefined();
  });

  it('waits until the Lease outlives the write', async () => {
    const { clock, lease, object, write, sent, journal } = await setUp();
    lease.covers = (milliseconds) => milliseconds < 4_000;
    const writing = write(object, PUBLISH);
    await clock.advance(2_000);
    expect(sent()).toEqual([]);
    expect(journal.entries('widget shop/web')).toMatchObject([{ step: 'publish', outcome: 'started' }]);
    lease.covers = (milliseconds) => milliseconds < 4_001;
    await Promise.all([writing, clock.advance(250)]);
    expect(sent()).toEqual(['PATCH /status']);
  });

  it('waits before each write', async () => {
    const { api, clock, lease, object, write, sent } = await setUp();
    lease.covers = () => api.writes.length === 0 || clock.monotonic() >= 1_000;
    const writing = write(object, HOLD, PUBLISH);
    await clock.advance(500);
    expect(sent()).toEqual(['PATCH']);
    await Promise.all([writing, clock.advance(500)]);
    expect(sent()).toEqual(['PATCH', 'PATCH /status']);
  });

  it('sends no write when the Lease has become too short since it was begun', async () => {
    const { api, lease, object, write } = await setUp();
    let asked = 0;
    lease.covers = () => (asked += 1) <= 2;
    expect(await failure(write(object, PUBLISH))).toMatchObject({ code: 'lease-too-short', verdict: 'retriable' });
    expect([asked, api.writes]).toEqual([3, []]);
  });

  it('writes nothing more when it no longer leads', async () => {
    const { clock, lease, object, write, sent } = await setUp();
    lease.covers = () => false;
    const failed = failure(write(object, PUBLISH));
    await clock.advance(100);
    lease.ended.abort(new Error('the Lease was lost'));
    await clock.advance(250);
    expect(await failed).toMatchObject({ message: 'publish: the Lease was lost' });
    expect(sent()).toEqual([]);
  });

  it('ends with its signal, and reads nothing then', async () => {
    const { clock, stop, object, write, failWrites, sent, counts } = await setUp();
    failWrites('hang');
    const failed = failure(write(object, PUBLISH));
    await clock.advance(100);
    stop.abort(new Error('shutting down'));
    expect(await failed).toMatchObject({ message: 'shutting down' });
    expect(sent()).toEqual([]);
    expect(counts).toEqual(['publish failed']);
  });

  describe('with fields of another manager', () => {
    const APPLY = { name: 'paint', ifItDiesHere: 'It is painted.' };
    const key = { namespace: 'shop', name: 'web' };

    async function served() {
      const clock = new VirtualClock();
      const kube = new SimulatedKube({ clock, random: seededRandom(1) });
      const client = new KubeClient(connectionOver(kube.transport(), clock), clock);
      await client.create(namespaces, { metadata: { name: 'shop' } });
      const leadership: Leadership = { epoch: 1, signal: new AbortController().signal, covers: () => true };
      const options = { clock, client, leadership, journal: new Journal(clock), fieldManager: 'us' };
      const writer = new ObjectWriter<ConfigMap>({ ...options, resource: configMaps });
      return { client, writer, signal: new AbortController().signal };
    }

    it('creates the object, and owns no more than it applied', async () => {
      const { client, writer, signal } = await served();
      await writer.apply({ metadata: key, data: { a: '1' } }, 'one', APPLY, signal);
      const both = await writer.apply({ metadata: key, data: { b: '2' } }, 'two', APPLY, signal);
      expect(both.data).toEqual({ a: '1', b: '2' });
      expect(writer.latest('shop/web', undefined)).toBeUndefined();
      const without = await writer.apply({ metadata: key, data: {} }, 'one', APPLY, signal);
      expect([without.data, (await client.get(configMaps, key)).data]).toEqual([{ b: '2' }, { b: '2' }]);
    });

    it('deletes this very object, and none that is there in its place', async () => {
      const { client, writer, signal } = await served();
      const first = await client.create<ConfigMap>(configMaps, { metadata: key });
      await client.delete(configMaps, key);
      await client.create<ConfigMap>(configMaps, { metadata: key });
      expect(await failure(writer.delete(first, APPLY, signal))).toMatchObject({ verdict: 'stale' });
      const second = await client.get(configMaps, key);
      await writer.delete(second, APPLY, signal);
      await writer.delete(second, APPLY, signal);
      expect(await client.find(configMaps, key)).toBeUndefined();
    });
  });
});
