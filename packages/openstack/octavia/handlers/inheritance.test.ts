import { describe, expect, it } from 'vitest';
import { desiredBalancer } from '../balancer/desired.ts';
import { testSite } from '../testing/test-site.ts';
import { heldToShown, inheritedAddresses, isInherited } from './inheritance.ts';

const KURYR = 'kuryr.openstack.org/service-finalizer';
const serviceSubnet = { id: 'services', cidr: '10.96.0.0/12', network_id: 'network-1' };
const site = { ...testSite, serviceSubnet, adoptedClusterName: 'kubernetes' };
const metadata = { namespace: 'shop', name: 'web', finalizers: [KURYR] };
const status = { loadBalancer: { ingress: [{ ip: '10.0.0.99' }] } };

describe('isInherited', () => {
  it('takes an address for the proof that a Service of type LoadBalancer was served before', () => {
    const spec = { type: 'LoadBalancer' } as const;
    expect(isInherited({ metadata, spec, status }, site)).toBe(true);
    expect(isInherited({ metadata, spec }, site)).toBe(false);
  });

  it('needs no address of a ClusterIP Service, whose load balancer has its ClusterIP in the subnet of these', () => {
    expect(isInherited({ metadata, spec: {} }, site)).toBe(true);
    expect(isInherited({ metadata, spec: {} }, { ...site, serviceSubnet: undefined })).toBe(false);
  });

  it('counts neither what names a class, nor what no predecessor holds, nor anything unless it is asked for', () => {
    const service = { metadata, spec: { type: 'LoadBalancer' }, status } as const;
    expect(isInherited(service, testSite)).toBe(false);
    expect(isInherited({ ...service, metadata: { namespace: 'shop', name: 'web' } }, site)).toBe(false);
    expect(isInherited({ ...service, spec: { ...service.spec, loadBalancerClass: 'any' } }, site)).toBe(false);
  });
});

it('reads an address that is shown as a host name, as with the PROXY protocol, and no other host name', () => {
  const spec = { type: 'LoadBalancer' } as const;
  const shown = (hostname: string) => ({ metadata, spec, status: { loadBalancer: { ingress: [{ hostname }] } } });
  expect(inheritedAddresses(shown('203.0.113.7.nip.io'))).toEqual(['203.0.113.7']);
  expect(inheritedAddresses(shown('web-203.0.113.7.example.com'))).toEqual([]);
});

it('takes what a Service shows for where its load balancer is, whatever its resource says', () => {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'uid-1' }];
  const forged = { type: 'LoadBalancer', adopts: true, adopted_addresses: ['10.0.0.66'] };
  const spec = { ports: [], endpointSlices: [], ...forged };
  const desired = desiredBalancer({ metadata: { ...metadata, ownerReferences }, spec }, site);
  const service = { metadata: { ...metadata, uid: 'uid-1' }, spec: { clusterIP: '10.96.0.7' } };
  const held = desired && heldToShown(desired, service, site);
  expect(held).toEqual({ ...desired, adoptedAddresses: ['10.96.0.7'], adoptedSubnetId: 'services' });
});
