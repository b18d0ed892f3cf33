import type { Json, JsonObject } from '@fairlead/sim/kube/contract';
import { BERTHS } from './definition.ts';
import type { Dice } from './dice.ts';

/** A kind that requests are made for. */
export interface FuzzedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly subresources: readonly string[];
  /** The cluster's own controllers finish what such a request begins, at a time of their own: it is only tried out. */
  readonly onlyDryRun?: readonly ('create' | 'delete')[];
  /** What no selector of a list may lack: the cluster's controllers make objects of this kind, too. */
  readonly ownLabels?: readonly string[];
  readonly ownFields?: readonly string[];
  /** The object apart from its header and metadata. */
  example(dice: Dice): JsonObject;
}

const services: FuzzedKind = {
  apiVersion: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
  subresources: ['status'],
  example: (dice) => ({
    spec: {
      ...dice.fields(0.15, {
        type: dice.pick('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'),
        clusterIP: dice.pick('None', '', '10.96.0.9', 'fd00:10:96::9', '10.0.0.1', 'x'),
        clusterIPs: dice.pick(['None'], [], ['10.96.0.9'], ['10.96.0.9', 'fd00:10:96::9']),
        externalName: dice.pick('example.test', 'A_b', ''),
        externalIPs: dice.pick(['192.0.2.1'], ['::1'], ['0.0.0.0'], ['x']),
        externalTrafficPolicy: dice.pick('Local', 'Cluster', 'x'),
        internalTrafficPolicy: dice.pick('Local', 'Cluster'),
        sessionAffinity: dice.pick('None', 'ClientIP', 'x'),
        sessionAffinityConfig: dice.pick({}, { clientIP: { timeoutSeconds: 5 } }, { clientIP: { timeoutSeconds: 0 } }),
        ipFamilies: dice.pick(['IPv4'], ['IPv6'], ['IPv4', 'IPv6'], ['IPv4', 'IPv4'], ['x']),
        ipFamilyPolicy: dice.pick('SingleStack', 'PreferDualStack', 'RequireDualStack'),
        loadBalancerClass: dice.pick('fairlead.dev/gateway', 'a_b/c d', ''),
        loadBalancerIP: dice.pick('192.0.2.7', 'x'),
        loadBalancerSourceRanges: dice.pick(['10.0.0.0/8'], [' 10.0.0.0/8 '], ['10.0.0.1'], ['::/0']),
        allocateLoadBalancerNodePorts: dice.pick(true, false),
        healthCheckNodePort: dice.pick(30_050, 0, 7),
        publishNotReadyAddresses: dice.pick(true, false),
        trafficDistribution: dice.pick('PreferClose', 'x'),
        selector: dice.pick<Json>({ app: 'web' }, {}, { constructor: 'x' }),
      }),
      ports: dice.some(0.6, 80, 443, 8080).map((port) => ({
        port,
        ...dice.fields(0.3, {
          name: dice.pick('http', 'https', 'X', 'a'),
          protocol: dice.pick('TCP', 'UDP', 'SCTP', 'tcp'),
          targetPort: dice.pick<Json>(8080, 'http', 0, 'x_y', '8080'),
          nodePort: dice.pick(30_001, 30_002, 29_999, 0),
          appProtocol: dice.pick('http', 'kubernetes.io/h2c', 'a b'),
        }),
      })),
    },
    ...dice.fields(0.1, { status: { loadBalancer: ingress(dice) } }),
  }),
};

function ingress(dice: Dice): JsonObject {
  return {
    ingress: [
      dice.fields(0.5, {
        ip: dice.pick('192.0.2.9', '2001:db8::1', 'x', '192.0.2.010'),
        hostname: dice.pick('lb.example.test', '192.0.2.1'),
        ipMode: dice.pick('VIP', 'Proxy', 'x'),
        ports: [{ port: 80, protocol: 'TCP' }],
      }),
    ],
  };
}

const endpointSlices: FuzzedKind = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
  subresources: [],
  ownLabels: ['!endpointslice.kubernetes.io/managed-by'],
  example: (dice) => ({
    addressType: dice.pick('IPv4', 'IPv6', 'FQDN', 'x', ''),
    endpoints: dice.some(0.5, '10.1.0.1', 'fd00::1', 'host.test').map((address) => ({
      addresses: [address],
      ...dice.fields(0.2, {
        conditions: dice.pick({}, { ready: true }, { ready: false, serving: true, terminating: true }, { ready: null }),
        hostname: dice.pick('a', 'A.b'),
        nodeName: dice.pick('node', 'Node_'),
        zone: dice.pick('z', ''),
        targetRef: dice.pick({}, { kind: 'Pod', name: 'p', namespace: 'n' }),
        hints: dice.pick({}, { forZones: [{ name: 'z' }] }),
        deprecatedTopology: { a: 'b' },
      }),
    })),
    ...dice.fields(0.5, {
      ports: dice.some(0.6, 80, 443).map((port) => ({
        port,
        ...dice.fields(0.4, { name: dice.pick('a', 'b', '', 'X'), protocol: 'UDP', appProtocol: 'http' }),
      })),
    }),
  }),
};

