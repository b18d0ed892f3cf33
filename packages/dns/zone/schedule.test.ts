import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schedule } from './schedule.ts';

describe('the order in which clusters are served', () => {
  it.each([
    [
      [1, 1, 1],
      [0, 1, 2],
    ],
    [
      [2, 1],
      [0, 1, 0],
    ],
    [
      [50, 100],
      [1, 0, 1],
    ],
    [
      [5, 1, 1],
      [0, 0, 1, 0, 2, 0, 0],
    ],
    [[0, 3], [1]],
    [
      [0, 0],
      [0, 1],
    ],
    [[], []],
  ])('by weights %j is %j', (weights, order) => {
    expect(schedule(weights)).toEqual(order);
  });

  it('has each as often as it weighs, and never much more in any stretch', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }), (weights) => {
        const order = schedule(weights);
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        if (total === 0) return;
        for (const [index, weight] of weights.entries()) {
          const share = weight / total;
          const turns = order.filter((one) => one === index).length;
          expect(turns).toBeCloseTo(share * order.length);
          let seen = 0;
          for (const [at, one] of order.entries()) {
            if (one === index) seen += 1;
            expect(Math.abs(seen - share * (at + 1))).toBeLessThan(weights.length);
          }
        }
      }),
    );
  });
});
