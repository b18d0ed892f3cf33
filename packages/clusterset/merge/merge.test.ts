import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Export, merge, PORTS_SERVED } from './merge.ts';

const http = { name: 'http', protocol: 'TCP', port: 80 } as const;
const metrics = { name: 'metrics', protocol: 'TCP', port: 9090 } as const;
const dns = { name: 'dns', protocol: 'UDP', port: 53 } as const;

function exportOf(cluster: string, since: number, fields: Partial<Export> = {}): Export {
  return {
    cluster,
    since: `2026-11-15T12:00:0${since}Z`,
    type: 'ClusterSetIP',
    ports: [http],
    ipFamilies: ['IPv4'],
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    labels: {},
    annotations: {},
    ...fields,
  };
}

/** What all exports are told of conflicts. */
function conflictOf(exports: readonly Export[], ...policy: ['union'] | []) {
  const { verdicts } = merge(exports, ...policy);
  const texts = [...verdicts.values()].map(({ conditions: [first] }) => `${first?.status} ${first?.reason}`);
  expect(new Set(texts).size).toBe(1);
  return [...verdicts.values()][0]?.conditions[0];
}

describe('a cluster that misbehaves', () => {
  it('counts once, however often it has a port', () => {
    const exports = [exportOf('a', 1, { ports: [http, metrics, metrics] }), exportOf('b', 2)];
    expect(merge(exports).import?.spec.ports).toEqual([http]);
  });

  it('makes no condition longer than an API server takes', () => {
    // Eleven opinions on everything, of ten clusters each.
    const exports = Array.from({ length: 110 }, (_, index) => {
      const group = index % 11;
      const text = `${group} ${'x'.repeat(300)}`;
      return exportOf(`${'c'.repeat(59)}-${index}`, 1, {
        ports: [{ name: `p${group}`, port: 1_000 + group }],
        sessionAffinity: 'ClientIP',
        affinitySeconds: 1 + group,
        trafficDistribution: text,
        labels: { team: text },
        annotations: { note: text },
      });
    });
    expect(conflictOf(exports)?.message.length).toBeLessThan(32_768);
  });
});

describe('the seed', () => {
  it('exposes the intersection of the ports, and says so on the export of each cluster', () => {
    const exports = [exportOf('a', 1, { ports: [http, metrics] }), exportOf('b', 2, { ports: [dns, http] })];
    expect(merge(exports).import?.spec.ports).toEqual([http]);
    expect(conflictOf(exports)).toEqual({
      type: 'Conflict',
      status: 'True',
      reason: 'PortConflict',
      message:
        'Ports: only what all expose is served; not everywhere the same: metrics TCP/9090 of a; dns UDP/53 of b.',
    });
  });

  it('does not export a Service whose type conflicts with the oldest, which stays valid', () => {
    const exports = [exportOf('late', 9, { type: 'Headless', ports: [dns] }), exportOf('a', 1), exportOf('b', 2)];
    const { import: merged, verdicts } = merge(exports);
    expect(merged).toMatchObject({ clusters: ['a', 'b'], spec: { type: 'ClusterSetIP', ports: [http] } });
    expect(Object.fromEntries([...verdicts].map(([cluster, { isExported }]) => [cluster, isExported]))).toEqual({
      a: true,
      b: true,
      late: false,
    });
    expect(conflictOf(exports)).toMatchObject({
      status: 'True',
      reason: 'TypeConflict',
      message: 'Type: ClusterSetIP of a, the oldest, wins over Headless of late; not exported: late.',
    });
    const types = [...verdicts.values()].flatMap(({ conditions }) => conditions.map(({ type }) => type));
    expect(types).not.toContain('Valid');
  });

  it('exports what had lost a conflict once the winner is gone', () => {
    const late = exportOf('late', 9, { type: 'Headless' });
    expect(merge([exportOf('a', 1), late]).import?.clusters).toEqual(['a']);
    expect(merge([late])).toMatchObject({ import: { clusters: ['late'], spec: { type: 'Headless' } } });
    expect(conflictOf([late])?.status).toBe('False');
  });

  it('calculates the ports anew from the clusters that remain', () => {
    const both = exportOf('a', 1, { ports: [http, metrics] });
    expect(merge([both, exportOf('b', 2)]).import?.spec.ports).toEqual([http]);
    expect(merge([both]).import?.spec.ports).toEqual([http, metrics]);
  });
});