const pods: FuzzedKind = {
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  subresources: ['status'],
  example: (dice) => ({
    spec: {
      containers: dice.some(0.9, 'main', 'side').map((name) => ({
        name,
        image: dice.pick('image', 'image:latest', 'image:1', ''),
        ...dice.fields(0.15, {
          ports: [{ containerPort: dice.pick(80, 0, 70_000), name: 'http' }],
          imagePullPolicy: dice.pick('Always', 'Never', 'x'),
          resources: { requests: { cpu: dice.pick<Json>('100m', 0.1, '0.1', 'x') } },
        }),
      })),
      ...dice.fields(0.15, {
        nodeName: dice.pick('node', 'Node_'),
        hostNetwork: true,
        restartPolicy: dice.pick('Never', 'x'),
        terminationGracePeriodSeconds: dice.pick(0, 5, -1),
        readinessGates: [{ conditionType: dice.pick('a.test/b', 'x y') }],
        hostname: dice.pick('h', 'H_'),
      }),
    },
    ...dice.fields(0.2, {
      status: dice.fields(0.5, {
        phase: dice.pick('Running', 'Failed'),
        podIP: '10.1.0.1',
        podIPs: [{ ip: '10.1.0.1' }],
        hostIP: '10.2.0.1',
        conditions: [{ type: 'Ready', status: dice.pick('True', 'False') }],
      }),
    }),
  }),
};

const nodes: FuzzedKind = {
  apiVersion: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  subresources: ['status'],
  example: (dice) => ({
    ...dice.fields(0.7, {
      spec: dice.fields(0.3, {
        podCIDR: dice.pick('10.3.0.0/24', 'x'),
        podCIDRs: dice.pick(['10.3.0.0/24'], ['10.3.0.0/24', '10.4.0.0/24']),
        providerID: dice.pick('a://b', 'c'),
        unschedulable: dice.pick(true, false),
        taints: [{ key: dice.pick('a', 'a b'), effect: dice.pick('NoSchedule', 'x'), value: 'v' }],
      }),
      status: dice.fields(0.3, {
        addresses: [{ type: dice.pick('InternalIP', 'x'), address: '10.2.0.1' }],
        capacity: { cpu: dice.pick<Json>('1', 2, '1500m', 'x'), memory: dice.pick('1Gi', '1024Mi') },
        conditions: [{ type: 'Ready', status: 'True' }],
      }),
    }),
  }),
};

const namespaces: FuzzedKind = {
  apiVersion: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  subresources: ['status', 'finalize'],
  onlyDryRun: ['delete'],
  example: (dice) =>
    dice.fields(0.3, {
      spec: dice.pick({}, { finalizers: ['kubernetes'] }, { finalizers: ['a.test/b', 'kubernetes'] }),
      status: { phase: dice.pick('Active', 'x') },
    }),
};

const leases: FuzzedKind = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  subresources: [],
  example: (dice) =>
    dice.fields(0.8, {
      spec: dice.fields(0.4, {
        holderIdentity: dice.pick('me', '', 'you'),
        leaseDurationSeconds: dice.pick(15, 0, -1),
        acquireTime: dice.pick(
          '2026-01-01T00:00:00.000000Z',
          '2026-01-01T00:00:00Z',
          '2026-01-01T01:00:00.5+01:00',
          'x',
        ),
        renewTime: dice.pick('2026-01-01T00:00:00.123456Z', null),
        leaseTransitions: dice.pick(0, 3, -1),
        preferredHolder: dice.pick('x', ''),
        strategy: dice.pick('OldestEmulationVersion', 'x y'),
      }),
    }),
};

const events: FuzzedKind = {
  apiVersion: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  subresources: [],
  example: (dice) => ({
    involvedObject: {
      kind: 'Service',
      name: 'a',
      ...dice.fields(0.9, { namespace: dice.pick('<ns>', '<ns>', 'default') }),
    },
    ...dice.fields(0.5, {
      reason: dice.pick('Served', ''),
      message: dice.pick('text', 'x\ny'),
      type: dice.pick('Normal', 'Warning', 'x'),
      count: dice.pick<Json>(1, 0, -1),
      source: { component: 'fuzz' },
      firstTimestamp: dice.pick('2026-01-01T00:00:00Z', null),
      lastTimestamp: '2026-01-01T00:00:01Z',
    }),
    ...dice.fields(0.1, {
      eventTime: '2026-01-01T00:00:00.000000Z',
      action: 'Act',
      reportingComponent: dice.pick('fuzz.test/me', 'x y'),
      reportingInstance: 'me-1',
      series: { count: dice.pick<Json>(1, 2), lastObservedTime: '2026-01-01T00:00:00.000000Z' },
    }),
  }),
};

