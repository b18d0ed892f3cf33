import { requireIpAddress } from '@fairlead/control';
import type { EndpointSlice, Service } from '@fairlead/kube';
import { gatherEndpoints, gatherHosts } from '@fairlead/service';
import { describe, expect, it } from 'vitest';
import { desiredFor, desiredStatus, gatewayRules, SERVICE_GATEWAY_CLASS, serve } from './desired.ts';
import { NodeDirectory } from './node-directory.ts';

// Edge cases are numbered as in docs/azure-service-gateway.md.

function service(spec: Partial<Service['spec']> = {}, annotations: Record<string, string> = {}): Service {
  return {
    metadata: { namespace: 'shop', name: 'web', uid: 'uid-1', annotations },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: SERVICE_GATEWAY_CLASS,
      ipFamilies: ['IPv4'],
      ports: [{ name: 'http', port: 80, targetPort: 8080 }],
      ...spec,
    },
  };
}

function slice(endpoints: EndpointSlice['endpoints'], addressType: 'IPv4' | 'IPv6' = 'IPv4'): EndpointSlice {
  const metadata = { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } };
  return { metadata, addressType, endpoints, ports: [{ name: 'http', protocol: 'TCP', port: 8080 }] };
}

const nodes = new NodeDirectory();
nodes.set({ metadata: { name: 'a' }, status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] } });

function served(of: Service, ...slices: readonly EndpointSlice[]) {
  const desired = desiredFor(of, gatewayRules(undefined));
  if (desired.kind !== 'serve') throw new Error(`expected to be served, but it is ${desired.kind}`);
  return serve(desired.wanted, gatherEndpoints(slices), gatherHosts(slices), nodes);
}

