import {
  type ConfigMap,
  configMaps,
  customResourceDefinitions,
  type EndpointSlice,
  endpointSlices,
  type KubeObject,
  leases,
  namespaces,
  services,
} from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceExport, ServiceImport } from './mcs/types.ts';
import { recordLabels } from './records/marks.ts';
import { exports, imports, TestClusterSet } from './testing/test-clusterset.ts';

const SHARED = 'fairlead-broker';
let set = new TestClusterSet();

async function two() {
  set = new TestClusterSet();
  return { a: await set.add('a'), b: await set.add('b') };
}

afterEach(() => set.stop());

const aggregate = () => set.broker.client.find(imports, { namespace: SHARED, name: `web.${NAMESPACE}` });

describe('adding a ServiceExport', () => {
  it('with labels that no API server takes exports nothing, and says so', async () => {
    const { a, b } = await two();
    const spec = { exportedLabels: { 'bad key!': 'x' } };
    await a.cluster.createService('web', { type: 'ClusterIP', ports: [{ port: 80 }] });
    await a.cluster.client.create<ServiceExport>(exports, { metadata: { namespace: NAMESPACE, name: 'web' }, spec });
    await set.settle();
    expect(await set.conditionsOf(a, 'web')).toMatchObject({ Valid: 'False InvalidExport' });
    expect(await set.clustersOf(b, 'web')).toBe('none');
  });

  it.each([
    ['more ports', 101, {}],
    ['more text', 1, { note: 'x'.repeat(70_000) }],
    ['more marks of ours', 1, { 'clusterset.fairlead.dev/exported-labels': '{"team":"blue"}' }],
  ])('with %s than any cluster takes exports nothing, and says so', async (_, count, exportedAnnotations) => {
    const { a } = await two();
    const ports = Array.from({ length: count }, (_port, index) => ({ name: `p${index}`, port: 1_000 + index }));
    await a.cluster.createService('web', { type: 'ClusterIP', ports });
    const metadata = { namespace: NAMESPACE, name: 'web' };
    await a.cluster.client.create<ServiceExport>(exports, { metadata, spec: { exportedAnnotations } });
    await set.settle();
    expect(await set.conditionsOf(a, 'web')).toMatchObject({ Valid: 'False InvalidExport' });
  });

  it('makes the local import, the record, the aggregate, and imports with endpoints in every cluster', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    const vip = await set.vipOf(a, 'web');
    const local = await a.cluster.client.get(imports, { namespace: 'fairlead-system', name: `web.${NAMESPACE}` });
    expect(local.spec).toMatchObject({ type: 'ClusterSetIP', ports: [{ name: 'http', port: 80 }] });
    expect(await aggregate()).toMatchObject({ status: { clusters: [{ cluster: 'a' }] } });
    for (const member of [a, b]) {
      expect(await set.clustersOf(member, 'web')).toBe('a');
      expect(await set.endpointsOf(member, 'web')).toEqual([`a ${vip}`]);
    }
    expect((await set.imported(b, 'web'))?.spec.ips).toBeUndefined();
    expect(await set.conditionsOf(a, 'web')).toEqual({
      Valid: 'True Valid',
      Conflict: 'False NoConflicts',
      Ready: 'True Exported',
    });
  });

  it('adds a second cluster to the status, and merges the ports', async () => {
    const { a, b } = await two();
    await set.export(a, 'web', {
      ports: [
        { name: 'http', port: 80 },
        { name: 'metrics', port: 9090 },
      ],
    });
    await set.settle();
    await set.export(b, 'web');
    await set.settle();
    for (const member of [a, b]) {
      expect(await set.clustersOf(member, 'web')).toBe('a,b');
      expect((await set.imported(member, 'web'))?.spec.ports).toEqual([{ name: 'http', protocol: 'TCP', port: 80 }]);
      expect((await set.conditionsOf(member, 'web'))['Conflict']).toBe('True PortConflict');
    }
    expect((await aggregate())?.status?.clusters).toEqual([{ cluster: 'a' }, { cluster: 'b' }]);
    expect(await set.endpointsOf(a, 'web')).toEqual([
      `a ${await set.vipOf(a, 'web')}`,
      `b ${await set.vipOf(b, 'web')}`,
    ]);
    expect(await b.cluster.eventLines('web')).toEqual([
      'web ServiceExportConflict: Ports: only what all expose is served; not everywhere the same: metrics TCP/9090 of a.',
    ]);
  });

  it('does not export a Service of another type than the oldest, until that is gone', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    await set.export(b, 'web', { clusterIP: 'None' });
    await set.settle();
    expect(await set.clustersOf(b, 'web')).toBe('a');
    expect(await set.endpointsOf(a, 'web')).toEqual([`a ${await set.vipOf(a, 'web')}`]);
    expect(await set.conditionsOf(b, 'web')).toEqual({
      Valid: 'True Valid',
      Conflict: 'True TypeConflict',
      Ready: 'False Failed',
    });
    await set.unexport(a, 'web');
    await set.settle();
    expect(await set.clustersOf(a, 'web')).toBe('b');
    expect((await set.imported(a, 'web'))?.spec.type).toBe('Headless');
    expect(await set.endpointsOf(a, 'web')).toEqual(['b 10.9.0.1']);
    expect(await set.conditionsOf(b, 'web')).toMatchObject({ Conflict: 'False NoConflicts', Ready: 'True Exported' });
  });

  it('writes nothing more once all is as it should be, also after a restart', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.export(b, 'web');
    await set.settle(60_000);
    const before = [a, b].map(({ cluster }) => cluster.writes.length);
    const version = (await aggregate())?.metadata.resourceVersion;
    await set.restart(a);
    await set.settle(600_000);
    expect([a, b].map(({ cluster }) => cluster.writes.length)).toEqual(before);
    expect((await aggregate())?.metadata.resourceVersion).toBe(version);
  });
});

