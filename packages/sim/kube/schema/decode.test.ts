import { describe, expect, it } from 'vitest';
import { always, list, map, optional, struct } from '../testing/schemas.ts';
import { decodeObject } from './decode.ts';
import { bool, int32, text } from './schema.ts';

const part = struct('Part', { name: always(text), count: int32, flag: optional(bool) });
const thing = struct('Thing', {
  title: text,
  parts: list(part),
  needed: always(list(part)),
  labels: map(text),
  spec: always(struct('Spec', { size: int32 })),
  extra: part,
});

describe('decoding', () => {
  it('writes what is always there, and leaves out what is nothing', () => {
    const { object } = decodeObject(thing, { title: '', parts: [], labels: {}, spec: { size: 0 } });
    expect(object).toEqual({ needed: null, spec: {} });
  });

  it('keeps nothing where it means something', () => {
    const { object } = decodeObject(thing, { parts: [{ count: 0, flag: false }], extra: {} });
    expect(object.parts).toEqual([{ name: '', flag: false }]);
    expect(object.extra).toEqual({ name: '' });
  });

  it('puts fields into the order of the schema and names into alphabetical order', () => {
    const { object } = decodeObject(thing, { spec: {}, labels: { b: '1', a: '2' }, title: 'x' });
    expect(Object.keys(object)).toEqual(['title', 'needed', 'labels', 'spec']);
    expect(Object.keys(object.labels ?? {})).toEqual(['a', 'b']);
  });

  it('takes null for no value', () => {
    expect(decodeObject(thing, { title: null, parts: null, spec: null }).object).toEqual({ needed: null, spec: {} });
  });

  it('names fields it does not know, and drops them', () => {
    const { object, unknownFields } = decodeObject(thing, {
      parts: [{ name: 'a', bogus: 1 }],
      spec: { more: {} },
      x: 1,
    });
    expect(unknownFields).toEqual(['parts[0].bogus', 'spec.more', 'x']);
    expect(object).toEqual({ parts: [{ name: 'a' }], needed: null, spec: {} });
  });

  it.each([
    [{ title: 5 }, 'json: cannot unmarshal number into Go struct field Thing.title of type string'],
    [{ parts: {} }, 'json: cannot unmarshal object into Go struct field Thing.parts of type []v1.Part'],
    [{ parts: [{ count: 'x' }] }, 'json: cannot unmarshal string into Go struct field Part.parts.count of type int32'],
    [{ spec: { size: 1.5 } }, 'json: cannot unmarshal number 1.5 into Go struct field Spec.spec.size of type int32'],
    [{ labels: { a: true } }, 'json: cannot unmarshal bool into Go struct field Thing.labels of type string'],
  ])('says what does not fit: %j', (value, message) => {
    expect(() => decodeObject(thing, value)).toThrow(message);
  });
});
