import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareResourceVersions } from './resource-version.ts';

describe('compareResourceVersions', () => {
  it('compares whole numbers of any length as numbers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 70n }), fc.bigInt({ min: 0n, max: 2n ** 70n }), (left, right) => {
        const expected = left < right ? -1 : Number(left > right);
        expect(Math.sign(compareResourceVersions(String(left), String(right)) ?? Number.NaN)).toBe(expected);
      }),
    );
  });

  it('knows only whether others are the same', () => {
    expect(compareResourceVersions('abc', 'abc')).toBe(0);
    expect(compareResourceVersions('abc', 'abd')).toBeUndefined();
    expect(compareResourceVersions('7', '')).toBeUndefined();
    expect(compareResourceVersions('007', '7')).toBeUndefined();
    expect(compareResourceVersions('-1', '7')).toBeUndefined();
  });
});