describe('removing a ServiceExport', () => {
  it('of a namespace that went meanwhile leaves no aggregate either', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    expect(await aggregate()).toBeDefined();
    for (const { leader } of [a, b]) await leader.stop();
    await set.unexport(a, 'web');
    for (const { cluster } of [a, b]) await cluster.client.delete(namespaces, { name: NAMESPACE });
    await set.settle();
    await set.restart(a);
    await set.settle(60_000);
    expect(await aggregate()).toBeUndefined();
  });

  it('takes the cluster out of everything, and the last one everything away', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.export(b, 'web');
    await set.settle();
    await set.unexport(a, 'web');
    await set.settle();
    expect(await set.clustersOf(a, 'web')).toBe('b');
    expect(await set.endpointsOf(a, 'web')).toEqual([`b ${await set.vipOf(b, 'web')}`]);
    expect((await aggregate())?.status?.clusters).toEqual([{ cluster: 'b' }]);
    await set.unexport(b, 'web');
    await set.settle();
    for (const member of [a, b]) {
      expect(await set.imported(member, 'web')).toBeUndefined();
      expect(await set.endpointsOf(member, 'web')).toEqual([]);
      const { items } = await member.cluster.client.list(imports);
      expect(items).toEqual([]);
    }
    expect((await set.broker.client.list<ServiceImport>(imports)).items).toEqual([]);
    expect((await set.broker.client.list(endpointSlices)).items).toEqual([]);
  });
});

describe('endpoints', () => {
  it('are cleared while no pod backs the Service, and come back', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    await a.cluster.putSlice('web', 'web-1', ['!10.9.0.1@node-1']);
    await set.settle(5_000);
    expect(await set.endpointsOf(b, 'web')).toEqual([]);
    expect(await set.clustersOf(b, 'web')).toBe('a');
    await a.cluster.putSlice('web', 'web-1', ['10.9.0.1@node-1']);
    await set.settle(5_000);
    expect(await set.endpointsOf(b, 'web')).toEqual([`a ${await set.vipOf(a, 'web')}`]);
  });

  it('cost one write at the broker and one in each cluster when they change', async () => {
    const { a, b } = await two();
    await set.export(a, 'db', { clusterIP: 'None' });
    await set.settle();
    await set.export(b, 'web');
    await set.settle();
    const before = [a, b].map(({ cluster }) => cluster.writes.length);
    await a.cluster.putSlice('db', 'db-1', ['10.9.0.1@node-1', '10.9.0.2@node-2']);
    await set.settle();
    expect(await set.endpointsOf(b, 'db')).toEqual(['a 10.9.0.1', 'a 10.9.0.2']);
    const after = [a, b].map(({ cluster }) => cluster.writes.length);
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1]);
  });
});

