import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalJson, type Json, shareUnchangedFields, valueAt, without, withValueAt } from './json.ts';
import { anyObject } from './kube/testing/arbitrary-json.ts';

describe('JSON values', () => {
  it('are equal whatever the order of their names', () => {
    expect(equalJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true);
    expect(equalJson({ a: 1 }, { a: 1, b: null })).toBe(false);
    expect(equalJson([1, 2], [2, 1])).toBe(false);
  });

  it('share with their last version what did not change, and stay what they are', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (previous, next) => {
        const shared = shareUnchangedFields(previous, next);
        expect(shared).toEqual(next);
        expect(shared === previous).toBe(equalJson(previous, next));
        const isShared = ([name, value]: [string, Json]): boolean =>
          value === previous[name] || !equalJson(value, previous[name]);
        expect(Object.entries(shared).every(isShared)).toBe(true);
      }),
    );
  });

  it('can be changed at one place without touching the original', () => {
    const original = { a: { b: { c: 1 } }, d: {} };
    const changed = withValueAt(original, ['a', 'b', 'c'], 2);
    expect(valueAt(changed, 'a', 'b', 'c')).toBe(2);
    expect(original.a.b.c).toBe(1);
    expect(changed.d).toBe(original.d);
    expect(withValueAt(changed, ['a', 'b', 'c'], undefined)).toEqual({ a: { b: {} }, d: {} });
    expect(withValueAt(original, ['x', 'y'], undefined)).toBe(original);
  });

  it('are the same object when there is nothing to leave out', () => {
    const original = { a: 1 };
    expect(without(original, 'b')).toBe(original);
    expect(without(original, 'a')).toEqual({});
  });
});
