import { parseIpRange } from '@fairlead/control';
import type { EndpointSlice } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import type { ServiceImport } from '../mcs/types.ts';
import { EXPORTED_ANNOTATIONS, EXPORTED_LABELS, recordLabels } from './marks.ts';
import { canImportInto, isNamespaceAllowed, trustRecord, type TrustRules, trustSlice } from './trust.ts';

const ownRange = parseIpRange('10.96.0.0/12');
const rules: TrustRules = {
  clusterset: 'blue',
  brokerNamespace: 'broker',
  ownRanges: ownRange === undefined ? [] : [ownRange],
};
const key = { namespace: 'shop', name: 'web' };

function record(metadata: Partial<ServiceImport['metadata']> = {}, spec: Partial<ServiceImport['spec']> = {}) {
  return {
    metadata: {
      name: 'web.shop',
      namespace: 'broker-m-a',
      creationTimestamp: '2026-11-15T12:00:00Z',
      labels: recordLabels(key, 'blue', 'a'),
      ...metadata,
    },
    spec: { type: 'ClusterSetIP', ports: [{ port: 80 }], ...spec },
  } as const satisfies ServiceImport;
}

function slice(metadata: Partial<EndpointSlice['metadata']> = {}, fields: Partial<EndpointSlice> = {}): EndpointSlice {
  return {
    metadata: { ...record().metadata, name: 'web.shop.ipv4', ...metadata },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['198.51.100.7'] }],
    ports: [],
    ...fields,
  };
}

describe('a reserved address', () => {
  it('is believed only of a cluster that was admitted with it, as those of Globalnet are', () => {
    const [range] = [parseIpRange('242.1.0.0/16')].flatMap((one) => one ?? []);
    if (range === undefined) throw new Error('there is no range');
    const global = slice({}, { endpoints: [{ addresses: ['242.1.0.1'] }] });
    expect(trustSlice(global, rules)).toMatchObject({ kind: 'refused' });
    expect(trustSlice(global, rules, new Map([['a', [range]]]))).toMatchObject({ kind: 'trusted' });
    expect(trustSlice(global, rules, new Map([['b', [range]]]))).toMatchObject({ kind: 'refused' });
  });

  it.each(['127.0.0.1', '169.254.169.254', '224.0.0.1', '0.0.0.1'])(
    'is not what %s is: no cluster leads there, whatever it was admitted with',
    (address) => {
      const [range] = [parseIpRange('0.0.0.0/0')].flatMap((one) => one ?? []);
      if (range === undefined) throw new Error('there is no range');
      const special = slice({}, { endpoints: [{ addresses: [address] }] });
      expect(trustSlice(special, rules, new Map([['a', [range]]]))).toMatchObject({ kind: 'refused' });
    },
  );
});