describe('KEP-1645', () => {
  it('exposes the union of the ports where told so, and any difference is a conflict', () => {
    const exports = [exportOf('a', 1, { ports: [http, metrics] }), exportOf('b', 2, { ports: [dns, http] })];
    expect(merge(exports, 'union').import?.spec.ports).toEqual([http, metrics, dns]);
    expect(conflictOf(exports, 'union')).toMatchObject({ status: 'True', reason: 'PortConflict' });
  });

  it('takes the port of the oldest where two exclude each other', () => {
    const exports = [
      exportOf('a', 1, { ports: [http] }),
      exportOf('b', 2, { ports: [{ ...http, port: 8080 }] }),
      exportOf('c', 3, { ports: [{ ...http, name: 'web' }] }),
    ];
    expect(merge(exports, 'union').import?.spec.ports).toEqual([http]);
  });

  it.each<[string, Partial<Export>, Partial<Export>, object, string]>([
    ['type', { type: 'Headless' }, { type: 'ClusterSetIP' }, { type: 'Headless' }, 'TypeConflict'],
    [
      'session affinity',
      { sessionAffinity: 'ClientIP', affinitySeconds: 60 },
      {},
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } },
      'SessionAffinityConflict',
    ],
    [
      'configuration of session affinity',
      { sessionAffinity: 'ClientIP', affinitySeconds: 60 },
      { sessionAffinity: 'ClientIP', affinitySeconds: 90 },
      { sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } },
      'SessionAffinityConfigConflict',
    ],
    [
      'internal traffic policy',
      { internalTrafficPolicy: 'Local' },
      {},
      { internalTrafficPolicy: 'Local' },
      'InternalTrafficPolicyConflict',
    ],
    [
      'traffic distribution',
      { trafficDistribution: 'PreferClose' },
      {},
      { trafficDistribution: 'PreferClose' },
      'TrafficDistributionConflict',
    ],
  ])('takes the %s of the oldest', (_, oldest, other, spec, reason) => {
    const exports = [exportOf('b', 2, other), exportOf('a', 1, oldest)];
    expect(merge(exports).import?.spec).toMatchObject(spec);
    expect(conflictOf(exports)).toMatchObject({ status: 'True', reason });
  });

  it.each([
    ['labels', 'LabelsConflict', 'Exported labels: {x=1 y=2} of a, the oldest, wins over {x=1} of b.'],
    ['annotations', 'AnnotationsConflict', 'Exported annotations: {x=1 y=2} of a, the oldest, wins over {x=1} of b.'],
  ] as const)('takes the whole set of exported %s of the oldest', (field, reason, message) => {
    const exports = [exportOf('b', 2, { [field]: { x: '1' } }), exportOf('a', 1, { [field]: { y: '2', x: '1' } })];
    expect(merge(exports).import?.[field]).toEqual({ x: '1', y: '2' });
    expect(conflictOf(exports)).toMatchObject({ reason, message });
  });

  it('serves each IP family from the clusters that have it', () => {
    const exports = [exportOf('a', 1), exportOf('b', 2, { ipFamilies: ['IPv6', 'IPv4'] })];
    expect(merge(exports).import?.spec.ipFamilies).toEqual(['IPv4', 'IPv6']);
    expect(conflictOf(exports)?.reason).toBe('IPFamilyConflict');
    const swapped = [exportOf('a', 1, { ipFamilies: ['IPv4', 'IPv6'] }), ...exports.slice(1)];
    expect(conflictOf(swapped)?.status).toBe('False');
  });

  it('goes by the name of the cluster where two are of the same age', () => {
    const exports = [exportOf('b', 1, { type: 'Headless' }), exportOf('a', 1)];
    expect(merge(exports).import?.clusters).toEqual(['a']);
  });

  it('has no conflict where all agree, in whatever order they list their ports', () => {
    const exports = [exportOf('a', 1, { ports: [http, dns] }), exportOf('b', 2, { ports: [dns, http] })];
    expect(conflictOf(exports)).toMatchObject({ status: 'False', reason: 'NoConflicts' });
    expect(merge(exports).import?.spec.ports).toEqual([http, dns]);
  });

  it('tells all conflicts together', () => {
    const exports = [
      exportOf('a', 1),
      exportOf('b', 2, {
        ports: [dns],
        sessionAffinity: 'ClientIP',
        labels: { x: '1' },
        internalTrafficPolicy: 'Local',
      }),
      exportOf('c', 3, { type: 'Headless' }),
    ];
    expect(conflictOf(exports)?.reason).toBe(
      'TypeConflict,PortConflict,SessionAffinityConflict,InternalTrafficPolicyConflict,LabelsConflict',
    );
  });
});

