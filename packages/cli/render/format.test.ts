import { describe, expect, it } from 'vitest';
import { formatOf, renderValue } from './format.ts';

describe('formatOf', () => {
  it('prints a table unless told otherwise, and knows the older way to ask for JSON', () => {
    expect(formatOf({})).toBe('table');
    expect(formatOf({ json: true })).toBe('json');
    expect(formatOf({ output: 'yaml', json: true })).toBe('yaml');
  });

  it('names the formats there are', () => {
    expect(() => formatOf({ output: 'xml' })).toThrow('-o takes table, json, yaml, not xml');
  });
});

describe('renderValue', () => {
  it('prints what programs read', () => {
    expect(renderValue('json', { a: [1] })).toBe('{"a":[1]}');
    expect(renderValue('yaml', { a: [1] })).toBe('a:\n  - 1');
  });
});
