import { requireIpAddress } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VirtualServer } from './configuration.ts';
import { ConfigurationDigest, digestOf } from './digest.ts';

const server = fc.record({
  address: fc.constantFrom('192.0.2.1', '192.0.2.2').map(requireIpAddress),
  protocol: fc.constantFrom('TCP' as const, 'UDP' as const),
  port: fc.integer({ min: 1, max: 5 }),
  service: fc.constantFrom('shop/web', 'shop/mail'),
  backends: fc.array(
    fc.record({ address: fc.constantFrom('10.0.0.1', '10.0.0.2').map(requireIpAddress), port: fc.constant(80) }),
    { maxLength: 2 },
  ),
  preservesClientAddress: fc.boolean(),
});

describe('the digest of a configuration', () => {
  it('is the same in every order, and after adding and removing', () => {
    fc.assert(
      fc.property(fc.array(server), server, (servers: readonly VirtualServer[], extra: VirtualServer) => {
        const digest = new ConfigurationDigest();
        for (const one of [...servers, extra].toReversed()) digest.add(one);
        digest.remove(extra);
        expect(digest.text).toBe(digestOf(servers));
      }),
    );
  });

  it('tells one virtual server from another', () => {
    const web: VirtualServer = {
      address: requireIpAddress('192.0.2.1'),
      protocol: 'TCP',
      port: 80,
      service: 'shop/web',
      backends: [],
      preservesClientAddress: false,
    };
    const digests = [[], [web], [{ ...web, sourceRanges: [] }], [{ ...web, affinitySeconds: 1 }]].map(digestOf);
    expect(new Set(digests).size).toBe(4);
    expect(digests[0]).toMatch(/^0{32}$/);
  });
});