describe('merge', () => {
  it('says on a condition of its own that no port is left', () => {
    const exports = [exportOf('a', 1), exportOf('b', 2, { ports: [dns] })];
    const { import: merged, verdicts } = merge(exports);
    expect(merged).toMatchObject({ clusters: ['a', 'b'], spec: { ports: [] } });
    expect(verdicts.get('b')?.conditions[1]).toEqual({
      type: PORTS_SERVED,
      status: 'False',
      reason: 'NoCommonPort',
      message: 'No port is exposed by all of a, b: nothing is served. b exposes none of those of a, the oldest.',
    });
    const portless = merge([exportOf('a', 1, { type: 'Headless', ports: [] })]);
    expect(portless.verdicts.get('a')?.conditions).toHaveLength(1);
  });

  it('tells of an application protocol that differs, and takes that of the oldest', () => {
    const exports = [exportOf('a', 1, { ports: [{ ...http, appProtocol: 'h2c' }] }), exportOf('b', 2)];
    expect(merge(exports).import?.spec.ports).toEqual([{ ...http, appProtocol: 'h2c' }]);
    expect(conflictOf(exports)?.message).toContain('http TCP/80 as h2c or none of a, b');
  });

  it('keeps the message readable with many clusters', () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      exportOf(`cluster-${index}`, 2, { labels: { x: 'long'.repeat(100), y: String(index) }, ports: [dns] }),
    );
    expect(conflictOf([exportOf('a', 1), ...many])?.message.length).toBeLessThanOrEqual(8_000);
  });

  const anyPort = fc.constantFrom(http, metrics, dns, { ...http, port: 8080 }, { ...dns, appProtocol: 'x' });
  const anyExport = fc.record({
    cluster: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    since: fc.nat(3),
    type: fc.constantFrom('ClusterSetIP' as const, 'Headless' as const),
    ports: fc.uniqueArray(anyPort, { maxLength: 4, selector: ({ name }) => name }),
    ipFamilies: fc.constantFrom(['IPv4' as const], ['IPv6' as const], ['IPv4' as const, 'IPv6' as const]),
    sessionAffinity: fc.constantFrom('None' as const, 'ClientIP' as const),
    internalTrafficPolicy: fc.constantFrom('Cluster' as const, 'Local' as const),
    labels: fc.constantFrom({}, { x: '1' }),
  });
  const anyExports = fc
    .array(anyExport, { maxLength: 7 })
    .map((list) => list.map(({ cluster, since, ...fields }) => exportOf(cluster, since, fields)));
  const anyPolicy = fc.constantFrom('intersection' as const, 'union' as const);

  it('gives one result for all orders, also with a cluster that is there twice', () => {
    fc.assert(
      fc.property(
        anyExports.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        anyPolicy,
        ([list, shuffled], policy) => {
          const one = merge(list, policy);
          const other = merge(shuffled, policy);
          expect(other.import).toEqual(one.import);
          expect(other.verdicts).toEqual(one.verdicts);
        },
      ),
    );
  });

  it('serves by intersection only what every included cluster has, and by union every name and number once', () => {
    fc.assert(
      fc.property(anyExports, (list) => {
        const unique = list.filter(({ cluster }, index) => list.findIndex((one) => one.cluster === cluster) === index);
        const common = merge(unique);
        const included = unique.filter(({ cluster }) => common.import?.clusters.includes(cluster));
        for (const { name, port } of common.import?.spec.ports ?? []) {
          expect(included.every(({ ports }) => ports.some((one) => one.name === name && one.port === port))).toBe(true);
        }
        const all = merge(unique, 'union').import?.spec.ports ?? [];
        expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
        expect(new Set(all.map(({ protocol, port }) => `${protocol}/${port}`)).size).toBe(all.length);
      }),
    );
  });

  it('has a verdict on every cluster, excludes only those of another type, and says where there is a conflict', () => {
    fc.assert(
      fc.property(anyExports, anyPolicy, (list, policy) => {
        const { import: merged, verdicts } = merge(list, policy);
        expect([...verdicts.keys()].toSorted()).toEqual([...new Set(list.map(({ cluster }) => cluster))].toSorted());
        const exported = [...verdicts].filter(([, { isExported }]) => isExported).map(([cluster]) => cluster);
        expect(exported.toSorted()).toEqual(merged?.clusters ?? []);
        const isConflict = [...verdicts.values()].some(({ conditions }) => conditions[0]?.status === 'True');
        expect(isConflict || exported.length === verdicts.size).toBe(true);
        expect(isConflict && verdicts.size === 1).toBe(false);
      }),
    );
  });
});
