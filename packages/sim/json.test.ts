import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  equalJson,
  fieldOf,
  type Json,
  type JsonDraft,
  objectOf,
  parseJson,
  parseSpelled,
  setField,
  shareUnchangedFields,
  spellingOf,
  valueAt,
  without,
  withValueAt,
} from './json.ts';
import { jsonPatch } from './kube/patch/json-patch.ts';
import { mergePatch } from './kube/patch/merge-patch.ts';
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

  it('have no fields but their own', () => {
    expect(fieldOf({}, 'constructor')).toBeUndefined();
    expect(valueAt({ a: {} }, 'a', 'toString')).toBeUndefined();
    expect(equalJson(parseJson('{"__proto__":1}'), parseJson('{"toString":1}'))).toBe(false);
    const draft: JsonDraft = {};
    setField(draft, '__proto__', 'x');
    expect(JSON.stringify(draft)).toBe('{"__proto__":"x"}');
    expect(JSON.stringify(shareUnchangedFields({}, draft))).toBe('{"__proto__":"x"}');
  });
});

describe('a body', () => {
  const spelling = (value: Json, name: string): string | undefined => spellingOf(objectOf(value), name);

  it('remembers how numbers were spelled that are whole and do not look it', () => {
    const value = parseSpelled('{"a":80.0,"b":1e2,"c":80,"d":9223372036854775808}');
    expect(value).toEqual({ a: 80, b: 100, c: 80, d: 2 ** 63 });
    expect(['a', 'b', 'c', 'd'].map((name) => spelling(value, name))).toEqual([
      '80.0',
      '1e2',
      undefined,
      '9223372036854775808',
    ]);
  });

  it('keeps the spelling when it is a patch', () => {
    expect(spelling(mergePatch({ a: 1 }, parseSpelled('{"a":80.0}')), 'a')).toBe('80.0');
    expect(spelling(mergePatch(parseSpelled('{"a":80.0}'), { a: 1 }), 'a')).toBeUndefined();
    const operations = parseSpelled('[{"op":"replace","path":"/a","value":80.0}]');
    expect(spelling(jsonPatch({ a: 1 }, operations), 'a')).toBe('80.0');
  });

  it('has no halves of characters', () => {
    expect(parseSpelled(String.raw`{"\ud800a":"\udfffb","c":"\ud83d\ude00"}`)).toEqual({
      '\ufffda': '\ufffdb',
      c: '\u{1f600}',
    });
  });
});