describe('what a Service needs outside', () => {
  it('edge case 9: is endpoints that are ready, or of unknown readiness, and no others', () => {
    const { located } = served(
      service(),
      slice([
        { addresses: ['10.1.0.1'], nodeName: 'a', conditions: { ready: true } },
        { addresses: ['10.1.0.2'], nodeName: 'a' },
        { addresses: ['10.1.0.3'], nodeName: 'a', conditions: { ready: false } },
      ]),
    );
    expect([...located.endpoints.keys()]).toEqual(['10.1.0.1', '10.1.0.2']);
  });

  it('is the last endpoints that still serve while all of them terminate', () => {
    const conditions = { ready: false, serving: true, terminating: true };
    const { located } = served(service(), slice([{ addresses: ['10.1.0.1'], nodeName: 'a', conditions }]));
    expect([...located.endpoints]).toEqual([['10.1.0.1', '10.0.0.1']]);
  });

  it('names the nodes it waits for, known or not', () => {
    const endpoint = { addresses: ['10.1.0.1'], nodeName: 'late' };
    const { located } = served(service(), slice([endpoint]));
    expect(located.endpoints.size).toBe(0);
    expect([...located.nodes]).toEqual(['late']);
  });

  it('is one family when two would be welcome, and none when both are required', () => {
    const both = { ipFamilies: ['IPv4', 'IPv6'] } as const;
    expect(served(service({ ...both, ipFamilyPolicy: 'PreferDualStack' })).spec.family).toBe('IPv4');
    const required = desiredFor(service({ ...both, ipFamilyPolicy: 'RequireDualStack' }), gatewayRules(undefined));
    expect(required).toMatchObject({ kind: 'refuse', refusal: { code: 'dual-stack-unsupported' } });
  });

  it('takes the idle timeout from its annotation', () => {
    const annotation = 'service.beta.kubernetes.io/azure-load-balancer-tcp-idle-timeout';
    expect(served(service()).spec.idleTimeoutMinutes).toBe(4);
    expect(served(service({}, { [annotation]: '15' })).spec.idleTimeoutMinutes).toBe(15);
  });

  it('takes the tags of its public address from its annotation, and has none without', () => {
    const annotation = 'service.beta.kubernetes.io/azure-pip-tags';
    expect(served(service()).spec.addressTags).toEqual({});
    const { request, spec } = served(service({}, { [annotation]: 'team=shop, costs = 42' }));
    expect(spec.addressTags).toEqual({ team: 'shop', costs: '42' });
    expect(request.ignoredAnnotations).toEqual([]);
  });

  it.each(['refuse', 'warn'] as const)('is refused for tags that it cannot have, with annotations: %s', (mode) => {
    const annotation = 'service.beta.kubernetes.io/azure-pip-tags';
    const desired = desiredFor(service({}, { [annotation]: 'Fairlead-Cluster=theirs' }), gatewayRules(undefined, mode));
    expect(desired).toMatchObject({ kind: 'refuse', refusal: { code: 'invalid-address-tags' } });
  });

  it.each([
    ['azure-additional-public-ips', '192.0.2.7'],
    ['azure-pip-name', 'mine'],
    ['azure-an-annotation-of-the-future', 'yes'],
    ['port_80_no_lb_rule', 'true'],
  ])('is refused for %s, as for every annotation of Azure that means nothing here', (name, value) => {
    const desired = desiredFor(service({}, { [`service.beta.kubernetes.io/${name}`]: value }), gatewayRules(undefined));
    expect(desired).toMatchObject({ kind: 'refuse', refusal: { code: 'annotation-unsupported' } });
  });

  it.each([
    ['azure-load-balancer-health-probe-request-path', 'refuse', 'serve'],
    ['port_80_health-probe_interval', 'refuse', 'serve'],
    ['azure-dns-label-name', 'refuse', 'refuse'],
    ['azure-dns-label-name', 'warn', 'serve'],
    ['azure-load-balancer-internal', 'warn', 'refuse'],
    ['azure-allowed-ip-ranges', 'warn', 'refuse'],
    ['azure-allowed-service-tags', 'warn', 'refuse'],
    ['azure-pip-name', 'warn', 'refuse'],
    ['azure-an-annotation-of-the-future', 'warn', 'refuse'],
  ] as const)('goes without %s where annotations: %s says so: %s', (name, mode, kind) => {
    const annotation = `service.beta.kubernetes.io/${name}`;
    const desired = desiredFor(service({}, { [annotation]: 'true' }), gatewayRules(undefined, mode));
    const ignored = desired.kind === 'serve' ? desired.wanted.ignoredAnnotations : [];
    expect([desired.kind, ignored]).toEqual([kind, kind === 'serve' ? [annotation] : []]);
  });

  it('is served with an annotation that asks for what is so anyway', () => {
    const annotation = 'service.beta.kubernetes.io/azure-disable-load-balancer-floating-ip';
    expect(desiredFor(service({}, { [annotation]: 'true' }), gatewayRules(undefined)).kind).toBe('serve');
  });

  it('is refused for a port that no frontend of Azure can have', () => {
    const desired = (port: number) => desiredFor(service({ ports: [{ port }] }), gatewayRules(undefined));
    expect(desired(65_534).kind).toBe('serve');
    expect(desired(65_535)).toMatchObject({ kind: 'refuse', refusal: { code: 'port-unsupported' } });
  });

  it('is not changed by an annotation that says no', () => {
    const annotation = 'service.beta.kubernetes.io/azure-load-balancer-internal';
    expect(desiredFor(service({}, { [annotation]: 'false' }), gatewayRules(undefined)).kind).toBe('serve');
  });

  it('tells of endpoints that were left out, by slice', () => {
    const { ignored } = served(service(), slice([{ addresses: ['nonsense'], nodeName: 'a' }]));
    expect(ignored).toContain('EndpointSlice web-1');
  });

  it('is nothing for a Service without a class, unless ours is the default', () => {
    const { loadBalancerClass: _, ...spec } = service().spec;
    const classless = { ...service(), spec };
    expect(desiredFor(classless, gatewayRules(undefined)).kind).toBe('foreign');
    expect(desiredFor(classless, gatewayRules(SERVICE_GATEWAY_CLASS)).kind).toBe('serve');
  });
});

describe('what a refused Service shows', () => {
  const address = requireIpAddress('203.0.113.1');
  const failure = { code: 'source-ranges-unsupported', message: 'not here' };
  const parked = { kind: 'Parked', spec: undefined, serving: true, failure } as const;

  it('is the address by which it was served before', () => {
    const shown = { ...service(), status: { loadBalancer: { ingress: [{ ip: address }] } } };
    expect(desiredStatus(shown, parked, address, failure)?.ingress).toMatchObject([{ address }]);
  });

  it('is none that it got meanwhile: traffic would enter that is to be kept out', () => {
    expect(desiredStatus(service(), parked, address, failure)?.ingress).toEqual([]);
    expect(desiredStatus(service(), { kind: 'Created', spec: served(service()).spec }, address)?.ingress).toHaveLength(
      1,
    );
  });
});
