import type { EndpointSlice } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import type { ServiceImport } from '../mcs/types.ts';
import type { Export } from '../merge/merge.ts';
import { EXPORTED_ANNOTATIONS, EXPORTED_LABELS, importLabels, sliceLabels } from '../records/marks.ts';
import type { ExportedSlice } from '../records/exported-slices.ts';
import type { Trusted } from '../records/trust.ts';
import { decide } from './decide.ts';
import type { BrokerObservation, Observation } from './observation.ts';
import { testSettings } from '../testing/test-settings.ts';
import { describeWrite } from './write.ts';

const key = { namespace: 'shop', name: 'web' };

const imported: ServiceImport = {
  metadata: { ...key, labels: importLabels, resourceVersion: '1' },
  spec: { type: 'ClusterSetIP', ports: [], ipFamilies: [], sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' },
  status: { clusters: [{ cluster: 'a' }] },
};
const slice: EndpointSlice = {
  metadata: { namespace: 'shop', name: 'web.ipv4.a', labels: sliceLabels('web', 'a'), resourceVersion: '1' },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['198.51.100.7'] }],
  ports: [],
};
const exportOf = (cluster: string): Export => ({
  cluster,
  since: '2026-11-15T12:00:00Z',
  type: 'ClusterSetIP',
  ports: [],
  ipFamilies: [],
  sessionAffinity: 'None',
  internalTrafficPolicy: 'Cluster',
  labels: {},
  annotations: {},
});
const trusted = (cluster: string): Trusted<Export> => ({ kind: 'trusted', key, cluster, value: exportOf(cluster) });
const refused = { kind: 'refused', key, cluster: 'a', reason: 'a test' } as const;

type InStep = Extract<BrokerObservation, { state: 'in-step' }>;

/** What is planned for a Service that cluster `a` exported, with this at the broker. */
const planned = (broker: Partial<InStep>, changes: Partial<Observation> = {}) => decided(broker, changes).writes;

function decided(broker: Partial<InStep>, changes: Partial<Observation> = {}) {
  const observed: Observation = {
    key,
    namespace: { metadata: { name: 'shop' } },
    serviceExport: undefined,
    service: undefined,
    podSlices: [],
    localImport: undefined,
    imported,
    importedSlices: [slice],
    derivedService: undefined,
    derivedSlices: [],
    broker: {
      state: 'in-step',
      ownRecord: undefined,
      ownSlices: [],
      records: [],
      slices: [],
      aggregate: undefined,
      dropped: new Set(),
      missing: new Set(),
      left: new Set(),
      ...broker,
    },
    ...changes,
  };
  return decide(observed, testSettings, 0);
}

const preconditions = (writes: ReturnType<typeof planned>) =>
  writes.map((write) => [
    describeWrite(write),
    ...write.preconditions.map(({ is, resource, key: at }) => `${is}: ${resource.kind} ${at.namespace}/${at.name}`),
  ]);

describe('an export that is gone', () => {
  it('takes its endpoints from the broker before its record, so that no client is led here meanwhile', () => {
    const own = { namespace: 'broker-m-own', resourceVersion: '1' };
    const ownRecord = { ...imported, metadata: { ...own, name: 'web.shop' } };
    const ownSlices = [{ ...slice, metadata: { ...own, name: 'web.shop.ipv4' } }];
    const deleted = planned({ ownRecord, ownSlices }).map(describeWrite);
    expect(deleted.filter((text) => text.endsWith('at the broker'))).toEqual([
      'delete EndpointSlice broker-m-own/web.shop.ipv4 at the broker',
      'delete ServiceImport broker-m-own/web.shop at the broker',
    ]);
  });
});

