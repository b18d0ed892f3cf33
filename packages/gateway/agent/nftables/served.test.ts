import { parseIpRange, rangeContains, requireIpAddress } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byFrontend, changesBetween } from '../../protocol/delta.ts';
import { someVirtualServers } from '../testing/virtual-servers.ts';
import type { Element } from './elements.ts';
import { Served } from './served.ts';

const text = ({ map, key, data }: Element) => `${map} { ${key} : ${data ?? ''} }`;
const texts = (elements: Iterable<Element>) => [...elements].map(text).toSorted();

describe('what a table holds', () => {
  it('is the same after a delta and after a full load', () => {
    fc.assert(
      fc.property(someVirtualServers, someVirtualServers, (before, after) => {
        const served = new Served(before);
        const held = new Set(texts(served.elements()));
        const changes = served.follow(changesBetween(byFrontend(before), byFrontend(after)));
        if (changes === undefined) throw new Error('too many for one step');
        const { remove, add } = changes;
        for (const element of remove) expect(held.delete(text(element))).toBe(true);
        for (const element of add) held.add(text(element));
        expect([...held].toSorted()).toEqual(texts(new Served(after).elements()));
        expect(served.digest).toBe(new Served(after).digest);
      }),
    );
  });

  it('is as it was when changes are taken back', () => {
    fc.assert(
      fc.property(someVirtualServers, someVirtualServers, (before, after) => {
        const served = new Served(before);
        const changes = changesBetween(byFrontend(before), byFrontend(after));
        const inverse = served.inverse(changes);
        served.follow(changes);
        served.follow(inverse);
        expect(texts(served.elements())).toEqual(texts(new Served(before).elements()));
        expect(served.digest).toBe(new Served(before).digest);
      }),
    );
  });

  it('has no element twice', () => {
    fc.assert(
      fc.property(someVirtualServers, (all) => {
        const keys = [...new Served(all).elements()].map(({ map, key }) => `${map} ${key}`);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  it('admits whom one of the source ranges admits, and no others, however they overlap', () => {
    const ranges = fc.array(fc.tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 28, max: 32 })));
    fc.assert(
      fc.property(ranges, (all) => {
        const sourceRanges = all.map(([last, bits]) => `198.51.100.${last & (0xff << (32 - bits))}/${bits}`);
        const served = new Served([
          {
            address: requireIpAddress('192.0.2.1'),
            protocol: 'TCP',
            port: 80,
            service: 'default/web',
            backends: [],
            sourceRanges,
            preservesClientAddress: false,
          },
        ]);
        const allowed = [...served.elements()].flatMap(({ map, key }) =>
          map === 'allowed4' ? (parseIpRange(key.split(' . ').at(-1) ?? '') ?? []) : [],
        );
        const asked = sourceRanges.flatMap((range) => parseIpRange(range) ?? []);
        for (let last = 0; last < 32; last += 1) {
          const client = requireIpAddress(`198.51.100.${last}`);
          const admitting = allowed.filter((range) => rangeContains(range, client)).length;
          expect(admitting).toBe(asked.some((range) => rangeContains(range, client)) ? 1 : 0);
        }
      }),
    );
  });

  it('has an address for as long as one Service is on it', () => {
    const web = {
      address: requireIpAddress('192.0.2.1'),
      protocol: 'TCP' as const,
      port: 80,
      service: 'default/web',
      backends: [],
      preservesClientAddress: false,
    };
    const served = new Served([web, { ...web, port: 81 }]);
    const addresses = () => [...served.elements()].filter(({ map }) => map === 'addresses4').length;
    served.follow({ put: [], remove: [{ address: web.address, protocol: 'TCP', port: 81 }] });
    expect(addresses()).toBe(1);
    served.follow({ put: [], remove: [{ address: web.address, protocol: 'TCP', port: 80 }] });
    expect(addresses()).toBe(0);
  });

  it('answers for a backend that is heard first only where it is of one frontend', () => {
    const web = {
      address: requireIpAddress('192.0.2.1'),
      protocol: 'TCP' as const,
      port: 80,
      service: 'default/web',
      backends: [{ address: requireIpAddress('10.0.0.1'), port: 8_080 }],
      preservesClientAddress: true,
    };
    const returns = (...all: (typeof web)[]) =>
      [...new Served(all).elements()].filter(({ map }) => map === 'returns4').map(text);
    expect(returns(web)).toEqual(['returns4 { 10.0.0.1 . tcp . 8080 : 192.0.2.1 . 80 }']);
    expect(returns(web, { ...web, port: 81 })).toEqual([]);
  });
});
