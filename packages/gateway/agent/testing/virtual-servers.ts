import { type IpAddress, requireIpAddress } from '@fairlead/control';
import fc from 'fast-check';
import type { VirtualServer } from '../../protocol/configuration.ts';
import { byFrontend } from '../../protocol/delta.ts';

const SOURCE_RANGES = ['192.0.2.0/24', '192.0.0.0/16', '0.0.0.0/0', '2001:db8::/32', '2001:db8:1::/48'];

function addressOf(isIpv6: boolean, prefix: string, last: number): IpAddress {
  return requireIpAddress(isIpv6 ? `2001:db8:${prefix.length}::${last}` : `${prefix}.${last}`);
}

const virtualServer = fc
  .record({
    isIpv6: fc.boolean(),
    last: fc.integer({ min: 1, max: 3 }),
    protocol: fc.constantFrom('TCP' as const, 'UDP' as const, 'SCTP' as const),
    port: fc.integer({ min: 80, max: 82 }),
    service: fc.constantFrom('default/web', 'default/shop'),
    backends: fc.uniqueArray(fc.integer({ min: 1, max: 14 })),
    affinitySeconds: fc.constantFrom(undefined, 30, 10_800),
    sourceRanges: fc.option(fc.subarray(SOURCE_RANGES), { nil: undefined }),
    preservesClientAddress: fc.boolean(),
  })
  .map(
    ({ isIpv6, last, backends, affinitySeconds, sourceRanges, ...rest }): VirtualServer => ({
      ...rest,
      address: addressOf(isIpv6, '192.0.2', last),
      backends: backends.map((number) => ({ address: addressOf(isIpv6, '10.0.0', number), port: 8_080 })),
      ...(affinitySeconds === undefined ? {} : { affinitySeconds }),
      ...(sourceRanges === undefined ? {} : { sourceRanges }),
    }),
  );

/** Virtual servers of all kinds, no two with the same frontend. */
export const someVirtualServers: fc.Arbitrary<readonly VirtualServer[]> = fc
  .array(virtualServer, { maxLength: 8 })
  .map((all) => [...byFrontend(all).values()]);