describe('an export with more slices than any cluster takes', () => {
  it('writes no more of them to the broker, where they would crowd out those of others, and says so', () => {
    const spec = { clusterIP: 'None', clusterIPs: ['None'], ports: [{ port: 80 }], ipFamilies: ['IPv4'] } as const;
    const podSlices = Array.from({ length: 120 }, (_, index) => ({
      ...slice,
      metadata: { namespace: 'shop', name: `web-${index}` },
    }));
    const mine = { serviceExport: { metadata: key }, service: { metadata: key, spec }, podSlices, importedSlices: [] };
    const waiting = decided({}, { ...mine, imported: undefined });
    const record = waiting.writes.find(({ at }) => at === 'broker')?.object;
    const value = { ...exportOf('own'), type: 'Headless' } as const;
    const metadata = { ...record?.metadata, namespace: 'broker-m-own', name: 'web.shop', resourceVersion: '1' };
    const { writes } = decided(
      {
        ownRecord: { ...imported, ...record, metadata },
        records: [{ kind: 'trusted', key, cluster: 'own', value }],
      },
      { ...mine, imported: undefined },
    );
    const atBroker = writes.filter(({ at, resource }) => at === 'broker' && resource.kind === 'EndpointSlice');
    expect(atBroker).toHaveLength(100);
    const told = writes.find(({ resource }) => resource.kind === 'ServiceExport')?.object;
    expect(JSON.stringify(told)).toContain('Of its 120 EndpointSlices, 100 are at the broker: no cluster takes more.');
  });
});

describe('an export that lost a conflict', () => {
  it('has no endpoints at the broker, nor behind the import', () => {
    const own = { namespace: 'broker-m-own', resourceVersion: '1' };
    const spec = { clusterIP: 'None', clusterIPs: ['None'], ports: [{ port: 80 }], ipFamilies: ['IPv4'] } as const;
    const service = { metadata: key, spec };
    const podSlices = [{ ...slice, metadata: { namespace: 'shop', name: 'web-1' } }];
    const mine = { serviceExport: { metadata: key }, service, podSlices, importedSlices: [] };
    const waiting = decided({ records: [trusted('a')] }, { ...mine, imported: undefined });
    const record = waiting.writes.find(({ at }) => at === 'broker')?.object;
    const value = { ...exportOf('own'), type: 'Headless', since: '2026-11-15T13:00:00Z' } as const;
    const ownSlices = [{ ...slice, metadata: { ...own, name: 'web.shop.s1' } }];
    const { exported, writes } = decided(
      {
        ownRecord: { ...imported, ...record, metadata: { ...own, ...record?.metadata, name: 'web.shop' } },
        ownSlices,
        records: [trusted('a'), { kind: 'trusted', key, cluster: 'own', value }],
      },
      mine,
    );
    expect(exported.state).toBe('conflict');
    const touched = writes.map(describeWrite).filter((text) => text.includes('EndpointSlice'));
    expect(touched).toEqual(['delete EndpointSlice broker-m-own/web.shop.s1 at the broker']);
  });
});

