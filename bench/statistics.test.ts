import { describe, expect, it } from 'vitest';
import { median, quantile, quotients, rounded, spread } from './statistics.ts';

describe('the arithmetic of the benches', () => {
  it('takes the middle value, which one bad round cannot move', () => {
    expect(median([3, 900, 1])).toBe(3);
    expect(median([4])).toBe(4);
    expect(median([1, 2])).toBe(2);
  });

  it('has no median of nothing, which meets no target', () => {
    expect(median([])).toBeNaN();
  });

  it('takes the value that so many do not exceed', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([quantile(values, 0.99), quantile(values, 1), quantile([7], 0.99)]).toEqual([99, 100, 7]);
    expect(quantile([], 0.99)).toBeNaN();
  });

  it('rounds to two decimals', () => {
    expect(rounded(1.006)).toBe(1.01);
    expect(rounded(Number.NaN)).toBeNaN();
  });

  it('divides round by round, and gives no number where a round is missing', () => {
    expect(quotients([10, 9], [2, 3])).toEqual([5, 3]);
    expect(quotients([10, 9], [2])).toEqual([5, Number.NaN]);
  });

  it('tells how far values are apart, whichever of them is the largest', () => {
    expect(spread([2, 1, 1.5])).toBe(2);
    expect(spread([4, 4])).toBe(1);
    expect(spread([1, Number.NaN])).toBeNaN();
  });
});
