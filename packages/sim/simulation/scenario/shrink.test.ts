import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shrinkList } from './shrink.ts';

describe('shrinking a list', () => {
  it('finds exactly the items that matter, however they lie', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat({ max: 200 }), { maxLength: 60 }),
        fc.array(fc.nat({ max: 60 }), { maxLength: 5 }),
        async (items, positions) => {
          const needed = new Set(positions.flatMap((position) => items[position] ?? []));
          const fails = async (kept: readonly number[]) => [...needed].every((item) => kept.includes(item));
          expect(await shrinkList(items, fails)).toEqual(items.filter((item) => needed.has(item)));
        },
      ),
    );
  });

  it('leaves a list from which no single item can go', async () => {
    const fails = async (kept: readonly number[]) => kept.filter((item) => item % 3 === 0).length >= 2;
    expect(await shrinkList([1, 2, 3, 4, 5, 6, 7, 8, 9], fails)).toHaveLength(2);
  });

  it('takes few tries when little matters', async () => {
    let tries = 0;
    const items = Array.from({ length: 1000 }, (_, index) => index);
    const fails = async (kept: readonly number[]) => {
      tries += 1;
      return kept.includes(617);
    };
    expect(await shrinkList(items, fails)).toEqual([617]);
    expect(tries).toBeLessThan(40);
  });
});
