import type { EndpointSlice } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { type GlobalIngressIp, globalAddressOf, withGlobalAddress, withGlobalPods } from './global-addresses.ts';

const ofService = (status?: GlobalIngressIp['status']): GlobalIngressIp => ({
  metadata: { namespace: 'shop', name: 'web' },
  spec: { target: 'ClusterIPService', serviceRef: { name: 'web' } },
  ...(status !== undefined && { status }),
});
const ofPod = (name: string, allocatedIP: string): GlobalIngressIp => ({
  metadata: { namespace: 'shop', name: `pod-${name}` },
  spec: { target: 'HeadlessServicePod', podRef: { name } },
  status: { allocatedIP },
});

describe('Globalnet', () => {
  it('gives a Service the address that was allocated to it', () => {
    expect(globalAddressOf('web', [ofService({ allocatedIP: '242.1.0.1' })])).toEqual({
      kind: 'allocated',
      address: '242.1.0.1',
    });
  });

  it('says why there is none', () => {
    const unavailable = { kind: 'missing', reason: 'ServiceGlobalIPUnavailable' };
    expect(globalAddressOf('web', [])).toMatchObject(unavailable);
    expect(globalAddressOf('other', [ofService({ allocatedIP: '242.1.0.1' })])).toMatchObject(unavailable);
    expect(globalAddressOf('web', [ofService()])).toMatchObject(unavailable);
    const condition = {
      type: 'Allocated',
      status: 'False',
      reason: 'PoolExhausted',
      message: 'No address is left.',
    } as const;
    expect(globalAddressOf('web', [ofService({ conditions: [condition] })])).toEqual({
      kind: 'missing',
      reason: 'PoolExhausted',
      message: 'No address is left.',
    });
  });

  it('stands in the place of the address of the Service, of IPv4', () => {
    const slice = (addressType: 'IPv4' | 'IPv6', address: string) => ({
      suffix: addressType,
      addressType,
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports: [],
    });
    const slices = withGlobalAddress([slice('IPv4', '10.96.0.1'), slice('IPv6', '2001:db8::1')], '242.1.0.1');
    expect(slices).toEqual([slice('IPv4', '242.1.0.1')]);
    expect(withGlobalAddress([{ ...slice('IPv4', '10.96.0.1'), endpoints: [] }], '242.1.0.1')[0]?.endpoints).toEqual(
      [],
    );
  });

  it('stands in the place of the addresses of pods, and leaves out those that have none yet', () => {
    const pod = (name: string, address: string) => ({ addresses: [address], targetRef: { kind: 'Pod', name } });
    const slice: EndpointSlice = {
      metadata: { namespace: 'shop', name: 'db-1' },
      addressType: 'IPv4',
      endpoints: [pod('db-0', '10.1.0.1'), pod('db-1', '10.1.0.2')],
      ports: [],
    };
    const [found] = withGlobalPods([slice], [ofPod('db-1', '242.1.0.9')]);
    expect(found?.endpoints).toEqual([pod('db-1', '242.1.0.9')]);
  });
});