describe('the aggregate', () => {
  it('is kept by one cluster after the other: those that come later find it done', async () => {
    const { a, b } = await two();
    const c = await set.add('c');
    for (const member of [a, b, c]) await set.export(member, 'web');
    await set.settle(60_000);
    set.brokerWrites.length = 0;
    await set.unexport(c, 'web');
    await set.settle(60_000);
    expect((await aggregate())?.status?.clusters).toEqual([{ cluster: 'a' }, { cluster: 'b' }]);
    expect(set.brokerWrites.filter((text) => text.includes(`/${SHARED}/serviceimports/`))).toHaveLength(1);
  });
});

describe('without the broker', () => {
  it('a cluster keeps its imports, says so, follows its own endpoints, and catches up', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.export(b, 'web');
    await set.settle();
    set.isCut = true;
    await set.restart(b);
    await set.settle(300_000);
    await b.cluster.putSlice('web', 'web-1', ['!10.9.0.1@node-1']);
    await set.settle(10_000);
    expect(await set.clustersOf(b, 'web')).toBe('a,b');
    expect(await set.endpointsOf(b, 'web')).toEqual([`a ${await set.vipOf(a, 'web')}`]);
    expect((await set.imported(b, 'web'))?.status?.conditions).toMatchObject([
      { type: 'fairlead.dev/InStep', status: 'False', reason: 'BrokerUnreachable' },
    ]);
    set.isCut = false;
    await set.settle(60_000);
    expect(await set.endpointsOf(a, 'web')).toEqual([`a ${await set.vipOf(a, 'web')}`]);
    expect((await set.imported(b, 'web'))?.status?.conditions ?? []).toEqual([]);
  });

  it('that went away while it was read, a cluster says so, and catches up', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    set.isCut = true;
    await set.settle(900_000);
    expect((await set.imported(b, 'web'))?.status?.conditions).toMatchObject([
      { type: 'fairlead.dev/InStep', status: 'False', reason: 'BrokerUnreachable' },
    ]);
    expect(await set.endpointsOf(b, 'web')).toEqual([`a ${await set.vipOf(a, 'web')}`]);
    set.isCut = false;
    await set.settle(120_000);
    expect((await set.imported(b, 'web'))?.status?.conditions ?? []).toEqual([]);
  });

  it('of which only the slices cannot be read, a cluster says so, too', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    set.unreadable = /endpointslices/;
    await set.settle(900_000);
    expect((await set.imported(b, 'web'))?.status?.conditions).toMatchObject([
      { type: 'fairlead.dev/InStep', status: 'False', reason: 'BrokerUnreachable' },
    ]);
    set.unreadable = undefined;
    await set.settle(120_000);
    expect((await set.imported(b, 'web'))?.status?.conditions ?? []).toEqual([]);
  });

  it('that lost everything, nothing is withdrawn, and nothing turns its type', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    await set.export(b, 'web', { clusterIP: 'None' });
    await set.settle();
    const { client } = set.broker;
    for (const name of [SHARED, `${SHARED}-m-a`, `${SHARED}-m-b`]) await client.delete(namespaces, { name });
    await set.settle(30_000);
    expect(await set.clustersOf(b, 'web')).toBe('a');
    await set.join('b');
    await set.settle(30_000);
    expect(await set.clustersOf(b, 'web')).toBe('a');
    await set.join('a');
    await set.settle(30_000);
    for (const member of [a, b]) {
      expect((await set.imported(member, 'web'))?.spec.type).toBe('ClusterSetIP');
      expect(await set.endpointsOf(member, 'web')).toEqual([`a ${await set.vipOf(a, 'web')}`]);
    }
  });
});

