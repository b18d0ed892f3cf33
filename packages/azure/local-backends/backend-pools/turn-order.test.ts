import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { poolKey } from './local-services.ts';
import { mayGoOn, nextPool, type WaitingPool } from './turn-order.ts';

const NOW = 1_000_000;
const waiting = (waited: number, isFirstChange: boolean, name = 'web'): WaitingPool => ({
  pool: poolKey('lb', name),
  since: NOW - waited,
  isFirstChange,
});
const pools = fc
  .array(fc.record({ waited: fc.integer({ min: 0, max: 900_000 }), isFirstChange: fc.boolean() }), { maxLength: 30 })
  .map((list) => list.map(({ waited, isFirstChange }, index) => waiting(waited, isFirstChange, `pool-${index}`)));

describe('the order in which pools are tried', () => {
  it('lets nobody be overtaken by one of its own kind that came later, nor by any that waits for half as long', () => {
    fc.assert(
      fc.property(pools, (list) => {
        const next = nextPool(list, NOW);
        const chosen = list.filter(({ pool }) => pool === next);
        expect(chosen).toHaveLength(Math.min(1, list.length));
        const overtaken = list.filter((other) =>
          chosen.some(({ since, isFirstChange }) =>
            other.isFirstChange === isFirstChange ? other.since < since : NOW - other.since > 2 * (NOW - since),
          ),
        );
        expect(overtaken).toEqual([]);
      }),
    );
  });

  it('serves each pool after so many others, whatever comes meanwhile', () => {
    // Each step takes a second, and brings a first change and a change of a busy pool.
    const old = waiting(0, false, 'old');
    let list: readonly WaitingPool[] = [old];
    const others = (at: number) =>
      [true, false].map((isFirstChange) => ({
        pool: poolKey('lb', `${at}-${isFirstChange}`),
        since: NOW + at * 1000,
        isFirstChange,
      }));
    let steps = 0;
    while (list.includes(old) && steps < 1_000) {
      steps += 1;
      list = [...list, ...others(steps)];
      const chosen = nextPool(list, NOW + steps * 1000);
      list = list.filter(({ pool }) => pool !== chosen);
    }
    expect(steps).toBeLessThan(10);
  });

  it('has a first change go before a busy pool that has waited up to twice as long', () => {
    const first = waiting(10_000, true, 'first');
    expect(nextPool([waiting(19_000, false), first], NOW)).toBe(first.pool);
    const busy = waiting(21_000, false);
    expect(nextPool([first, busy], NOW)).toBe(busy.pool);
  });
});

describe('a turn', () => {
  it.each([
    [29_999, true, true],
    [30_000, true, false],
    [30_000, false, true],
    [299_999, false, true],
    [300_000, false, false],
  ])('that has lasted %i ms while others wait (%s): goes on %s', (lasted, othersWait, goesOn) => {
    expect(mayGoOn(lasted, othersWait)).toBe(goesOn);
  });
});
