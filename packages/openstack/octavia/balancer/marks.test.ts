import { expect, it } from 'vitest';
import { boundedName } from './marks.ts';

it('tells names apart that differ only where they are too long', () => {
  const [one, another] = ['1', '2'].map((last) => boundedName(`${'n'.repeat(300)}${last}`));
  expect(one).not.toBe(another);
  expect([one?.length, boundedName('n'.repeat(255))]).toEqual([255, 'n'.repeat(255)]);
});