describe('a broker that was rebuilt', () => {
  it('gives an export that had lost no precedence by its name, also within the same second', async () => {
    set = new TestClusterSet();
    const z = await set.add('z');
    const a = await set.add('a');
    await set.export(z, 'web');
    await set.settle();
    await set.export(a, 'web', { clusterIP: 'None' });
    await set.settle();
    for (const name of [SHARED, `${SHARED}-m-a`, `${SHARED}-m-z`]) await set.broker.client.delete(namespaces, { name });
    await set.settle();
    await set.join('a');
    await set.join('z');
    await set.settle(60_000);
    for (const member of [a, z]) expect(await set.clustersOf(member, 'web')).toBe('z');
    expect(await set.conditionsOf(a, 'web')).toMatchObject({ Conflict: 'True TypeConflict', Ready: 'False Failed' });
  });
});

describe('a broker that shows empty lists', () => {
  it('withdraws nothing', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.export(a, 'db', { clusterIP: 'None' });
    await set.settle();
    await set.export(b, 'web');
    await set.settle();
    const before = [await set.endpointsOf(b, 'web'), await set.endpointsOf(b, 'db')];
    set.isLying = true;
    await set.restart(b);
    await set.settle(5_000);
    set.isLying = false;
    await set.settle(1_200_000);
    expect([await set.endpointsOf(b, 'web'), await set.endpointsOf(b, 'db')]).toEqual(before);
    expect(await set.clustersOf(b, 'web')).toBe('a,b');
    expect(await set.clustersOf(b, 'db')).toBe('a');
    expect((await aggregate())?.status?.clusters).toEqual([{ cluster: 'a' }, { cluster: 'b' }]);
  });

  it('has many imports that go at once held back, also when it does not have them any more', async () => {
    const { a, b } = await two();
    const names = Array.from({ length: 20 }, (_, index) => `web-${index}`);
    for (const name of names) await set.export(a, name);
    await set.settle(120_000);
    await a.leader.stop();
    const { items } = await set.broker.client.list(imports, { namespace: `${SHARED}-m-a` });
    for (const { metadata } of items) await set.broker.client.delete(imports, metadata);
    await set.settle(60_000);
    const left = async () => (await Promise.all(names.map((name) => set.imported(b, name)))).filter(Boolean).length;
    expect(await left()).toBeGreaterThan(9);
    expect((await b.cluster.eventLines('kube-system')).join()).toContain('DeletionHeldBack');
    await set.settle(700_000);
    expect(await left()).toBe(0);
  });
});

describe('imports that are held back from losing a cluster', () => {
  it('follow the endpoints of the others all the same', async () => {
    const { a, b } = await two();
    const c = await set.add('c');
    const names = Array.from({ length: 12 }, (_, index) => `web-${index}`);
    for (const name of names) {
      await set.export(a, name);
      await set.export(c, name, { clusterIP: `10.96.77.${names.indexOf(name) + 1}` });
    }
    await set.settle(120_000);
    await a.leader.stop();
    const { items } = await set.broker.client.list(imports, { namespace: `${SHARED}-m-a` });
    for (const { metadata } of items) await set.broker.client.delete(imports, metadata);
    await set.settle(60_000);
    const held = names.filter((_, index) => index > 3);
    for (const name of held) expect(await set.clustersOf(b, name)).toBe('a,c');
    for (const name of held) {
      const endpoints = [{ addresses: ['10.9.0.1'], conditions: { ready: false } }];
      const key = { namespace: NAMESPACE, name: `${name}-1` };
      await c.cluster.client.patchMerge<EndpointSlice>(endpointSlices, key, { endpoints });
    }
    await set.settle(60_000);
    for (const name of held) expect(await set.endpointsOf(b, name)).toEqual([`a ${await set.vipOf(a, name)}`]);
  });
});

