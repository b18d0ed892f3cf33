import type { EndpointSlice, Node, Pod, Service, ServiceSpec } from '@fairlead/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClaimRules, claimService } from './claim/class-claim.ts';
import { demandsOf } from './demands/service-demands.ts';
import { gatherEndpoints } from './endpoints/endpoints.ts';
import { readService } from './read-service.ts';
import { endpointSliceProjection, nodeProjection, podProjection, serviceProjection } from './projections.ts';
import { holdWrites, releaseWrites, statusWrites } from './service-writes.ts';
import { programmed } from './status/service-status.ts';

const rules: ClaimRules = {
  loadBalancerClass: 'fairlead.dev/gateway',
  finalizer: 'fairlead.dev/gateway',
  isDefault: false,
  otherTypesByLabel: { exposed: 'yes' },
  annotationPrefixes: ['gateway.fairlead.dev/', 'service.beta.kubernetes.io/azure-'],
};
const project = serviceProjection({ rules });
const projectWithNodePorts = serviceProjection({ rules, nodePorts: true });
const clock = { now: () => 0 };

/** About how much memory an object takes, whatever the machine. */
const sizeOf = (value: unknown) => JSON.stringify(value).length;

/** All that can be read of a Service and written to it, or how reading it fails. */
function outcomeOf(service: Service): unknown {
  const { service: _, ...claim } = claimService(service, rules);
  const decided = claimService(service, rules);
  if (decided.state === 'foreign') return claim;
  if (decided.state === 'release') return { claim, writes: releaseWrites(decided, ['gateway.fairlead.dev/l2-ports']) };
  const desired = { ingress: [], programmed: programmed([]) };
  const writes = [
    ...holdWrites(decided, { 'gateway.fairlead.dev/l2-ports': 'a' }),
    ...statusWrites(decided, desired, clock),
  ];
  try {
    return { claim, writes, demands: demandsOf(service) };
  } catch (error) {
    return { claim, writes, error };
  }
}

const finalizer = fc.constantFrom(
  'fairlead.dev/gateway',
  'fairlead.dev/octavia',
  'service.kubernetes.io/load-balancer-cleanup',
  'example.com/backup',
);
const annotation = fc.constantFrom(
  'gateway.fairlead.dev/l2-ports',
  'fairlead.dev/load-balancer-addresses',
  'service.beta.kubernetes.io/load-balancer-source-ranges',
  'service.beta.kubernetes.io/azure-load-balancer-internal',
  'meta.helm.sh/release-name',
);
const spec: fc.Arbitrary<ServiceSpec> = fc.record(
  {
    type: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'),
    loadBalancerClass: fc.constantFrom('fairlead.dev/gateway', 'fairlead.dev/octavia'),
    selector: fc.constant({ app: 'web' }),
    ports: fc.constantFrom([], [{ name: 'http', port: 80, targetPort: 'web', nodePort: 30_080, appProtocol: 'h2c' }]),
    clusterIP: fc.constant('fd00::1'),
    clusterIPs: fc.constantFrom(['fd00::1'], ['10.0.0.1', 'fd00::1']),
    ipFamilies: fc.constantFrom([], ['IPv4'], ['IPv6', 'IPv4']),
    ipFamilyPolicy: fc.constantFrom('SingleStack', 'PreferDualStack'),
    externalIPs: fc.constant(['192.0.2.1']),
    externalTrafficPolicy: fc.constantFrom('Cluster', 'Local'),
    internalTrafficPolicy: fc.constantFrom('Cluster', 'Local'),
    healthCheckNodePort: fc.constant(31_000),
    sessionAffinity: fc.constantFrom('None', 'ClientIP'),
    sessionAffinityConfig: fc.constant({ clientIP: { timeoutSeconds: 60 } }),
    loadBalancerIP: fc.constantFrom('', '192.0.2.7', 'nonsense'),
    loadBalancerSourceRanges: fc.constantFrom([], ['192.0.2.0/24']),
  },
  { requiredKeys: [] },
);
const service: fc.Arbitrary<Service> = fc.record({
  metadata: fc.record(
    {
      name: fc.constant('web'),
      namespace: fc.constant('shop'),
      uid: fc.constant('u'),
      resourceVersion: fc.constant('7'),
      generation: fc.constant(3),
      creationTimestamp: fc.constant('2026-01-01T00:00:00Z'),
      deletionTimestamp: fc.constant('2026-01-02T00:00:00Z'),
      labels: fc.constantFrom({}, { exposed: 'yes', app: 'web' }),
      annotations: fc.dictionary(annotation, fc.constantFrom('', 'true', '192.0.2.7', '192.0.2.0/24')),
      finalizers: fc.array(finalizer),
    },
    { requiredKeys: ['name', 'namespace', 'uid', 'resourceVersion'] },
  ),
  spec,
  status: fc.constantFrom(
    {},
    { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } },
    {
      conditions: [
        { type: 'example.com/Checked', status: 'True' as const, reason: 'A', message: 'b', lastTransitionTime: '' },
      ],
    },
  ),
});

