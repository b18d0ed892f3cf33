import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndpointSubset } from '../kinds/endpoints.ts';
import { repack } from './subsets.ts';

const ip = fc.nat(5).map((last) => `192.0.2.${last}`);
const port = fc.constantFrom(80, 443).map((number) => ({ name: `p${number}`, port: number, protocol: 'TCP' }));
const subset: fc.Arbitrary<EndpointSubset> = fc.record({
  addresses: fc.array(
    ip.map((address) => ({ ip: address })),
    { maxLength: 3 },
  ),
  notReadyAddresses: fc.array(
    ip.map((address) => ({ ip: address })),
    { maxLength: 3 },
  ),
  ports: fc.uniqueArray(port, { minLength: 1, selector: ({ name }) => name }),
});

/** Every address, with its port and whether traffic should go there. */
function meaning(subsets: readonly EndpointSubset[]): Map<string, boolean> {
  const known = new Map<string, boolean>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    for (const each of ports) {
      for (const address of addresses)
        known.set(`${address.ip}:${each.port}`, known.get(`${address.ip}:${each.port}`) ?? true);
      for (const address of notReadyAddresses) known.set(`${address.ip}:${each.port}`, false);
    }
  }
  return known;
}

describe('subsets of endpoints', () => {
  it('say the same after they were put in order, and every address once for each set of ports', () => {
    fc.assert(
      fc.property(fc.array(subset, { maxLength: 4 }), (subsets) => {
        const packed = repack(subsets);
        expect([...meaning(packed).keys()].sort()).toEqual([...meaning(subsets).keys()].sort());
        const addresses = packed.flatMap(({ addresses = [], notReadyAddresses = [] }) => [
          ...addresses,
          ...notReadyAddresses,
        ]);
        expect(new Set(addresses.map((address) => address.ip)).size).toBe(addresses.length);
        expect(repack(packed)).toEqual(packed);
      }),
    );
  });

  it('put ready and unready addresses of the same ports together', () => {
    const ports = [{ port: 80, protocol: 'TCP' }];
    const packed = repack([
      { notReadyAddresses: [{ ip: '192.0.2.2' }], ports },
      { addresses: [{ ip: '192.0.2.1' }], ports },
    ]);
    expect(packed).toEqual([{ addresses: [{ ip: '192.0.2.1' }], notReadyAddresses: [{ ip: '192.0.2.2' }], ports }]);
  });
});