describe('a cluster that fell silent', () => {
  it.each([
    ['keep', 700_000, 1],
    ['dropAfter=300', 250_000, 1],
    ['dropAfter=300', 400_000, 0],
    ['probe', 400_000, 0],
  ])('has its endpoints treated by %s after %d ms', async (whenSilent, silence, left) => {
    set = new TestClusterSet();
    const a = await set.add('a');
    const b = await set.add('b', { whenSilent });
    await set.export(a, 'web');
    await set.settle();
    const vip = await set.vipOf(a, 'web');
    set.silentAddresses.add(vip);
    await a.leader.stop();
    await set.settle(silence);
    expect(await set.endpointsOf(b, 'web')).toHaveLength(left);
    expect(await set.clustersOf(b, 'web')).toBe('a');
    await set.restart(a);
    await set.settle(60_000);
    expect(await set.endpointsOf(b, 'web')).toEqual([`a ${vip}`]);
  });
});

describe('a cluster that an operator took off the broker', () => {
  it('has left after ten minutes, and its imports go', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    await a.leader.stop();
    const { client } = set.broker;
    await client.delete(leases, { namespace: SHARED, name: 'a' });
    await client.delete(namespaces, { name: `${SHARED}-m-a` });
    await set.settle(300_000);
    expect(await set.clustersOf(b, 'web')).toBe('a');
    await set.settle(500_000);
    expect(await set.clustersOf(b, 'web')).toBe('none');
    expect(await set.endpointsOf(b, 'web')).toEqual([]);
  });
});

describe('an export that says what becomes of it in silence', () => {
  it('is heeded in other clusters, whatever they do by default', async () => {
    const { a, b } = await two();
    const metadata = { namespace: NAMESPACE, name: 'web' };
    await a.cluster.createService('web', { type: 'ClusterIP', ports: [{ name: 'http', port: 80 }] });
    await a.cluster.putSlice('web', 'web-1', ['10.9.0.1@node-1'], { name: 'http', port: 8080 });
    const exportedAnnotations = { 'clusterset.fairlead.dev/when-silent': 'keep' };
    await a.cluster.client.create<ServiceExport>(exports, { metadata, spec: { exportedAnnotations } });
    await set.settle();
    set.silentAddresses.add(await set.vipOf(a, 'web'));
    await a.leader.stop();
    await set.settle(600_000);
    expect(await set.endpointsOf(b, 'web')).toHaveLength(1);
  });
});

describe('a silent cluster with pods of which the first is not ready', () => {
  it('is asked at one that is', async () => {
    const { a, b } = await two();
    await set.export(a, 'db', { clusterIP: 'None' });
    const key = { namespace: NAMESPACE, name: 'db-1' };
    const endpoints = [
      { addresses: ['10.9.0.1'], conditions: { ready: false } },
      { addresses: ['10.9.0.2'], conditions: { ready: true } },
    ];
    await a.cluster.client.patchMerge<EndpointSlice>(endpointSlices, key, { endpoints });
    await set.settle();
    set.silentAddresses.add('10.9.0.1');
    await a.leader.stop();
    await set.settle(400_000);
    expect(await set.endpointsOf(b, 'db')).toHaveLength(2);
    set.silentAddresses.add('10.9.0.2');
    await set.settle(60_000);
    expect(await set.endpointsOf(b, 'db')).toEqual([]);
  });
});

describe('a ServiceExport that another controller keeps from going', () => {
  it('exports nothing from when it is deleted', async () => {
    const { a, b } = await two();
    const key = { namespace: NAMESPACE, name: 'web' };
    await set.export(a, 'web');
    await set.settle();
    await a.cluster.client.patchMerge<ServiceExport>(exports, key, { metadata: { finalizers: ['example.org/x'] } });
    await set.unexport(a, 'web');
    await set.settle();
    expect(await a.cluster.client.find(exports, key)).toBeDefined();
    for (const member of [a, b]) expect(await set.clustersOf(member, 'web')).toBe('none');
    expect(await aggregate()).toBeUndefined();
  });
});