describe('an import', () => {
  it('goes when its record is gone, on preconditions that the broker is asked about first', () => {
    const rests = ['absent: ServiceImport broker-m-a/web.shop', 'there: Lease broker/own', 'there: Lease broker/a'];
    expect(preconditions(planned({}))).toEqual([
      ['delete EndpointSlice shop/web.ipv4.a', ...rests],
      ['delete ServiceImport shop/web', ...rests],
    ]);
    expect(preconditions(planned({ left: new Set(['a']) }))[0]).toEqual([
      'delete EndpointSlice shop/web.ipv4.a',
      ...rests.slice(0, 2),
    ]);
  });

  it('has the broker asked about few of those that have left, however many a tenant has written on it', () => {
    const names = Array.from({ length: 500 }, (_, index) => `forged-${index}`);
    const forged = names.map((name) => ({
      ...slice,
      metadata: { ...slice.metadata, name: `web.ipv4.${name}`, labels: sliceLabels('web', name) },
    }));
    const left = new Set(names);
    const writes = planned({ left }, { importedSlices: [slice, ...forged] });
    expect(writes).toHaveLength(502);
    expect(writes.reduce((count, write) => count + write.preconditions.length, 0)).toBeLessThan(3 * 500);
    const status = { clusters: [...names, 'a'].map((cluster) => ({ cluster })) };
    const [stripped] = planned({ left, records: [trusted('b')] }, { imported: { ...imported, status } });
    expect(stripped === undefined ? [] : preconditions([stripped])[0]).toHaveLength(24);
    expect(stripped?.preconditions.filter(({ loses }) => loses !== undefined).map(({ loses }) => loses)).toEqual(['a']);
  });

  it('stays as it is when what its cluster exports is refused, or its cluster is missing', () => {
    expect(planned({ records: [refused] })).toEqual([]);
    expect(planned({ missing: new Set(['a']) })).toEqual([]);
    expect(planned({ records: [trusted('a')], slices: [refused] })).toEqual([]);
  });

  it('is not held up by the refused record of a cluster that is not behind it', () => {
    const evil = { ...refused, cluster: 'evil' };
    expect(planned({ records: [evil] }).map(describeWrite)).toEqual([
      'delete EndpointSlice shop/web.ipv4.a',
      'delete ServiceImport shop/web',
    ]);
  });

  it('keeps a cluster that is refused, or missing, beside one that is not', () => {
    const both = { ...imported, status: { clusters: [{ cluster: 'a' }, { cluster: 'b' }] } };
    expect(planned({ records: [refused, trusted('b')] }, { imported: both })).toEqual([]);
    expect(planned({ records: [trusted('b')], missing: new Set(['a']) }, { imported: both })).toEqual([]);
    expect(preconditions(planned({ records: [trusted('b')] }, { imported: both }))[0]).toEqual([
      'update ServiceImport status shop/web',
      'absent: ServiceImport broker-m-a/web.shop',
      'there: Lease broker/own',
      'there: Lease broker/a',
    ]);
  });

  it('keeps its slices without endpoints while the cluster is dropped', () => {
    const served = { suffix: 'ipv4', addressType: 'IPv4', endpoints: slice.endpoints ?? [], ports: [] } as const;
    const atBroker = {
      records: [trusted('a')],
      slices: [{ kind: 'trusted', key, cluster: 'a', value: served } as const],
    };
    expect(planned(atBroker)).toEqual([]);
    expect(planned({ ...atBroker, dropped: new Set(['a']) })).toMatchObject([
      { verb: 'update', object: { endpoints: [] } },
    ]);
  });

  it('has the same slices of a cluster that has too many, in whatever order they come', () => {
    const many = Array.from({ length: 120 }, (_, index): Trusted<ExportedSlice> => {
      const suffix = `s${String(index).padStart(3, '0')}`;
      return { kind: 'trusted', key, cluster: 'a', value: { suffix, addressType: 'IPv4', endpoints: [], ports: [] } };
    });
    const written = (slices: readonly Trusted<ExportedSlice>[]) =>
      planned({ records: [trusted('a')], slices }, { importedSlices: [] }).flatMap(
        ({ object }) => object.metadata.name,
      );
    expect(written(many)).toHaveLength(100);
    expect(written(many.toReversed())).toEqual(written(many));
  });

  it('loses the slices of a cluster that lost a conflict, which needs no asking', () => {
    const value = { ...exportOf('a'), type: 'Headless', since: '2026-11-15T13:00:00Z' } as const;
    const lost = { kind: 'trusted', key, cluster: 'a', value } as const;
    const writes = planned({ records: [trusted('b'), lost] });
    expect(preconditions(writes.filter(({ verb }) => verb === 'delete'))).toEqual([
      ['delete EndpointSlice shop/web.ipv4.a'],
    ]);
  });

  it('is written after its slices, so that one that is refused holds back no endpoints', () => {
    const value = { suffix: 'ipv4', addressType: 'IPv4', endpoints: [], ports: [] } as const;
    const atBroker = { records: [trusted('a')], slices: [{ kind: 'trusted', key, cluster: 'a', value } as const] };
    expect(preconditions(planned(atBroker, { imported: undefined }))).toEqual([
      ['update EndpointSlice shop/web.ipv4.a'],
      ['create ServiceImport shop/web'],
    ]);
  });

  it('is left alone where its namespace is being deleted, and goes where it no longer takes part', () => {
    const metadata = { name: 'shop', deletionTimestamp: '2026-11-15T12:00:00Z' };
    expect(planned({ records: [trusted('a')] }, { namespace: { metadata } })).toEqual([]);
    expect(planned({}, { namespace: undefined })).toEqual([]);
    const denied = { namespace: { metadata: { name: 'kube-shop' } } };
    expect(planned({ records: [trusted('a')] }, denied).map(describeWrite)).toEqual([
      'delete EndpointSlice shop/web.ipv4.a',
      'delete ServiceImport shop/web',
    ]);
  });

  it('loses the labels and annotations that its export no longer has, and keeps those of others', () => {
    const labels = { ...importLabels, team: 'blue', other: 'stays' };
    const annotations = {
      [EXPORTED_LABELS]: '{"team":"blue"}',
      [EXPORTED_ANNOTATIONS]: '{"note":"old"}',
      note: 'old',
      other: 'stays',
    };
    const before = { ...imported, metadata: { ...imported.metadata, labels, annotations } };
    const [write] = planned({ records: [trusted('a')] }, { imported: before, importedSlices: [] });
    expect(write?.object.metadata).toMatchObject({
      labels: { ...importLabels, other: 'stays' },
      annotations: { other: 'stays' },
    });
    expect(Object.keys(write?.object.metadata.labels ?? {})).not.toContain('team');
    expect(Object.keys(write?.object.metadata.annotations ?? {})).toEqual(['other']);
  });

  it('keeps this cluster until its own record is written again', () => {
    const both = { ...imported, status: { clusters: [{ cluster: 'b' }, { cluster: 'own' }] } };
    const spec = { clusterIP: '10.9.0.1', clusterIPs: ['10.9.0.1'], ports: [] };
    const mine = { serviceExport: { metadata: key }, service: { metadata: key, spec }, imported: both };
    const { writes, aggregate } = decided({ records: [trusted('b')] }, { ...mine, importedSlices: [] });
    expect(writes.map(describeWrite)).toEqual([
      'create ServiceImport fairlead-system/web.shop',
      'create ServiceImport broker-m-own/web.shop at the broker',
    ]);
    expect(aggregate).toEqual([]);
  });

  it('goes when only this cluster is behind it, which is now of another type and has no record', () => {
    const alone = { ...imported, status: { clusters: [{ cluster: 'own' }] } };
    const spec = { clusterIP: 'None', ports: [] };
    const mine = { serviceExport: { metadata: key }, service: { metadata: key, spec }, importedSlices: [] };
    expect(planned({}, { ...mine, imported: alone }).map(describeWrite)).toContain('delete ServiceImport shop/web');
    expect(planned({}, { ...mine, imported: undefined }).map(describeWrite)).toEqual([
      'create ServiceImport fairlead-system/web.shop',
      'create ServiceImport broker-m-own/web.shop at the broker',
    ]);
  });

  it('of another controller is not touched', () => {
    expect(planned({}, { imported: { ...imported, metadata: key } })).toEqual([]);
  });
});

