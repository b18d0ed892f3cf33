import { requireIpAddress } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configurationRequest, type VirtualServer } from './configuration.ts';
import { applyChanges, byFrontend, canonicalText, changesBetween, deltaRequest } from './delta.ts';

const addressAt = (last: number) => requireIpAddress(`192.0.2.${last}`);
const backendAt = (last: number) => ({ address: requireIpAddress(`10.0.0.${last}`), port: 8_080 });

const virtualServers = fc
  .array(
    fc.record(
      {
        address: fc.integer({ min: 1, max: 3 }).map(addressAt),
        protocol: fc.constantFrom('TCP' as const, 'UDP' as const),
        port: fc.integer({ min: 80, max: 82 }),
        service: fc.constantFrom('default/web', 'default/shop'),
        backends: fc.uniqueArray(fc.integer({ min: 1, max: 5 })).map((all) => all.map(backendAt)),
        affinitySeconds: fc.constantFrom(30, 10_800),
        sourceRanges: fc.subarray(['192.0.2.0/24', '2001:db8::/32']),
        preservesClientAddress: fc.boolean(),
      },
      {
        requiredKeys: ['address', 'protocol', 'port', 'service', 'backends', 'preservesClientAddress'],
      },
    ),
  )
  .map((all) => byFrontend(all));

const canonical = (all: ReadonlyMap<string, VirtualServer>) => [...all.values()].map(canonicalText).toSorted();

describe('what changed between two configurations', () => {
  it('makes the one out of the other', () => {
    fc.assert(
      fc.property(virtualServers, virtualServers, (before, after) => {
        const changed = new Map(before);
        applyChanges(changed, changesBetween(before, after));
        expect(canonical(changed)).toEqual(canonical(after));
      }),
    );
  });

  it('is nothing between equal ones, in whatever order their backends and ranges come', () => {
    fc.assert(
      fc.property(virtualServers, (all) => {
        const reordered = byFrontend(
          [...all.values()]
            .map(({ sourceRanges, ...one }) => ({
              ...one,
              backends: one.backends.toReversed(),
              ...(sourceRanges === undefined ? {} : { sourceRanges: sourceRanges.toReversed() }),
            }))
            .toReversed(),
        );
        expect(changesBetween(all, reordered)).toEqual({ put: [], remove: [] });
      }),
    );
  });

  it('is a request that an agent reads', () => {
    fc.assert(
      fc.property(virtualServers, virtualServers, (before, after) => {
        const generation = { epoch: 2, number: 1 };
        const request = deltaRequest(changesBetween(before, after), { epoch: 1, number: 7 }, generation);
        expect(configurationRequest.parse(JSON.parse(JSON.stringify(request)))).toEqual(request);
      }),
    );
  });

  it('tells apart that everyone may connect and that no one may', () => {
    const open = {
      address: addressAt(1),
      protocol: 'TCP' as const,
      port: 80,
      service: 'default/web',
      backends: [],
      preservesClientAddress: false,
    };
    const closed = { ...open, sourceRanges: [] };
    expect(changesBetween(byFrontend([open]), byFrontend([closed])).put).toEqual([closed]);
  });

  it('is whatever field of a virtual server differs', () => {
    const web = {
      address: addressAt(1),
      protocol: 'TCP' as const,
      port: 80,
      service: 'default/web',
      backends: [backendAt(1)],
      affinitySeconds: 30,
      sourceRanges: ['192.0.2.0/24'],
      preservesClientAddress: false,
    };
    const edits: readonly Partial<VirtualServer>[] = [
      { service: 'default/shop' },
      { backends: [] },
      { backends: [{ ...backendAt(1), port: 8_081 }] },
      { affinitySeconds: 10_800 },
      { sourceRanges: ['198.51.100.0/24'] },
      { preservesClientAddress: true },
    ];
    for (const edit of edits) {
      const edited = { ...web, ...edit };
      expect(changesBetween(byFrontend([web]), byFrontend([edited])).put).toEqual([edited]);
    }
  });
});