describe('a silent cluster that takes long to probe', () => {
  it('holds up no other one', async () => {
    set = new TestClusterSet();
    const [a, b, slow] = [await set.add('a'), await set.add('b'), await set.add('slow')];
    await set.export(a, 'web');
    await set.export(slow, 'late', { clusterIP: '10.96.77.7' });
    await set.settle();
    set.silentAddresses.add(await set.vipOf(a, 'web'));
    set.slowAddresses.add('10.96.77.7');
    await slow.leader.stop();
    await set.settle(150_000);
    await a.leader.stop();
    await set.settle(200_000);
    expect(await set.endpointsOf(b, 'late')).toHaveLength(1);
    expect(await set.endpointsOf(b, 'web')).toEqual([]);
    await set.restart(slow);
    await set.settle(60_000);
    expect(await set.endpointsOf(b, 'late')).toHaveLength(1);
  });
});

describe('a silent cluster that cannot even be probed', () => {
  it('keeps its endpoints', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    set.isProbeBroken = true;
    await a.leader.stop();
    await set.settle(400_000);
    expect(await set.endpointsOf(b, 'web')).toEqual([`a ${await set.vipOf(a, 'web')}`]);
  });
});

describe('bad input', () => {
  it.each([
    ['an export of nothing', undefined, 'False NoService'],
    [
      'an export of an ExternalName',
      { type: 'ExternalName', externalName: 'x.example.org' } as const,
      'False InvalidServiceType',
    ],
  ])('%s is told on a condition', async (_, spec, valid) => {
    const { a, b } = await two();
    if (spec !== undefined)
      await a.cluster.client.create(services, { metadata: { namespace: NAMESPACE, name: 'web' }, spec });
    await a.cluster.client.create(exports, { metadata: { namespace: NAMESPACE, name: 'web' } });
    await set.settle();
    expect(await set.conditionsOf(a, 'web')).toEqual({ Valid: valid, Ready: 'False Pending' });
    expect(await set.imported(b, 'web')).toBeUndefined();
  });

  it('a namespace that may not take part neither exports nor imports', async () => {
    set = new TestClusterSet();
    const a = await set.add('a');
    const b = await set.add('b', { namespaces: { deny: [NAMESPACE] } });
    await set.export(a, 'web');
    await set.export(b, 'web');
    await set.settle();
    expect(await set.conditionsOf(b, 'web')).toMatchObject({ Valid: 'False NamespaceNotAllowed' });
    expect(await set.imported(b, 'web')).toBeUndefined();
    expect(await set.clustersOf(a, 'web')).toBe('a');
  });

  it('a record that is refused changes and deletes nothing', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    const key = { namespace: `${SHARED}-m-a`, name: `web.${NAMESPACE}.ipv4` };
    await a.leader.stop();
    await set.broker.client.patchMerge(endpointSlices, key, { endpoints: [{ addresses: ['240.0.0.1'] }] });
    await set.broker.client.patchMerge<ServiceImport>(
      imports,
      { namespace: `${SHARED}-m-a`, name: `web.${NAMESPACE}` },
      {
        metadata: { labels: { 'multicluster.kubernetes.io/source-cluster': 'b' } },
      },
    );
    await set.settle(60_000);
    expect(await set.clustersOf(b, 'web')).toBe('a');
    expect(await set.endpointsOf(b, 'web')).toEqual([`a ${await set.vipOf(a, 'web')}`]);
  });

  it('an import of another controller is left alone', async () => {
    const { a, b } = await two();
    const spec = { type: 'Headless', ports: [] } as const;
    await b.cluster.client.create<ServiceImport>(imports, { metadata: { namespace: NAMESPACE, name: 'web' }, spec });
    await set.export(a, 'web');
    await set.settle();
    expect((await set.imported(b, 'web'))?.spec).toEqual(spec);
  });
});

describe('membership', () => {
  it('shows by a Lease that is renewed', async () => {
    await two();
    await set.settle(60_000);
    const before = await set.broker.client.get(leases, { namespace: SHARED, name: 'a' });
    await set.settle(60_000);
    const after = await set.broker.client.get(leases, { namespace: SHARED, name: 'a' });
    expect((after.spec?.renewTime ?? '') > (before.spec?.renewTime ?? '')).toBe(true);
  });
});

