import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonDraft, type JsonObject, objectOf } from '../../json.ts';
import { anyObject } from '../testing/arbitrary-json.ts';
import { mergePatch } from './merge-patch.ts';

const withoutNulls = (value: Json): Json => {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([name, inner]): [string, Json] => [name, withoutNulls(inner)]));
};
const object: fc.Arbitrary<JsonObject> = anyObject.map((value) => objectOf(withoutNulls(value)));

/** The patch that makes one object into another. */
function difference(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonDraft = {};
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [from[name], to[name]];
    if (after === undefined) patch[name] = null;
    else if (isJsonObject(before) && isJsonObject(after)) patch[name] = difference(before, after);
    else patch[name] = after;
  }
  return patch;
}

describe('a merge patch', () => {
  it('replaces, merges and removes', () => {
    const patched = mergePatch({ a: { b: 1, c: 2 }, d: [1, 2], e: 3 }, { a: { c: null, x: {} }, d: [3], e: null });
    expect(patched).toEqual({ a: { b: 1, x: {} }, d: [3] });
  });

  it('never brings in a null', () => {
    expect(mergePatch({}, { a: { b: null, c: { d: null } } })).toEqual({ a: { c: {} } });
  });

  it('takes any object to any other', () => {
    fc.assert(
      fc.property(object, object, (from, to) => {
        expect(mergePatch(from, difference(from, to))).toEqual(to);
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(object, anyObject, (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });
});
