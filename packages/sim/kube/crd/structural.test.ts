import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { anyJson } from '../testing/arbitrary-json.ts';
import { problemText } from '../validation/field-problem.ts';
import { withDefaults } from './defaults.ts';
import { prune } from './prune.ts';
import { readStructural } from './structural.ts';
import { structuralProblems } from './validate.ts';

const schema = readStructural({
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 1, default: 3 },
    name: { type: 'string', pattern: '^[a-z]+$' },
    maybe: { type: 'string', nullable: true },
    list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string', default: 'x' } } } },
    map: { type: 'object', additionalProperties: { type: 'integer' } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: { type: 'string' } } },
    any: { anyOf: [{ type: 'string' }, { type: 'integer' }], 'x-kubernetes-int-or-string': true },
  },
});

function problems(object: JsonObject): readonly string[] {
  return structuralProblems(schema, object).map((problem) => `${problem.field}: ${problemText(problem)}`);
}

const names = fc.constantFrom('size', 'name', 'maybe', 'list', 'map', 'free', 'any', 'bogus');
const object = fc.dictionary(names, anyJson);

describe('a structural schema', () => {
  it('drops what it does not specify and names it', () => {
    const { object, unknownFields } = prune(schema, {
      apiVersion: 'v1',
      bogus: 1,
      list: [{ a: 'b', c: 1 }],
      free: { known: 'x', other: { deep: 1 } },
      map: { anything: 5 },
    });
    expect(unknownFields).toEqual(['bogus', 'list[0].c']);
    expect(object).toEqual({
      apiVersion: 'v1',
      list: [{ a: 'b' }],
      free: { known: 'x', other: { deep: 1 } },
      map: { anything: 5 },
    });
  });

  it('drops nothing the second time', () => {
    fc.assert(
      fc.property(object, (value) => {
        const once = prune(schema, value);
        expect(prune(schema, once.object)).toEqual({ object: once.object, unknownFields: [] });
      }),
    );
  });

  it('fills in defaults, also in lists, and takes null for nothing where null is not allowed', () => {
    const defaulted = withDefaults(schema, { list: [{}], size: null, maybe: null, name: null });
    expect(defaulted).toEqual({ list: [{ a: 'x' }], size: 3, maybe: null });
  });

  it('fills in nothing the second time', () => {
    fc.assert(
      fc.property(object, (value) => {
        const once = withDefaults(schema, value);
        expect(withDefaults(schema, once)).toEqual(once);
      }),
    );
  });

  it('says what is wrong with a value', () => {
    expect(problems({ size: 0, name: 'A', map: { a: 'x' }, any: true })).toEqual([
      'size: Invalid value: 0: size in body should be greater than or equal to 1',
      'name: Invalid value: "A": name in body should match \'^[a-z]+$\'',
      'map.a: Invalid value: "string": map.a in body must be of type integer: "string"',
      'any: Invalid value: "boolean": any in body must be of type integer,string: "boolean"',
    ]);
  });

  it('has nothing to say about what fits', () => {
    expect(problems({ size: 1, name: 'abc', maybe: null, list: [{ a: 'b' }], map: { a: 1 }, any: 'x' })).toEqual([]);
  });
});