describe('a record without a spec, by another member,', () => {
  /** As definitions of other projects have it. */
  const requireNothing = async ({ client }: TestClusterSet['broker']) => {
    const definition = await client.get(customResourceDefinitions, { name: 'serviceimports.multicluster.x-k8s.io' });
    const versions = definition.spec.versions.map((version) => ({
      ...version,
      schema: { openAPIV3Schema: { ...version.schema?.openAPIV3Schema, required: [] } },
    }));
    await client.update(customResourceDefinitions, { ...definition, spec: { ...definition.spec, versions } });
    await set.settle(1_000);
  };

  const put = async (namespace: string, name: string) => {
    await requireNothing(set.broker);
    await set.join('evil');
    const labels = recordLabels({ namespace, name }, 'blue', 'evil');
    const metadata = { namespace: `${SHARED}-m-evil`, name: `${name}.${namespace}`, labels };
    await set.broker.client.create<KubeObject>(imports, { metadata });
  };

  it('is refused, and the Service follows the others', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    await put(NAMESPACE, 'web');
    await set.export(b, 'web');
    await set.settle(60_000);
    for (const member of [a, b]) expect(await set.clustersOf(member, 'web')).toBe('a,b');
  });

  it('ends no leader when its writer falls silent', async () => {
    const { a, b } = await two();
    await put('nowhere', 'zzz');
    await set.settle(300_000);
    await set.export(a, 'late');
    await set.settle(60_000);
    expect(await set.clustersOf(b, 'late')).toBe('a');
  });

  it('does not hold back the aggregate either', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    await requireNothing(set.broker);
    const metadata = (await aggregate())?.metadata ?? { name: '' };
    await set.broker.client.update<KubeObject>(imports, { metadata });
    await set.export(b, 'web');
    await set.settle(60_000);
    expect(await aggregate()).toMatchObject({ spec: { type: 'ClusterSetIP' }, status: { clusters: [{}, {}] } });
  });
});

describe('a cluster whose name another one has taken at the broker', () => {
  it('writes nothing there, and keeps what it has', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    const key = { namespace: SHARED, name: 'a' };
    const registration = { namespace: SHARED, name: 'member.a' };
    await set.broker.client.patchMerge<ConfigMap>(configMaps, registration, { data: { 'cluster-uid': 'of another' } });
    await set.settle(1_000);
    const { resourceVersion } = (await set.broker.client.get(leases, key)).metadata;
    await set.unexport(a, 'web');
    await set.settle(60_000);
    expect(await set.clustersOf(b, 'web')).toBe('a');
    expect((await set.broker.client.get(leases, key)).metadata.resourceVersion).toBe(resourceVersion);
  });
});

describe('addresses that a cluster was not admitted with', () => {
  it('are refused, until its registration says otherwise', async () => {
    const { a, b } = await two();
    await set.export(a, 'web');
    await set.settle();
    const vip = await set.vipOf(a, 'web');
    const registration = { namespace: SHARED, name: 'member.a' };
    const admit = (ranges: string) =>
      set.broker.client.patchMerge<ConfigMap>(configMaps, registration, { data: { ranges } });
    await admit('192.0.2.0/24');
    await set.export(a, 'late');
    await set.settle();
    expect(await set.endpointsOf(b, 'web')).toEqual([`a ${vip}`]);
    expect(await set.endpointsOf(b, 'late')).toEqual([]);
    await admit('0.0.0.0/0');
    await set.settle();
    expect(await set.endpointsOf(b, 'late')).toEqual([`a ${await set.vipOf(a, 'late')}`]);
  });
});

