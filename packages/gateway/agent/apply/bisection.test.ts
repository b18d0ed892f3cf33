import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRefused } from './bisection.ts';

describe('a search by halves', () => {
  it('finds the few that are refused among many', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 0, max: 999 }), { maxLength: 4 }), async (bad) => {
        const parts = [0, 1, 2, 3].map((part) => Array.from({ length: 250 }, (_, index) => part * 250 + index));
        const found = await findRefused(parts, async (part) => !part.some((one) => bad.includes(one)));
        expect(new Set(found)).toEqual(new Set(bad));
        expect(found).toHaveLength(bad.length);
      }),
    );
  });

  it('ends after a hundred tries', async () => {
    let tries = 0;
    const all = Array.from({ length: 10_000 }, (_, index) => index);
    await findRefused([all], async () => {
      tries += 1;
      return false;
    });
    expect(tries).toBe(100);
  });
});