describe('the projection of Services', () => {
  it('changes nothing of what is read from a Service and written to it', () => {
    fc.assert(
      fc.property(service, (whole) => {
        expect(outcomeOf(projectWithNodePorts(whole))).toEqual(outcomeOf(whole));
        const ports = (whole.spec.ports ?? []).map((port) => {
          const { nodePort: _, ...rest } = port;
          return rest;
        });
        expect(outcomeOf(project(whole))).toEqual(outcomeOf({ ...whole, spec: { ...whole.spec, ports } }));
        expect(project(project(whole))).toEqual(project(whole));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([rules.loadBalancerClass, 'example.com/other'])(
    'keeps which one it is, and its age: %s',
    (loadBalancerClass) => {
      const metadata = {
        name: 'web',
        namespace: 'shop',
        uid: 'web-uid',
        resourceVersion: '7',
        creationTimestamp: '2026-01-01T00:00:00Z',
        deletionTimestamp: '2026-01-02T00:00:00Z',
      };
      const kept = project({ metadata, spec: { type: 'LoadBalancer', loadBalancerClass } });
      expect(kept.metadata).toEqual(metadata);
    },
  );

  it('keeps the annotations of the part and those it must refuse, and no others', () => {
    const annotations = {
      'gateway.fairlead.dev/sharing': 'exclusive',
      'service.beta.kubernetes.io/azure-anything': 'x',
      'service.beta.kubernetes.io/load-balancer-source-ranges': '192.0.2.0/24',
      'fairlead.dev/load-balancer-addresses': '192.0.2.1',
    };
    const { metadata } = project({
      metadata: { name: 'web', annotations: { ...annotations, 'fairlead.dev/load-balancer-addresses-2': 'x', a: 'b' } },
      spec: { type: 'LoadBalancer', loadBalancerClass: rules.loadBalancerClass },
    });
    expect(metadata.annotations).toEqual(annotations);
  });

  it.each([
    ['ExternalName Services', { type: 'ExternalName', externalName: 'x'.repeat(250) }, 400],
    ['Services of another class', { type: 'LoadBalancer', loadBalancerClass: 'example.com/other' }, 400],
    ['Services of its own class', { type: 'LoadBalancer', loadBalancerClass: rules.loadBalancerClass }, 600],
  ] as const)('keeps a few hundred bytes of %s with 256 KB of annotations and labels', (_, spec, most) => {
    const kept = Array.from({ length: 400 }, (_item, index) =>
      project({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {
          name: `hostile-${index}`,
          namespace: 'tenant',
          uid: '00000000-0000-4000-8000-000000000000',
          resourceVersion: String(index),
          creationTimestamp: '2026-01-01T00:00:00Z',
          annotations: { note: 'x'.repeat(256 * 1024) },
          labels: Object.fromEntries(Array.from({ length: 1000 }, (_label, number) => [`l${number}`, 'x'.repeat(63)])),
        },
        spec: { ...spec, ports: [{ port: 80, protocol: 'TCP' }] },
      }),
    );
    expect(sizeOf(kept) / kept.length).toBeLessThan(most);
  });

  it('keeps nothing of what another tenant may add to a Service that is not ours', () => {
    const kept = project({
      metadata: { name: 'web', finalizers: Array.from({ length: 10_000 }, (_, index) => `example.com/f${index}`) },
      spec: { type: 'ClusterIP', ports: Array.from({ length: 10_000 }, (_, port) => ({ port })) },
      status: { conditions: [] },
    });
    expect(sizeOf(kept)).toBeLessThan(100);
  });

  it('keeps of huge annotations so much that they are refused, and no more', () => {
    const huge = (annotations: Readonly<Record<string, string>>): Service => ({
      metadata: { name: 'web', annotations },
      spec: { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/gateway' },
    });
    const one = huge({ 'gateway.fairlead.dev/l4-ports': 'x'.repeat(200_000) });
    const names = Array.from({ length: 5_000 }, (_, index) => `gateway.fairlead.dev/${index}`);
    const many = huge(Object.fromEntries(names.map((name) => [name, 'some'])));
    for (const service of [one, many]) {
      expect(sizeOf(project(service))).toBeLessThan(60_000);
      for (const seen of [service, project(service)]) {
        const reading = readService(seen, rules, () => 'an address');
        expect(reading).toMatchObject({ kind: 'refuse', refusal: { code: 'annotations-too-long' } });
      }
    }
    const others = huge({ 'example.com/notes': 'x'.repeat(200_000) });
    expect(readService(others, rules, () => 'an address').kind).toBe('serve');
  });

  it('is the same function for the same options, so that caches are shared', () => {
    expect(serviceProjection({ rules: { ...rules } })).toBe(project);
    expect(serviceProjection({ rules: { ...rules, isDefault: true } })).not.toBe(project);
  });
});

describe('the projections of what stands behind Services', () => {
  const slice: EndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'web-1',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: '7',
      labels: { 'kubernetes.io/service-name': 'web', app: 'web' },
      annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': 'now' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'u' }],
    },
    addressType: 'IPv4',
    endpoints: [
      {
        addresses: ['10.0.0.1', '10.0.0.2'],
        conditions: { ready: false, serving: true, terminating: true },
        nodeName: 'node-1',
        zone: 'a',
        hostname: 'h',
        targetRef: { kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'p' },
      },
      { addresses: ['10.0.0.3'] },
    ],
    ports: [{ name: 'http', port: 8080 }],
  };

  it('keep what decides where traffic goes', () => {
    const traffic = (from: EndpointSlice) =>
      gatherEndpoints([from]).ports.map(({ endpoints, ...port }) => ({
        ...port,
        endpoints: endpoints.map(({ address, ready, serving, terminating, nodeName }) => {
          return { address, ready, serving, terminating, nodeName };
        }),
      }));
    const kept = endpointSliceProjection(slice);
    expect(traffic(kept)).toEqual(traffic(slice));
    expect(kept.metadata).toEqual({
      name: 'web-1',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: '7',
      labels: { 'kubernetes.io/service-name': 'web' },
    });
    expect(sizeOf(kept)).toBeLessThan(0.6 * sizeOf(slice));
    expect(endpointSliceProjection({ ...slice, endpoints: null, ports: null })).toMatchObject({ endpoints: null });
  });

  it('keep where a pod runs, and the labels that are named', () => {
    const pod: Pod = {
      metadata: {
        name: 'web',
        namespace: 'shop',
        uid: 'u',
        resourceVersion: '7',
        deletionTimestamp: 'now',
        deletionGracePeriodSeconds: 30,
        finalizers: ['example.com/backup'],
        labels: { egress: 'a', app: 'web' },
        annotations: { note: 'x'.repeat(100_000) },
      },
      spec: { nodeName: 'node-1', containers: [{ name: 'web', ports: [{ containerPort: 80 }] }] },
      status: { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }], hostIP: '192.0.2.1' },
    };
    const { annotations: _, ...metadata } = pod.metadata;
    expect(podProjection('egress')(pod)).toEqual({
      metadata: { ...metadata, labels: { egress: 'a' } },
      spec: { nodeName: 'node-1', containers: [] },
      status: { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] },
    });
  });

  it('keep what a load balancer needs of a node, and not what it reports all the time', () => {
    const metadata = { name: 'node-1', uid: 'u', resourceVersion: '7', labels: { zone: 'a' } };
    const address = { type: 'InternalIP', address: '192.0.2.1' } as const;
    const ready = { type: 'Ready', status: 'True' } as const;
    const taints = [{ key: 'gone', effect: 'NoExecute' }] as const;
    const node: Node = {
      metadata: { ...metadata, annotations: { note: 'x' } },
      spec: { taints, providerID: 'x' },
      status: { addresses: [address], conditions: [ready, { type: 'MemoryPressure', status: 'False' }] },
    };
    const kept = { metadata, spec: { taints }, status: { addresses: [address], conditions: [ready] } };
    expect(nodeProjection(node)).toEqual(kept);
    const { spec, status } = nodeProjection({ metadata });
    expect([spec, status]).toEqual([{ taints: [] }, { addresses: [], conditions: [] }]);
  });
});
