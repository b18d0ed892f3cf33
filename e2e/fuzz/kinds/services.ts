import type { Json, JsonObject } from '@fairlead/sim/kube/contract';
import type { Dice } from '../dice.ts';
import type { FuzzedKind } from './kind.ts';

export const services: FuzzedKind = {
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

export const endpointSlices: FuzzedKind = {
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
