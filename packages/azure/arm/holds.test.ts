import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from './holds.ts';

describe('holds', () => {
  it('looks at nothing but what is wanted', () => {
    const body = { name: 'web', etag: 'W/"1"', properties: { port: 80, provisioningState: 'Succeeded' } };
    expect(holds(body, { name: 'web', properties: { port: 80, probe: undefined } })).toBe(true);
    expect(holds(body, { name: 'web', properties: { port: 81 } })).toBe(false);
    expect(holds(undefined, { name: 'web' })).toBe(false);
  });

  it('takes two spellings of an id for one, and of anything else for two', () => {
    const id = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/probes/p';
    expect(holds({ id: id.toUpperCase() }, { id })).toBe(true);
    expect(holds({ name: 'WEB' }, { name: 'web' })).toBe(false);
  });

  it('takes a missing list for an empty one, and a missing field for null', () => {
    expect([holds({}, { probe: null }), holds({ probe: null }, { probe: null })]).toEqual([true, true]);
    expect(holds({ probe: 'p' }, { probe: null })).toBe(false);
    expect(holds({}, { rules: [] })).toBe(true);
    expect(holds({ rules: ['a'] }, { rules: [] })).toBe(false);
    expect(holds({}, { rules: ['a'] })).toBe(false);
  });

  it('counts each item of a list once, in any order', () => {
    expect(holds(['a', 'b', 'b'], ['b', 'a', 'b'])).toBe(true);
    expect(holds(['a', 'b', 'b'], ['a', 'a', 'b'])).toBe(false);
  });

  it('finds any data to be as it is, whatever is added to it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (wanted, extra) => {
        expect(holds({ ...wanted, 'added by Azure': extra }, wanted)).toBe(true);
      }),
    );
  });
});
