import type { Service } from '@fairlead/kube';
import { expect, it } from 'vitest';
import { testSite } from '../testing/test-site.ts';
import { parseNodeSelector } from './annotations.ts';
import { serviceFields } from './service-fields.ts';

const port = (name: string, protocol: 'TCP' | 'UDP' | 'SCTP') => ({ name, protocol, port: 53, targetPort: 53 });

it.each([
  [
    'the same port for two protocols',
    'mixed-protocols',
    [port('a', 'TCP'), port('b', 'UDP')],
    'mixed-protocols-unsupported',
  ],
  ['SCTP', 'sctp', [port('a', 'SCTP')], 'protocol-unsupported'],
] as const)('refuses %s where the API of Octavia is older than that', (_, feature, ports, code) => {
  const service: Service = {
    metadata: { namespace: 'shop', name: 'dns', uid: 'uid-1' },
    spec: { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/octavia', ports: [...ports] },
  };
  expect(serviceFields(service, testSite).ports).toHaveLength(ports.length);
  const features = new Set([...testSite.features].filter((one) => one !== feature));
  expect(() => serviceFields(service, { ...testSite, features })).toThrowError(expect.objectContaining({ code }));
});

const PREFIX = 'loadbalancer.openstack.org';
const local = {
  externalTrafficPolicy: 'Local',
  healthCheckNodePort: 32_000,
  ports: [{ ...port('a', 'UDP'), nodePort: 30_053 }],
} as const;

it.each([
  ['timeouts', { [`${PREFIX}/timeout-client-data`]: '5' }, {}],
  ['flavors', { [`${PREFIX}/flavor-id`]: 'gold' }, {}],
  ['availability-zones', { [`${PREFIX}/availability-zone`]: 'north' }, {}],
  ['proxyv2', { [`${PREFIX}/proxy-protocol`]: 'v2' }, {}],
  ['allowed-cidrs', {}, { loadBalancerSourceRanges: ['10.0.0.0/8'] }],
  ['additional-vips', {}, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }],
  ['udp-http-monitors', { 'fairlead.dev/octavia-members': 'node-ports' }, local],
] as const)('refuses what takes %s where the API of Octavia is older than that', (feature, annotations, spec) => {
  const service: Service = {
    metadata: { namespace: 'shop', name: 'web', uid: 'uid-1', annotations },
    spec: { type: 'LoadBalancer', ports: [port('a', 'TCP')], ...spec },
  };
  expect(serviceFields(service, testSite).ports).toHaveLength(1);
  const features = new Set([...testSite.features].filter((one) => one !== feature));
  expect(() => serviceFields(service, { ...testSite, features })).toThrowError(
    expect.objectContaining({ verdict: 'terminal' }),
  );
});

it('reads a selector of nodes once, however often a tenant has written it', () => {
  expect(parseNodeSelector('role=web,'.repeat(20_000))).toEqual([['role', 'web']]);
});