describe('a record', () => {
  it('is believed when namespace, name and labels agree, and is as old as the broker says', () => {
    expect(trustRecord(record(), rules)).toMatchObject({
      kind: 'trusted',
      key,
      cluster: 'a',
      value: { cluster: 'a', since: '2026-11-15T12:00:00Z', type: 'ClusterSetIP' },
    });
  });

  it.each([
    ['of another cluster', { labels: recordLabels(key, 'blue', 'b') }, 'it claims to be of the cluster "b"'],
    [
      'of another Service',
      { labels: recordLabels({ ...key, name: 'mail' }, 'blue', 'a') },
      'its labels name another Service',
    ],
    [
      'for another namespace',
      { labels: recordLabels({ ...key, namespace: 'kube-system' }, 'blue', 'a') },
      'its labels name another Service',
    ],
    [
      'with labels that are none',
      { annotations: { [EXPORTED_LABELS]: '{"x":1}' } },
      'its exported labels or annotations cannot be read',
    ],
    [
      // By them, labels that others put on the import would be taken for its own, and taken off.
      'with marks of ours among its annotations',
      { annotations: { [EXPORTED_ANNOTATIONS]: JSON.stringify({ [EXPORTED_LABELS]: '{"team":"blue"}' }) } },
      'it has "clusterset.fairlead.dev/exported-labels", a mark of ours, among its labels and annotations',
    ],
    ['without a time of the broker', { creationTimestamp: '' }, 'it has no time of the broker'],
    [
      'with very large annotations',
      { annotations: { [EXPORTED_ANNOTATIONS]: JSON.stringify({ x: 'y'.repeat(70_000) }) } },
      'it has more than 65536 bytes of labels and annotations',
    ],
  ])('%s is refused', (_, metadata, reason) => {
    expect(trustRecord(record(metadata), rules)).toEqual({ kind: 'refused', key, cluster: 'a', reason });
  });

  it.each([
    [{ ipFamilies: ['x'] }, {}, 'the IP family "x"'],
    [{ type: 'Anycast' }, {}, 'the type "Anycast"'],
    [{ sessionAffinity: 'Always' }, {}, 'the session affinity "Always"'],
    [{ sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } }, {}, 'a session affinity of 0 s'],
    [{ internalTrafficPolicy: 'None' }, {}, 'the traffic policy "None"'],
    [{ ports: [{ port: 65_536 }] }, {}, 'the port 65536'],
    [{ ports: [{ port: 80, protocol: 'QUIC' }] }, {}, 'the protocol "QUIC"'],
    [{ ports: [{ port: 80, name: 'No Name' }] }, {}, 'the port name "No Name"'],
    [{ ports: [{ port: 80, appProtocol: 'a/b/c' }] }, {}, 'the application protocol "a/b/c"'],
    [{}, { [EXPORTED_LABELS]: '{"bad key!":"x"}' }, 'the label "bad key!"'],
    [{}, { [EXPORTED_LABELS]: '{"team":"no value!"}' }, 'the label value "no value!"'],
    [{}, { [EXPORTED_ANNOTATIONS]: '{"a/b/c":""}' }, 'the annotation "a/b/c"'],
  ])('with what no API server takes is refused: %j %j', (spec, annotations, wrong) => {
    const one = record({ annotations });
    Object.assign(one.spec, spec);
    const reason = `it has ${wrong}, which no API server takes`;
    expect(trustRecord(one, rules)).toMatchObject({ kind: 'refused', reason });
  });

  it('with labels and annotations of all kinds is believed', () => {
    const annotations = {
      [EXPORTED_LABELS]: '{"example.org/Team_a.b":"Blue-1","x":""}',
      [EXPORTED_ANNOTATIONS]: '{"Example.org/x":"any text!"}',
    };
    expect(trustRecord(record({ annotations }), rules)).toMatchObject({ kind: 'trusted' });
  });

  it('without ports is refused, unless it is headless', () => {
    for (const ports of [[], null]) {
      expect(trustRecord(record({}, { ports }), rules)).toMatchObject({ kind: 'refused', reason: 'it has no ports' });
    }
    expect(trustRecord(record({}, { type: 'Headless', ports: [] }), rules)).toMatchObject({ kind: 'trusted' });
  });

  it('with too many ports is refused', () => {
    const ports = Array.from({ length: 101 }, (_, index) => ({ port: index + 1 }));
    expect(trustRecord(record({}, { ports }), rules)).toMatchObject({
      kind: 'refused',
      reason: 'it has more than 100 ports',
    });
  });

  it.each([
    ['of another clusterset', { labels: recordLabels(key, 'green', 'a') }],
    ['in a namespace of no cluster', { namespace: 'default' }],
    ['in the shared namespace', { namespace: 'broker' }],
    ['in a namespace that only looks hashed', { namespace: 'broker-h-0123' }],
    ['with a name that is none', { name: 'web-shop' }],
  ])('%s is no concern of ours', (_, metadata) => {
    expect(trustRecord(record(metadata), rules)).toEqual({ kind: 'foreign' });
  });
});

