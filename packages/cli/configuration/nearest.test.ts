import { expect, it } from 'vitest';
import { nearest } from './nearest.ts';

it('takes two letters that were swapped for one mistake', () => {
  expect(nearest('dsn', ['dsxy', 'dns'])).toBe('dns');
});

it('names nothing where no word is near', () => {
  expect(nearest('nonsense', ['plan', 'status'])).toBeUndefined();
});
