import { expect, it } from 'vitest';
import { fieldOf, isRecord, picked, textFieldOf } from './json.ts';

it('reads fields of whatever came', () => {
  expect(fieldOf({ code: 404 }, 'code')).toBe(404);
  for (const value of [undefined, null, 'text', 7, {}, []]) expect(fieldOf(value, 'code')).toBeUndefined();
});

it('reads texts that say something', () => {
  expect(textFieldOf({ message: 'no such port' }, 'message')).toBe('no such port');
  for (const message of ['', 7, null, undefined, {}]) expect(textFieldOf({ message }, 'message')).toBeUndefined();
});

it('takes neither null nor a list for an object', () => {
  expect([{}, null, [], 'text', undefined].map(isRecord)).toEqual([true, false, false, false, false]);
});

it('picks the fields that are there', () => {
  const endpoint: { address: string; node?: string | undefined } = { address: '10.0.0.1', node: undefined };
  expect(picked(endpoint, ['address', 'node'])).toStrictEqual({ address: '10.0.0.1' });
});