describe('what no namespace of this cluster wants', () => {
  const ELSEWHERE = 'elsewhere';
  const record = (cluster: string, namespace: string, name: string): ServiceImport => ({
    metadata: {
      namespace: `${SHARED}-m-${cluster}`,
      name: `${name}.${namespace}`,
      labels: recordLabels({ namespace, name }, 'blue', cluster),
    },
    spec: { type: 'ClusterSetIP', ports: [{ port: 80 }] },
  });
  const importsOf = async ({ cluster }: { readonly cluster: TestClusterSet['broker'] }, namespace: string) =>
    (await cluster.client.list(imports, { namespace })).items.map(({ metadata }) => metadata.name);

  it('is imported as soon as there is a namespace for it, and not before', async () => {
    const { b } = await two();
    await set.join('far');
    await set.broker.client.create(imports, record('far', ELSEWHERE, 'web'));
    await set.settle();
    expect(await importsOf(b, ELSEWHERE)).toEqual([]);
    await b.cluster.client.create(namespaces, { metadata: { name: ELSEWHERE } });
    await set.settle();
    expect(await importsOf(b, ELSEWHERE)).toEqual(['web']);
    expect(await set.broker.client.find(imports, { namespace: SHARED, name: 'web.elsewhere' })).toBeUndefined();
  });

  it('cannot crowd out what is wanted: of one cluster only so much is read, which is told', async () => {
    set = new TestClusterSet();
    const a = await set.add('a');
    const b = await set.add('b', { mostServicesPerCluster: 3 });
    await set.join('evil');
    for (let index = 0; index < 8; index += 1)
      await set.broker.client.create(imports, record('evil', NAMESPACE, `junk-${index}`));
    await set.export(a, 'web');
    await set.settle();
    expect(await set.clustersOf(b, 'web')).toBe('a');
    expect(await importsOf(b, NAMESPACE)).toEqual(['junk-0', 'junk-1', 'junk-2', 'web']);
    expect((await b.cluster.eventLines('kube-system')).join()).toContain(
      'ExportsLeftOut: The namespace fairlead-broker-m-evil at the broker has more than 3 objects',
    );
    await set.settle(1_200_000);
    expect(await importsOf(b, NAMESPACE)).toHaveLength(4);
    expect(await set.clustersOf(b, 'web')).toBe('a');
  });
});

describe('a migration', () => {
  const OLD_BROKER = 'submariner-k8s-broker';
  const OLD_LOCAL = 'submariner-operator';
  const older = (namespace: string, cluster: string, ip: string): ServiceImport => ({
    metadata: {
      namespace,
      name: `web-${NAMESPACE}-${cluster}`,
      labels: {
        'lighthouse.submariner.io/sourceCluster': cluster,
        'lighthouse.submariner.io/sourceName': 'web',
        'lighthouse.submariner.io/sourceNamespace': NAMESPACE,
      },
    },
    spec: { type: 'ClusterSetIP', ips: [ip], ports: [{ name: 'http', port: 80 }] },
  });

  it('copies what clusters before aggregation export, and lets go of it as they are upgraded', async () => {
    set = new TestClusterSet();
    const a = await set.add('a', { older: { clusters: ['b'] } });
    await a.cluster.client.create(namespaces, { metadata: { name: OLD_LOCAL } });
    await set.broker.client.create(namespaces, { metadata: { name: OLD_BROKER } });
    await set.broker.client.create(imports, older(OLD_BROKER, 'b', '10.77.0.1'));
    await set.broker.client.create(imports, older(OLD_BROKER, 'a', '10.66.0.1'));
    await set.broker.client.create(imports, older(OLD_BROKER, 'forged', '10.99.0.1'));
    await set.export(a, 'web');
    await set.settle();
    const there = async (where: TestClusterSet['broker'], namespace: string) =>
      (await where.client.list<ServiceImport>(imports, { namespace })).items.map(
        ({ metadata, spec }) => `${metadata.name} ${spec.ips?.join()}`,
      );
    expect(await there(a.cluster, OLD_LOCAL)).toEqual([`web-${NAMESPACE}-b 10.77.0.1`]);
    expect(await there(set.broker, OLD_BROKER)).toContain(`web-${NAMESPACE}-a ${await set.vipOf(a, 'web')}`);
    const b = await set.add('b');
    await set.export(b, 'web');
    await set.settle(60_000);
    expect(await set.clustersOf(a, 'web')).toBe('a,b');
    expect(await there(a.cluster, OLD_LOCAL)).toEqual([]);
    expect(await there(set.broker, OLD_BROKER)).toEqual([
      `web-${NAMESPACE}-b 10.77.0.1`,
      `web-${NAMESPACE}-forged 10.99.0.1`,
    ]);
  });
});
