import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  type FieldSet,
  FieldSetBuilder,
  intersection,
  isEmptySet,
  pathsOf,
  union,
  withoutSubtrees,
} from './field-set.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"id":1}', 'v:"x"');
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 8 });

function setOf(places: readonly (readonly string[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const place of places) builder.add(place);
  return builder.build();
}

/** The same set as plain texts, to compare with what JavaScript's own sets do. */
function plain(set: FieldSet): Set<string> {
  return new Set(pathsOf(set));
}

describe('a set of fields', () => {
  it('holds the places that were added and no others', () => {
    expect(setOf([['f:spec', 'f:ports'], ['f:spec'], ['f:metadata', 'f:labels', 'f:a']])).toEqual({
      'f:spec': { '.': {}, 'f:ports': {} },
      'f:metadata': { 'f:labels': { 'f:a': {} } },
    });
  });

  it('spells places as messages do', () => {
    const set = setOf([
      ['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:name'],
      ['f:finalizers', 'v:"a/b"'],
    ]);
    expect(pathsOf(set)).toEqual(['.spec.ports[port=80,protocol="TCP"].name', '.finalizers[="a/b"]']);
  });

  it('combines with another as sets do', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [setOf(left), setOf(right)];
        const [inA, inB] = [plain(a), plain(b)];
        expect(plain(union(a, b))).toEqual(new Set([...inA, ...inB]));
        expect(plain(intersection(a, b))).toEqual(new Set([...inA].filter((place) => inB.has(place))));
        expect(plain(difference(a, b))).toEqual(new Set([...inA].filter((place) => !inB.has(place))));
      }),
    );
  });

  it('has one spelling for each set', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [setOf(left), setOf(right)];
        expect(union(difference(a, b), intersection(a, b))).toEqual(a);
        expect(isEmptySet(difference(a, a))).toBe(true);
      }),
    );
  });

  it('shares what a difference leaves alone', () => {
    const set = setOf([['f:a', 'f:b'], ['f:c']]);
    expect(difference(set, setOf([['f:x'], ['f:a']]))).toBe(set);
  });

  it('loses everything within a place that is taken out with its subtree', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const removed = pathsOf(setOf(right));
        const isWithin = (place: string): boolean => removed.some((root) => place.startsWith(root));
        const rest = [...plain(setOf(left))].filter((place) => !isWithin(place));
        expect(plain(withoutSubtrees(setOf(left), setOf(right)))).toEqual(new Set(rest));
      }),
    );
  });
});
