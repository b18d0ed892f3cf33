import { expect, it } from 'vitest';
import { LastTold } from './last-told.ts';

it('tells once about each key, and again after something else, nothing included', () => {
  const told = new LastTold<string>();
  expect(told.isNews('shop/web', '')).toBe(false);
  expect(told.isNews('shop/web', 'node-1 is full')).toBe(true);
  expect(told.isNews('shop/web', 'node-1 is full')).toBe(false);
  expect(told.isNews('shop/api', 'node-1 is full')).toBe(true);
  expect(told.isNews('shop/web', 'node-2 is full')).toBe(true);
  expect(told.isNews('shop/web', '')).toBe(false);
  expect(told.isNews('shop/web', 'node-2 is full')).toBe(true);
  told.forget('shop/web');
  expect(told.isNews('shop/web', 'node-2 is full')).toBe(true);
});
