import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal, seededRandom } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { SimulatedKube } from '@fairlead/sim/kube';
import { serveKube } from '@fairlead/sim/kube/http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connect } from './adapters/index.ts';
import {
  type Again,
  addFinalizer,
  appendSteps,
  CacheFactory,
  type Condition,
  Controller,
  customResourceDefinitions,
  Election,
  type EndpointSlice,
  EventRecorder,
  endpointSlices,
  events,
  findCondition,
  isConflict,
  KubeClient,
  type KubeObject,
  type Leadership,
  leases,
  type ObjectWrite,
  ObjectWriter,
  patchGuarded,
  type Resource,
  removeFinalizer,
  type Service,
  services,
  setCondition,
  withCondition,
} from './index.ts';
import { SimulatedCluster } from './testing/simulated-cluster.ts';

const clusters: SimulatedCluster[] = [];

afterEach(() => {
  vi.unstubAllEnvs();
  for (const cluster of clusters.splice(0)) cluster.stop();
});

async function setUp(): Promise<SimulatedCluster> {
  const cluster = await SimulatedCluster.start();
  clusters.push(cluster);
  return cluster;
}

const KEY = { namespace: 'shop', name: 'web' };

/** Always leads. */
const leadership: Leadership = { epoch: 1, signal: new AbortController().signal, covers: () => true };

