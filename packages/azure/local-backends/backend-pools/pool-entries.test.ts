import { type IpAddress, requireIpAddress } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BackendAddress } from '../../arm/index.ts';
import { entryName } from '../names.ts';
import { mergeEntries } from './pool-entries.ts';

const address = (last: number): IpAddress => requireIpAddress(`10.0.0.${last}`);
const entry = (name: string, ipAddress?: string): BackendAddress => ({
  name,
  properties: ipAddress === undefined ? {} : { ipAddress },
});
const ours = (last: number) => entry(entryName(address(last)), address(last));
const none = { isNode: () => false };

describe('mergeEntries', () => {
  it('adds what is missing and takes out what is ours and no longer wanted', () => {
    expect(mergeEntries([ours(1), ours(2)], [address(2), address(3)], none)).toEqual([ours(2), ours(3)]);
    expect(mergeEntries([ours(1)], [], none)).toEqual([]);
  });

  it('keeps the entries of others, whatever they are', () => {
    const others = [entry('by-hand', '192.0.2.1'), entry('by-name'), entry('odd', 'no address')];
    expect(mergeEntries([...others, ours(1)], [address(2)], none)).toEqual([...others, ours(2)]);
  });

  it('takes an entry for a node of the cluster for its own, under whatever name', () => {
    const nodes = new Set([address(1), address(2)]);
    const left = [entry('aks-vmss000000', '10.0.0.1'), entry('aks-vmss000001', '10.0.0.2')];
    expect(mergeEntries(left, [address(2)], { isNode: (candidate) => nodes.has(candidate) })).toEqual([ours(2)]);
  });

  it('leaves what else an entry says as it is, and knows an address in another spelling', () => {
    const drained: BackendAddress = {
      name: 'fairlead-fd00--1',
      properties: { ipAddress: 'fd00:0:0::1', adminState: 'Down' },
    };
    expect(mergeEntries([drained], [requireIpAddress('fd00::1')], none)).toBeUndefined();
  });

  it('finds nothing to do in what it made, keeps every foreign entry, and each wanted address once', () => {
    const last = fc.integer({ min: 1, max: 6 });
    const arbitraryEntry = fc.oneof(
      last.map(ours),
      last.map((number) => entry(`node-${number}`, address(number))),
      fc.constantFrom('x', 'y').map((name) => entry(name, '192.0.2.9')),
      fc.constant(entry('empty')),
    );
    const world = fc.record({
      current: fc.array(arbitraryEntry, { maxLength: 8 }),
      wanted: fc.uniqueArray(last.map(address), { maxLength: 6 }),
      nodes: fc.uniqueArray(last.map(address)),
    });
    fc.assert(
      fc.property(world, ({ current, wanted, nodes }) => {
        const backends = { isNode: (candidate: IpAddress) => nodes.includes(candidate) };
        const merged = mergeEntries(current, wanted, backends) ?? current;
        expect(mergeEntries(merged, wanted, backends)).toBeUndefined();
        const foreign = current.filter(({ name }) => ['x', 'y', 'empty'].includes(name));
        expect(merged.filter(({ name }) => ['x', 'y', 'empty'].includes(name))).toEqual(foreign);
        const named = merged.filter(({ name }) => name.startsWith('fairlead-'));
        expect(named.map(({ properties }) => String(properties.ipAddress)).toSorted()).toEqual(wanted.toSorted());
      }),
    );
  });
});
