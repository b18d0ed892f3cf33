import { requireIpAddress } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../protocol/configuration.ts';
import { assignSlots, backendKey, slotCount } from './slots.ts';

const backendAt = (number: number): Backend => ({
  address: requireIpAddress(`10.0.${number >> 8}.${number & 255}`),
  port: 8_080,
});
const backendSet = (most: number) =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: most })
    .map((numbers) => numbers.map(backendAt));
const keys = (backends: readonly Backend[]) => assignSlots(backends).map(backendKey);

describe('the slots of a virtual server', () => {
  it('do not depend on the order of the backends', () => {
    fc.assert(
      fc.property(backendSet(40), (backends) => {
        expect(keys(backends.toReversed())).toEqual(keys(backends));
      }),
    );
  });

  it('are shared alike: no backend has two more than another', () => {
    fc.assert(
      fc.property(backendSet(200), (backends) => {
        const shares = Map.groupBy(keys(backends), (key) => key);
        const sizes = backends.map((backend) => shares.get(backendKey(backend))?.length ?? 0);
        expect(keys(backends)).toHaveLength(slotCount(backends.length));
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('mostly stay where they are when one backend goes', () => {
    let moved = 0;
    let needed = 0;
    let total = 0;
    for (let round = 0; round < 40; round += 1) {
      const backends = Array.from({ length: 10 }, (_, index) => backendAt(round * 50 + index));
      const before = keys(backends);
      const after = keys(backends.slice(1));
      const [gone] = backends.map(backendKey);
      total += before.length;
      needed += before.filter((key) => key === gone).length;
      moved += before.filter((key, slot) => key !== after[slot]).length;
    }
    expect(needed / total).toBeCloseTo(0.1, 2);
    expect(moved / total).toBeLessThan(0.26);
  });

  it.each([
    [0, 0],
    [1, 1],
    [2, 60],
    [12, 60],
    [13, 420],
    [84, 420],
    [504, 2_520],
    [5_000, 27_720],
  ])('for %i backends are %i', (backends, slots) => {
    expect(keys(Array.from({ length: backends }, (_, index) => backendAt(index)))).toHaveLength(slots);
  });
});