const groupEvents: FuzzedKind = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  subresources: [],
  example: (dice) => ({
    ...dice.fields(0.85, {
      eventTime: dice.pick('2026-01-01T00:00:00.000000Z', null),
      action: 'Act',
      reason: 'Served',
      type: dice.pick('Normal', 'Warning', 'x'),
      reportingController: dice.pick('fuzz.test/me', 'x y'),
      reportingInstance: 'me-1',
    }),
    ...dice.fields(0.2, {
      note: 'text',
      regarding: { kind: 'Service', name: 'a', namespace: dice.pick('<ns>', 'default') },
      series: { count: dice.pick<Json>(1, 2), lastObservedTime: '2026-01-01T00:00:00.000000Z' },
      deprecatedCount: 3,
      deprecatedSource: { component: 'x' },
    }),
  }),
};

const configMaps: FuzzedKind = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  subresources: [],
  ownFields: ['metadata.name!=kube-root-ca.crt'],
  example: (dice) =>
    dice.fields(0.5, {
      data: dice.fields(0.5, { a: '1', b: '', 'c.d': 'x', constructor: 'y', __proto: 'z', 'a b': 'c' }),
      binaryData: dice.pick({}, { bin: 'AAEC' }, { bin: 'x' }, { a: 'AAEC' }),
      immutable: dice.pick(true, false, null),
    }),
};

const berths = (version: string): FuzzedKind => ({
  apiVersion: `${BERTHS.group}/${version}`,
  kind: BERTHS.kind,
  plural: BERTHS.plural,
  namespaced: true,
  subresources: ['status', 'scale'],
  example: (dice) => ({
    ...dice.fields(0.9, {
      spec: dice.fields(0.4, {
        size: dice.pick<Json>(1, 5, 11, 2.5, 'x'),
        color: dice.pick('red', 'blue', 'green', ''),
        name: dice.pick('abc', 'a', 'ABC'),
        ratio: dice.pick(0.5, 1, 0.3, 0),
        port: dice.pick<Json>(80, 'http', 1.5, true),
        tags: dice.pick(['a'], ['a', 'b'], ['a', 'a'], []),
        rules: dice.pick([{ id: 'a' }], [{ id: 'a', weight: 1 }, { id: 'b' }], [{ id: 'a' }, { id: 'a' }], [{}]),
        labels: dice.pick<Json>({ a: 'b' }, { a: 1 }, { constructor: 'x' }),
        free: dice.pick({}, { any: { thing: [1, null] } }),
        maybe: dice.pick(null, 'x'),
        nested: dice.pick({}, { deep: false }, { deep: null }, null),
        replicas: dice.pick(0, 1, 3, -1),
        old: dice.pick<Json>('gone', 1),
      }),
    }),
    ...dice.fields(0.2, { status: dice.fields(0.6, { state: 'ok', count: dice.pick<Json>(1, 'x'), replicas: 2 }) }),
  }),
});

const definitions: FuzzedKind = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  subresources: ['status'],
  onlyDryRun: ['create', 'delete'],
  example: (dice) => ({
    spec: {
      group: dice.pick('<ns>.test', 'x', ''),
      scope: dice.pick('Namespaced', 'Cluster', 'x'),
      names: {
        plural: dice.pick('as', 'As'),
        kind: dice.pick('A', 'a', ''),
        ...dice.fields(0.3, { singular: 'a', listKind: dice.pick('AList', 'A'), shortNames: dice.pick(['x'], ['X']) }),
      },
      versions: dice.some(0.7, 'v1', 'v2').map((name) => ({
        name,
        served: true,
        storage: dice.chance(0.6),
        ...dice.fields(0.85, {
          schema: {
            openAPIV3Schema: {
              type: dice.pick('object', 'string'),
              properties: { spec: { type: dice.pick('object', 'integer', 'x') } },
            },
          },
        }),
        ...dice.fields(0.2, {
          subresources: dice.pick(
            { status: {} },
            { scale: { specReplicasPath: '.spec.x', statusReplicasPath: '.status.x' } },
          ),
        }),
      })),
      ...dice.fields(0.2, {
        conversion: dice.pick(
          { strategy: 'None' },
          { strategy: 'Webhook' },
          { strategy: 'x' },
          { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } },
          {
            strategy: 'Webhook',
            webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1/convert' } },
          },
        ),
        preserveUnknownFields: dice.pick(true, false),
      }),
    },
  }),
};

export const KINDS: readonly FuzzedKind[] = [
  services,
  services,
  endpointSlices,
  pods,
  nodes,
  namespaces,
  leases,
  events,
  groupEvents,
  configMaps,
  configMaps,
  berths('v1'),
  berths('v2'),
  definitions,
];