describe('the examples of the README', () => {
  it('are these', async () => {
    const [page, tests] = await Promise.all(
      ['README.md', 'examples.test.ts'].map((file) => readFile(join(import.meta.dirname, file), 'utf8')),
    );
    const shown = [...(page ?? '').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
    const run = [...(tests ?? '').matchAll(/^ *\/\/ README:.*?\n(.*?)^ *\/\/ README end$/gms)];
    expect(shown).toEqual(run.map(([, code = '']) => dedented(code)));
  });

  it('connect', async () => {
    await using server = await serveKube(new SimulatedKube({ clock: systemClock, random: seededRandom(1) }));
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-examples-'));
    await writeFile(join(folder, 'config'), server.kubeconfig);
    vi.stubEnv('KUBECONFIG', join(folder, 'config'));
    // README: connect
    const { connection, source } = await connect({ userAgent: 'example/1.0' });
    const client = new KubeClient(connection, systemClock);
    const version: unknown = JSON.parse(await client.getText('/version'));
    // README end
    expect(version).toHaveProperty('gitVersion');
    expect(source).toContain(folder);
    await connection.close();
    await rm(folder, { recursive: true });
  });

  it('read and write', async () => {
    const cluster = await setUp();
    const { client } = cluster;
    await cluster.createService('web', { labels: { app: 'web' } });
    await cluster.createService('other');
    // README: read and write
    const service = await client.get(services, { namespace: 'shop', name: 'web' });
    const missing = await client.find(services, { namespace: 'shop', name: 'no-such' });
    const { items } = await client.list(services, { labelSelector: 'app=web' });

    const { resourceVersion = '' } = service.metadata;
    const patch = { metadata: { resourceVersion, annotations: { 'example.org/checked': 'yes' } } };
    try {
      await client.patchMerge<Service>(services, service.metadata, patch, { fieldManager: 'example' });
    } catch (error) {
      if (!isConflict(error)) throw error;
      // Another client wrote in between: read it again, and decide again.
    }
    // README end
    expect(missing).toBeUndefined();
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['web']);
    expect((await client.get(services, KEY)).metadata.annotations).toEqual({ 'example.org/checked': 'yes' });
  });

  it('a cache with an index', async () => {
    const cluster = await setUp();
    const { connection, clock, random, logger, metrics, signal } = cluster;
    await createSlice(cluster, 'web-1', 'web');
    await createSlice(cluster, 'api-1', 'api');
    const advance = clock.advance(1_000);
    // README: a cache with an index
    const caches = new CacheFactory({ connection, clock, random, logger, metrics, signal });
    const sliceCache = caches.cache(endpointSlices, { namespace: 'shop' });
    const serviceOf = ({ metadata }: EndpointSlice) => metadata.labels?.['kubernetes.io/service-name'] ?? '';
    const byService = sliceCache.index('service', (slice) => [serviceOf(slice)]);
    await caches.synced(signal);
    const slices = byService.get('web');
    // README end
    await advance;
    expect(slices.map(({ metadata }) => metadata.name)).toEqual(['web-1']);
  });

  it('a controller', async () => {
    const cluster = await setUp();
    const { clock, random, logger, metrics, signal } = cluster;
    const caches = cluster.caches();
    await cluster.createService('web');
    const told: string[] = [];
    const tell = (key: string, service: Service | undefined) =>
      void told.push(`${key} ${service === undefined ? 'is gone' : 'is there'}`);
    // README: a controller
    const serviceCache = caches.cache(services);
    const sliceCache = caches.cache(endpointSlices);
    const controller = new Controller({ name: 'example', clock, random, logger, metrics, concurrency: 10 });
    controller.watch(serviceCache);
    controller.watch(sliceCache, (change) => {
      const { namespace, labels } = (change.type === 'delete' ? change.before : change.after).metadata;
      return [`${namespace}/${labels?.['kubernetes.io/service-name']}`];
    });

    async function reconcile(key: string): Promise<Again | void> {
      const service = serviceCache.get(key);
      tell(key, service);
      if (service !== undefined) return { afterMilliseconds: 600_000 };
    }
    const ended = controller.run(reconcile, signal);
    // README end
    await clock.advance(1_000);
    expect(told.splice(0).sort()).toEqual(['default/kubernetes is there', 'shop/web is there']);
    await createSlice(cluster, 'web-1', 'web');
    await clock.advance(1_000);
    await cluster.client.delete(services, KEY);
    await clock.advance(1_000);
    expect(told.splice(0)).toEqual(['shop/web is there', 'shop/web is gone']);
    await clock.advance(600_000);
    expect(told).toEqual(['default/kubernetes is there']);
    cluster.stop();
    await ended;
  });

  it('leader election', async () => {
    const cluster = await setUp();
    const { client, clock, random, logger, metrics, signal } = cluster;
    const serviceCache = cluster.caches().cache(services);
    const reconciled: string[] = [];
    const reconcile = async (key: string) => void reconciled.push(key);
    // README: leader election
    const lease = { namespace: 'shop', name: 'example' };
    const election = new Election({ client, clock, random, logger, lease, name: 'example-0' });
    const ended = election.run(signal, async (leadership) => {
      const controller = new Controller({ name: 'example', clock, random, logger, metrics });
      controller.watch(serviceCache);
      await controller.run(reconcile, leadership.signal);
    });
    // README end
    await clock.advance(1_000);
    expect(election.state).toMatchObject({ kind: 'leading' });
    expect(reconciled.splice(0)).toEqual(['default/kubernetes']);
    await client.delete(leases, lease);
    await clock.advance(60_000);
    expect(election.state).toMatchObject({ kind: 'leading' });
    expect(reconciled).toEqual(['default/kubernetes']);
    cluster.stop();
    await Promise.all([ended, clock.advance(1_000)]);
    expect((await client.get(leases, lease)).spec?.holderIdentity ?? '').toBe('');
  });

  it('Events', async () => {
    const cluster = await setUp();
    const { client, clock, random, logger, metrics } = cluster;
    const service = await cluster.createService('web');
    // README: Events
    const reporter = { controller: 'example.org/example', instance: 'example-0' };
    const recorder = new EventRecorder({ client, clock, random, logger, metrics, ...reporter });
    recorder.record(services, service, { type: 'Normal', reason: 'Programmed', note: 'Its load balancer is ready.' });
    // README end
    await clock.advance(1_000);
    const { items } = await client.list(events, { namespace: 'shop' });
    expect(items).toMatchObject([{ reason: 'Programmed', regarding: { kind: 'Service', name: 'web' } }]);
  });

  it('finalizers', async () => {
    const cluster = await setUp();
    const { client } = cluster;
    await cluster.createService('web');
    const outside = new Set<string>();
    const createOutside = async ({ metadata }: Service) => void outside.add(metadata.name);
    const deleteOutside = async ({ metadata }: Service) => void outside.delete(metadata.name);
    // README: finalizers
    async function reconcileOutside(service: Service): Promise<void> {
      if (service.metadata.deletionTimestamp === undefined) {
        const held = await addFinalizer(client, services, service, 'example.org/cleanup');
        if (held === undefined) return;
        await createOutside(held);
      } else {
        await deleteOutside(service);
        await removeFinalizer(client, services, service, 'example.org/cleanup');
      }
    }
    // README end
    await reconcileOutside(await client.get(services, KEY));
    expect([...outside]).toEqual(['web']);
    await client.delete(services, KEY);
    await reconcileOutside(await client.get(services, KEY));
    expect([...outside]).toEqual([]);
    expect(await client.find(services, KEY)).toBeUndefined();
  });

  it('conditions', async () => {
    const cluster = await setUp();
    const { client, clock } = cluster;
    const service = await cluster.createService('web');
    // README: conditions
    const ready = {
      type: 'example.org/Ready',
      status: 'True',
      reason: 'Programmed',
      message: 'It is served.',
    } as const;
    await setCondition(client, services, service, ready, clock.now());
    // README end
    expect(findCondition(await client.get(services, KEY), 'example.org/Ready')).toMatchObject(ready);
  });

  it('a custom resource', async () => {
    const cluster = await setUp();
    const { client, clock, signal } = cluster;
    const journal = new Journal(clock);
    const caches = cluster.caches();
    await createWidgetDefinition(cluster);
    // README: a custom resource
    interface Widget extends KubeObject {
      readonly spec: { readonly parts?: readonly string[] };
      readonly status?: { readonly conditions?: readonly Condition[] };
    }
    const widgets: Resource<Widget> = {
      group: 'example.org',
      version: 'v1',
      plural: 'widgets',
      kind: 'Widget',
      namespaced: true,
    };
    const widgetCache = caches.cache(widgets);
    const fieldManager = 'example';
    const writer = new ObjectWriter({ resource: widgets, client, clock, journal, leadership, fieldManager });

    async function reconcileWidget(key: string, stop: AbortSignal): Promise<void> {
      const widget = writer.latest(key, widgetCache.get(key));
      if (widget === undefined) return;
      await writer.write(widget, plannedWrites(widget, clock.now()), stop);
    }

    /** Pure, so that a test, or a dry run, sees what would be written. */
    function plannedWrites(widget: Widget, now: number): readonly ObjectWrite<Widget>[] {
      const wanted = { type: 'Ready', status: 'True', reason: 'Assembled', message: 'All parts are there.' } as const;
      const conditions = withCondition(widget, wanted, now);
      if (conditions === widget.status?.conditions) return [];
      const ifItDiesHere = 'The status is complete, and nothing else is to be done.';
      return [{ name: 'publish-status', ifItDiesHere, subresource: 'status', patch: { status: { conditions } } }];
    }
    // README end
    const metadata = { namespace: 'shop', name: 'web' };
    const widget = await client.create<Widget>(widgets, { metadata, spec: { parts: ['wheel'] } });
    await clock.advance(1_000);
    await reconcileWidget('shop/web', signal);
    await reconcileWidget('shop/web', signal);
    expect(findCondition(await client.get(widgets, metadata), 'Ready')?.reason).toBe('Assembled');
    expect(journal.entries('widget shop/web')).toMatchObject([{ step: 'publish-status', outcome: 'done', count: 1 }]);
    // README: a list in a custom resource
    await patchGuarded(client, widgets, widget, ({ spec }) =>
      spec.parts?.includes('axle') ? [] : appendSteps('/spec/parts', spec.parts, 'axle'),
    );
    // README end
    expect((await client.get(widgets, metadata)).spec.parts).toEqual(['wheel', 'axle']);
  });
});

const createSlice = ({ client }: SimulatedCluster, name: string, service: string) =>
  client.create(endpointSlices, {
    metadata: { namespace: 'shop', name, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    endpoints: [],
    ports: [],
  });

async function createWidgetDefinition({ client, clock }: SimulatedCluster): Promise<void> {
  const object = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = { type: 'object', properties: { spec: object, status: object } };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema },
    subresources: { status: {} },
  };
  await client.create(customResourceDefinitions, {
    metadata: { name: 'widgets.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [version],
    },
  });
  await clock.advance(1_000);
}

/** Without what stands before each line of an example in this file. */
function dedented(code: string): string {
  return code.replaceAll(/^ {4}/gm, '');
}