describe('the aggregate', () => {
  const of = (...clusters: readonly string[]): ServiceImport => ({
    ...imported,
    metadata: { namespace: 'broker', name: 'web.shop', resourceVersion: '1' },
    status: { clusters: clusters.map((cluster) => ({ cluster })) },
  });
  const aggregated = (broker: Partial<InStep>) => preconditions(decided(broker).aggregate);

  it('goes when no record is left, whatever clusters other members invented for it', () => {
    const rests = ['absent: ServiceImport broker-m-ghost/web.shop', 'there: Lease broker/own'];
    expect(aggregated({ aggregate: of('ghost'), missing: new Set(['ghost']) })).toEqual([
      ['delete ServiceImport broker/web.shop at the broker', ...rests],
    ]);
    expect(aggregated({ aggregate: of('not a name') })[0]?.[1]).toBe('there: Lease broker/own');
  });

  it('loses invented clusters while this cluster exports', () => {
    const record = 'absent: ServiceImport broker-m-ghost/web.shop';
    expect(
      aggregated({ records: [trusted('own')], aggregate: of('ghost', 'own'), missing: new Set(['ghost']) }),
    ).toEqual([['update ServiceImport broker/web.shop at the broker', record, 'there: Lease broker/own']]);
  });

  it('is not made of a record that is being taken back', () => {
    const ownRecord = { ...imported, metadata: { namespace: 'broker-m-own', name: 'web.shop', resourceVersion: '1' } };
    expect(aggregated({ ownRecord, records: [trusted('own')] })).toEqual([]);
  });

  it('is not asked about for every one of thousands of names', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `ghost-${index}`);
    expect(aggregated({ aggregate: of(...names) })[0]?.length).toBeLessThan(30);
  });

  it('goes although the record of a cluster that never stood behind it is refused, and stays if it did', () => {
    expect(aggregated({ records: [refused], aggregate: of('b') })).toHaveLength(1);
    expect(aggregated({ records: [refused], aggregate: of('a') })).toEqual([]);
  });
});
