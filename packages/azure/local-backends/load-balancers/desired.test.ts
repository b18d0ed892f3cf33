import type { Service, ServiceSpec } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { openSite, site } from '../testing/wanted.ts';
import { adoptedPools, adoptedPoolsText, desiredFor, desiredOptions } from './desired.ts';

const azure = 'service.beta.kubernetes.io/azure-';

function service(spec: Partial<ServiceSpec> = {}, annotations: Readonly<Record<string, string>> = {}): Service {
  return {
    metadata: { namespace: 'shop', name: 'web', uid: 'u1', annotations },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: 'fairlead.dev/azure-local',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 30_123,
      ipFamilies: ['IPv4'],
      ports: [{ port: 80 }],
      ...spec,
    },
  };
}
const read = (made: Service, hasSecurityGroup = true) =>
  desiredFor(made, desiredOptions(hasSecurityGroup ? site : openSite, undefined));

describe('what a Service asks for', () => {
  it('is read with everything that Azure needs to know', () => {
    const spec: Partial<ServiceSpec> = {
      ipFamilies: ['IPv6', 'IPv4'],
      ipFamilyPolicy: 'RequireDualStack',
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'http', port: 80 },
        { name: 'quic', port: 53, protocol: 'TCP' },
      ],
      sessionAffinity: 'ClientIP',
      loadBalancerIP: '10.0.0.9',
      loadBalancerSourceRanges: ['192.0.2.7/24'],
    };
    const annotations = {
      [`${azure}load-balancer-internal`]: 'True',
      [`${azure}load-balancer-internal-subnet`]: 'edge',
      [`${azure}load-balancer-configurations`]: 'one, two',
      [`${azure}load-balancer-tcp-idle-timeout`]: '30',
      [`${azure}load-balancer-disable-tcp-reset`]: 'false',
      'azure-local.fairlead.dev/load-balancer': 'one',
      'azure-local.fairlead.dev/adopted-backend-pools': 'IPv4=shop-web,IPv6=shop-web-ipv6',
    };
    expect(read(service(spec, annotations))).toMatchObject({
      kind: 'serve',
      wanted: {
        key: 'shop/web',
        uid: 'u1',
        scope: 'internal',
        subnet: 'edge',
        allowed: ['one', 'two'],
        idleTimeoutMinutes: 30,
        families: ['IPv6', 'IPv4'],
        ports: [
          { protocol: 'TCP', port: 53 },
          { protocol: 'UDP', port: 53 },
          { protocol: 'TCP', port: 80 },
        ],
        healthCheckNodePort: 30_123,
        affinity: 'client-ip',
        sourceRanges: { kind: 'only', IPv4: ['192.0.2.0/24'], IPv6: [] },
        addresses: ['10.0.0.9'],
        recordedLoadBalancer: 'one',
        adoptedPools: { IPv4: 'shop-web', IPv6: 'shop-web-ipv6' },
      },
    });
  });

  it.each<[string, Partial<ServiceSpec>, Readonly<Record<string, string>>, string]>([
    ['a port that no frontend of Azure can have', { ports: [{ port: 65_535 }] }, {}, 'port-unsupported'],
    ['Cluster', { externalTrafficPolicy: 'Cluster' }, {}, 'cluster-traffic-unsupported'],
    ['no port for health checks', { healthCheckNodePort: 0 }, {}, 'health-check-port-missing'],
    ['no ports', { ports: [] }, {}, 'no-ports'],
    ['SCTP', { ports: [{ port: 1, protocol: 'SCTP' }] }, {}, 'protocol-unsupported'],
    ['a range that is none', { loadBalancerSourceRanges: ['all'] }, {}, 'invalid-source-range'],
    ['an odd word for internal', {}, { [`${azure}load-balancer-internal`]: 'yes' }, 'invalid-annotation'],
    ['half a minute', {}, { [`${azure}load-balancer-tcp-idle-timeout`]: '4.5' }, 'invalid-annotation'],
    [
      'a port without a rule',
      {},
      { 'service.beta.kubernetes.io/port_80_no_lb_rule': 'true' },
      'annotation-unsupported',
    ],
    ['a private link', {}, { [`${azure}pls-create`]: 'true' }, 'annotation-unsupported'],
    ['tags on its address', {}, { [`${azure}pip-tags`]: 'team=shop' }, 'annotation-unsupported'],
    ['no floating IP', {}, { [`${azure}disable-load-balancer-floating-ip`]: 'true' }, 'annotation-unsupported'],
    ['a probe too rare', {}, { [`${azure}load-balancer-health-probe-interval`]: '60' }, 'invalid-annotation'],
    ['a probe too often', {}, { [`${azure}load-balancer-health-probe-interval`]: '4' }, 'invalid-annotation'],
    ['one failed probe', {}, { [`${azure}load-balancer-health-probe-num-of-probe`]: '1' }, 'invalid-annotation'],
    ['a label that is none', {}, { [`${azure}dns-label-name`]: 'Web!' }, 'invalid-annotation'],
    ['an allowed range that is none', {}, { [`${azure}allowed-ip-ranges`]: 'all' }, 'invalid-source-range'],
    ['a service tag that is none', {}, { [`${azure}allowed-service-tags`]: '10.0.0.0/8' }, 'invalid-annotation'],
    ['a prefix that is none', {}, { [`${azure}pip-prefix-id`]: 'mine' }, 'invalid-annotation'],
    ['IPv6 on IPv4', {}, { [`${azure}load-balancer-ipv6`]: '2001:db8::1' }, 'invalid-annotation'],
    [
      'two lists of sources',
      { loadBalancerSourceRanges: ['192.0.2.0/24'] },
      { [`${azure}allowed-ip-ranges`]: '198.51.100.0/24' },
      'sources-asked-twice',
    ],
    [
      'an address by name and by number',
      { loadBalancerIP: '198.51.100.1' },
      { [`${azure}pip-name`]: 'mine' },
      'addresses-asked-twice',
    ],
    [
      'a public address inside',
      {},
      { [`${azure}pip-name`]: 'mine', [`${azure}load-balancer-internal`]: 'true' },
      'annotation-unsupported',
    ],
  ])('is refused when it is %s', (_, spec, annotations, code) => {
    expect(read(service(spec, annotations))).toMatchObject({ kind: 'refuse', refusal: { code } });
  });

  it('is refused all at once, so that its owner need not find out one by one', () => {
    const refused = read(service({ externalTrafficPolicy: 'Cluster', ports: [{ port: 1, protocol: 'SCTP' }] }));
    expect(refused).toMatchObject({
      kind: 'refuse',
      refusal: {
        message: expect.stringMatching(/SCTP.*; it asks for externalTrafficPolicy: Cluster/),
      },
    });
  });

  it('is read from the annotations of Azure’s own controller, too', () => {
    const annotations = {
      [`${azure}pip-name`]: 'mine',
      [`${azure}pip-name-ipv6`]: 'mine-v6',
      [`${azure}load-balancer-resource-group`]: 'shared',
      [`${azure}dns-label-name`]: 'web',
      [`${azure}allowed-ip-ranges`]: '192.0.2.7/24, 2001:db8::/32',
      [`${azure}allowed-service-tags`]: 'AzureFrontDoor.Backend,Storage',
      [`${azure}deny-all-except-load-balancer-source-ranges`]: 'true',
      [`${azure}load-balancer-health-probe-protocol`]: 'https',
      [`${azure}load-balancer-health-probe-request-path`]: '/ready',
      [`${azure}load-balancer-health-probe-interval`]: '10',
      [`${azure}load-balancer-health-probe-num-of-probe`]: '3',
    };
    expect(read(service({ ipFamilies: ['IPv4', 'IPv6'] }, annotations))).toMatchObject({
      kind: 'serve',
      wanted: {
        scope: 'public',
        ownAddresses: { IPv4: { name: 'mine' }, IPv6: { name: 'mine-v6' } },
        addressGroup: 'shared',
        dnsLabel: 'web',
        sourceRanges: { kind: 'only', IPv4: ['192.0.2.0/24'], IPv6: ['2001:db8::/32'] },
        serviceTags: ['AzureFrontDoor.Backend', 'Storage'],
        probe: { intervalInSeconds: 10, probeThreshold: 3 },
      },
    });
    const sixOnly = service({ ipFamilies: ['IPv6'] }, { [`${azure}pip-name`]: 'mine' });
    expect(read(sixOnly)).toMatchObject({ wanted: { ownAddresses: { IPv6: { name: 'mine' } } } });
    const byNumber = service({}, { [`${azure}load-balancer-ipv4`]: '198.51.100.1' });
    expect(read(byNumber)).toMatchObject({ wanted: { ownAddresses: { IPv4: { address: '198.51.100.1' } } } });
    const inside = { [`${azure}load-balancer-ipv4`]: '10.0.0.9', [`${azure}load-balancer-internal`]: 'true' };
    expect(read(service({}, inside))).toMatchObject({ wanted: { ownAddresses: {}, addresses: ['10.0.0.9'] } });
    const byTag = service({}, { [`${azure}allowed-service-tags`]: 'Storage' });
    expect(read(byTag)).toMatchObject({ wanted: { sourceRanges: { kind: 'only', IPv4: [], IPv6: [] } } });
    expect(read(byTag, false)).toMatchObject({ kind: 'refuse', refusal: { code: 'source-ranges-unsupported' } });
  });

  it('is refused where sources are to be kept out and nothing can do that', () => {
    const restricted = service({ loadBalancerSourceRanges: ['192.0.2.0/24'] });
    expect([read(restricted), read(restricted, false)]).toMatchObject([
      { kind: 'serve' },
      { kind: 'refuse', refusal: { code: 'source-ranges-unsupported' } },
    ]);
  });

  it('is told to be unreadable when reading it fails for a reason that is ours', () => {
    const odd = service();
    Object.defineProperty(odd.spec, 'ports', {
      get() {
        throw new TypeError('odd');
      },
    });
    expect(read(odd)).toMatchObject({ kind: 'unreadable', error: expect.any(TypeError) });
  });

  it('is nothing for a Service of another class, and an end for one that is being deleted', () => {
    expect(read(service({ loadBalancerClass: 'example.com/other' }))).toMatchObject({ kind: 'foreign' });
    const going = service();
    const metadata = {
      ...going.metadata,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['fairlead.dev/azure-local'],
    };
    expect(read({ ...going, metadata })).toMatchObject({ kind: 'release' });
  });
});

describe('what is recorded on a Service', () => {
  it.each([{}, { IPv4: 'a' }, { IPv4: 'a', IPv6: 'b' }])('is read as it was written: %j', (pools) => {
    const text = adoptedPoolsText(pools);
    const annotations = text === undefined ? {} : { 'azure-local.fairlead.dev/adopted-backend-pools': text };
    expect(adoptedPools(service({}, annotations))).toEqual(pools);
  });

  it('is nothing when a user spoiled it', () => {
    expect(adoptedPools(service({}, { 'azure-local.fairlead.dev/adopted-backend-pools': 'x,IPv5=y,IPv4=' }))).toEqual(
      {},
    );
  });
});