describe('a slice', () => {
  it('is believed as a record is', () => {
    expect(trustSlice(slice(), rules)).toMatchObject({ kind: 'trusted', cluster: 'a', value: { suffix: 'ipv4' } });
    expect(trustSlice(slice({ labels: recordLabels(key, 'blue', 'b') }), rules)).toMatchObject({ kind: 'refused' });
    expect(trustSlice(slice({ name: 'web.shop' }), rules)).toEqual({ kind: 'foreign' });
  });

  it('tells nothing of nodes and Pods, which mean others here, and has no say in whom kube-proxy leads where', () => {
    const endpoint = { addresses: ['198.51.100.7'], conditions: { ready: true }, hostname: 'first', zone: 'north' };
    const targetRef = { kind: 'Pod', namespace: 'kube-system', name: 'coredns' };
    const forged = { ...endpoint, nodeName: 'node-1', targetRef, hints: { forZones: [{ name: 'south' }] } };
    const found = trustSlice(slice({}, { endpoints: [forged] }), rules);
    expect(found.kind === 'trusted' && found.value.endpoints).toEqual([endpoint]);
  });

  it.each([
    ['127.0.0.1', 'a loopback address'],
    ['169.254.169.254', 'a link-local address'],
    ['0.1.2.3', 'of this network'],
    ['224.0.0.1', 'a multicast address'],
    ['255.255.255.255', 'a reserved address'],
    ['::1', 'a loopback address'],
    ['::', 'the unspecified address'],
    ['fe80::1', 'a link-local address'],
    ['ff02::1', 'a multicast address'],
    ['64:ff9b::a9fe:a9fe', 'an IPv4 address behind NAT64'],
    ['::7f00:1', 'an IPv4 address within IPv6'],
    ['10.96.0.1', 'in 10.96.0.0/12, a range of this cluster'],
  ])('with %s is refused', (address, what) => {
    const isIpv4 = !address.includes(':');
    const endpoints = [{ addresses: [isIpv4 ? '198.51.100.7' : '2001:db8::7'] }, { addresses: [address] }];
    const found = trustSlice(slice({}, { addressType: isIpv4 ? 'IPv4' : 'IPv6', endpoints }), rules);
    expect(found).toMatchObject({ kind: 'refused', reason: `${address} is ${what}` });
  });

  it.each([
    ['of the other family', { endpoints: [{ addresses: ['2001:db8::1'] }] }, '2001:db8::1 is no IPv4 address'],
    [
      'mapped into the other family',
      { addressType: 'IPv6', endpoints: [{ addresses: ['::ffff:127.0.0.1'] }] },
      '::ffff:127.0.0.1 is no IPv6 address',
    ],
    ['that are none', { endpoints: [{ addresses: ['example.org'] }] }, 'example.org is no IPv4 address'],
    ['that are names', { addressType: 'FQDN' }, 'it has names instead of addresses'],
    [
      'beyond number',
      { endpoints: Array.from({ length: 1_001 }, () => ({ addresses: ['198.51.100.7'] })) },
      'it has more than 1000 endpoints',
    ],
    [
      'beyond number in few endpoints',
      {
        endpoints: Array.from({ length: 11 }, () => ({ addresses: Array.from({ length: 100 }, () => '198.51.100.7') })),
      },
      'it has more than 1000 addresses',
    ],
  ] as const)('with addresses %s is refused', (_, fields, reason) => {
    expect(trustSlice(slice({}, fields), rules)).toMatchObject({ kind: 'refused', reason });
  });
});

describe('a namespace', () => {
  it('takes part unless it is denied, left out, or of the cluster itself', () => {
    expect(isNamespaceAllowed('shop', { deny: [] })).toBe(true);
    expect(isNamespaceAllowed('shop', { deny: ['shop'] })).toBe(false);
    expect(isNamespaceAllowed('shop', { allow: ['mail'], deny: [] })).toBe(false);
    expect(isNamespaceAllowed('kube-system', { deny: [] })).toBe(false);
    expect(isNamespaceAllowed('kube-system', { allow: ['kube-system'], deny: [] })).toBe(true);
  });

  it('is imported into only when it is there, and stays', () => {
    const metadata = { name: 'shop' };
    expect(canImportInto({ metadata }, { deny: [] })).toBe(true);
    expect(canImportInto(undefined, { deny: [] })).toBe(false);
    expect(canImportInto({ metadata, status: { phase: 'Terminating' } }, { deny: [] })).toBe(false);
    expect(canImportInto({ metadata }, { deny: ['shop'] })).toBe(false);
  });
});
