import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SetMultimap } from './set-multimap.ts';

describe('SetMultimap', () => {
  it('has the values under each key once, in the order in which they came', () => {
    const nodes = new SetMultimap<string, string>();
    nodes.add('zone-1', 'node-b');
    nodes.add('zone-1', 'node-a');
    nodes.add('zone-1', 'node-b');
    nodes.add('zone-2', 'node-c');
    expect([...nodes.get('zone-1')]).toEqual(['node-b', 'node-a']);
    expect(nodes.has('zone-2', 'node-c')).toBe(true);
    expect(nodes.has('zone-2', 'node-a')).toBe(false);
    expect([...nodes.get('zone-3')]).toEqual([]);
  });

  it('keeps no key without values, whatever is added and deleted', () => {
    const key = fc.constantFrom('a', 'b');
    const value = fc.constantFrom(1, 2, 3);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('add', 'delete'), key, value)), (changes) => {
        const multimap = new SetMultimap<string, number>();
        const pairs = new Set<string>();
        for (const [change, at, one] of changes) {
          if (change === 'add') {
            multimap.add(at, one);
            pairs.add(`${at}${one}`);
          } else {
            multimap.delete(at, one);
            pairs.delete(`${at}${one}`);
          }
        }
        expect(new Set(multimap.keys())).toEqual(new Set([...pairs].map((pair) => pair[0])));
        for (const at of ['a', 'b']) {
          const expected = [1, 2, 3].filter((one) => pairs.has(`${at}${one}`));
          expect(multimap.get(at)).toEqual(new Set(expected));
        }
      }),
    );
  });
});
