import { parseIpRange, requireIpAddress } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import type { ConfigurationRequest, VirtualServer } from '../../protocol/configuration.ts';
import { type Admission, routingLoopIn, refusedBy, rejectedRequest } from './admission.ts';

const ranges = (...texts: readonly string[]) => texts.flatMap((text) => parseIpRange(text) ?? []);
const admission: Admission = {
  allowedAddresses: ranges('192.0.2.0/28'),
  canPreserveClientAddress: false,
  gatewayAddresses: ranges('198.51.100.1/32'),
};

function virtualServer(changed: Partial<VirtualServer> = {}): VirtualServer {
  return {
    address: requireIpAddress('192.0.2.1'),
    protocol: 'TCP',
    port: 80,
    service: 'default/web',
    backends: [{ address: requireIpAddress('10.0.0.1'), port: 80 }],
    preservesClientAddress: false,
    ...changed,
  };
}

function whole(...virtualServers: VirtualServer[]): ConfigurationRequest {
  return { kind: 'whole', generation: { epoch: 1, number: 1 }, virtualServers };
}

const backend = (address: string) => [{ address: requireIpAddress(address), port: 80 }];

describe('what a gateway may be told to serve', () => {
  it('is what its operator allows', () => {
    expect(refusedBy(admission, whole(virtualServer()))).toBeUndefined();
  });

  it('has no backend that the gateways serve themselves, as its own or as of another', () => {
    const own = virtualServer({ backends: backend('192.0.2.2') });
    const other = virtualServer({ address: requireIpAddress('192.0.2.2') });
    expect(routingLoopIn(whole(own, other), new Set())?.errors).toMatchObject([{ code: 'backend-not-allowed' }]);
    expect(routingLoopIn(whole(own), new Set([requireIpAddress('192.0.2.2')]))).toBeDefined();
    expect(routingLoopIn(whole(other), new Set())).toBeUndefined();
  });

  it('is no address outside its list, and the answer names the frontend', () => {
    const refused = refusedBy(
      admission,
      whole(virtualServer(), virtualServer({ address: requireIpAddress('192.0.2.16') })),
    );
    expect(refused).toMatchObject({
      code: 'not-allowed',
      errors: [{ frontend: { address: '192.0.2.16', protocol: 'TCP', port: 80 }, code: 'address-not-allowed' }],
    });
  });

  it.each([
    ['127.0.0.1'],
    ['0.0.0.0'],
    ['169.254.169.254'],
    ['224.0.0.1'],
    ['255.255.255.255'],
    ['::1'],
    ['fe80::1'],
    ['fd00:ec2::254'],
    ['168.63.129.16'],
    ['198.51.100.1'],
  ])('is never sent to %s', (address) => {
    const request = whole(virtualServer({ backends: backend(address) }));
    expect(refusedBy(admission, request)?.errors?.[0]?.code).toBe('backend-not-allowed');
  });

  it('is sent to no backend outside the list, where there is one', () => {
    const narrow = { ...admission, allowedBackends: ranges('10.0.0.0/24') };
    expect(refusedBy(narrow, whole(virtualServer()))).toBeUndefined();
    const request = whole(virtualServer({ backends: backend('10.0.1.1') }));
    expect(refusedBy(narrow, request)?.errors?.[0]?.code).toBe('backend-not-allowed');
  });

  it('preserves no client address where backends have no way back', () => {
    const request = whole(virtualServer({ preservesClientAddress: true }));
    expect(refusedBy(admission, request)?.errors?.[0]?.code).toBe('no-way-back');
    expect(refusedBy({ ...admission, canPreserveClientAddress: true }, request)).toBeUndefined();
  });
});

describe('a request that makes no sense', () => {
  it('names a frontend twice', () => {
    expect(rejectedRequest(whole(virtualServer(), virtualServer()))?.errors?.[0]?.code).toBe('named-twice');
    const { address, protocol, port } = virtualServer();
    const generation = { epoch: 1, number: 2 };
    const since = { epoch: 1, number: 1 };
    const delta: ConfigurationRequest = {
      kind: 'delta',
      generation,
      since,
      put: [virtualServer()],
      remove: [{ address, protocol, port }],
    };
    expect(rejectedRequest(delta)?.code).toBe('invalid');
  });

  it('mixes families', () => {
    const request = whole(virtualServer({ backends: backend('fd00::1') }));
    expect(rejectedRequest(request)?.errors?.[0]?.code).toBe('mixed-families');
    expect(rejectedRequest(whole(virtualServer()))).toBeUndefined();
  });
});
