import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonEqual } from './json-equal.ts';

describe('jsonEqual', () => {
  it('agrees with the text of the JSON, fields in order', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const sorted = (input: unknown): string =>
      JSON.stringify(input, (_, field: unknown) =>
        typeof field === 'object' && field !== null && !Array.isArray(field)
          ? Object.fromEntries(Object.entries(field).sort(([left], [right]) => (left < right ? -1 : 1)))
          : field,
      );
    fc.assert(
      fc.property(value, value, (left, right) => {
        expect(jsonEqual(left, right)).toBe(sorted(left) === sorted(right));
        expect(jsonEqual(left, JSON.parse(JSON.stringify(left)))).toBe(true);
      }),
    );
  });

  it('does not mind fields that are undefined, their order, or how an object was made', () => {
    const made: unknown = Object.assign(Object.create(null), { b: [1], a: { c: undefined } });
    expect(jsonEqual({ a: {}, b: [1], d: undefined }, made)).toBe(true);
  });

  it('tells null from absent, lists from objects, and lists of different length', () => {
    expect(jsonEqual({ a: null }, {})).toBe(false);
    expect(jsonEqual(JSON.parse('{"__proto__":{}}'), {})).toBe(false);
    expect(jsonEqual([], {})).toBe(false);
    expect(jsonEqual([1], [1, 2])).toBe(false);
    expect(jsonEqual({ a: 1 }, { a: 1, b: 2 })).toBe(false);
  });
});
