import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches } from './matches.ts';

describe('matches', () => {
  it('looks at nothing but what is wanted', () => {
    const body = { name: 'web', etag: 'W/"1"', properties: { port: 80, provisioningState: 'Succeeded' } };
    expect(matches(body, { name: 'web', properties: { port: 80, probe: undefined } })).toBe(true);
    expect(matches(body, { name: 'web', properties: { port: 81 } })).toBe(false);
    expect(matches(undefined, { name: 'web' })).toBe(false);
  });

  it('takes two spellings of an id, a name or a word for one, and of a tag for two', () => {
    const id = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/probes/p';
    expect(matches({ id: id.toUpperCase() }, { id })).toBe(true);
    expect(
      matches({ name: 'WEB', properties: { protocol: 'tcp' } }, { name: 'web', properties: { protocol: 'Tcp' } }),
    ).toBe(true);
    expect(matches({ name: 'web-2' }, { name: 'web' })).toBe(false);
    expect(matches({ tags: { owner: 'US' } }, { tags: { owner: 'us' } })).toBe(false);
    expect(matches({ tags: { owner: 'us', other: 'x' } }, { tags: { owner: 'us' } })).toBe(true);
    expect(matches({}, { tags: { owner: 'us' } })).toBe(false);
  });

  it('takes a missing list for an empty one, and a missing field for null or false', () => {
    expect([
      matches({}, { reset: false }),
      matches({}, { reset: true }),
      matches({ reset: true }, { reset: false }),
    ]).toEqual([true, false, false]);
    expect([matches({}, { probe: null }), matches({ probe: null }, { probe: null })]).toEqual([true, true]);
    expect(matches({ probe: 'p' }, { probe: null })).toBe(false);
    expect(matches({}, { rules: [] })).toBe(true);
    expect(matches({ rules: ['a'] }, { rules: [] })).toBe(false);
    expect(matches({}, { rules: ['a'] })).toBe(false);
  });

  it('counts each item of a list once, in any order', () => {
    expect(matches(['a', 'b', 'b'], ['b', 'a', 'b'])).toBe(true);
    expect(matches(['a', 'b', 'b'], ['a', 'a', 'b'])).toBe(false);
    expect(matches(['A', 'b'], ['B', 'a'])).toBe(true);
    expect(matches(['a', 1], ['a', '1'])).toBe(false);
    expect(matches([{ name: 'a' }, 'b'], ['b', { name: 'A' }])).toBe(true);
  });

  it('finds any data to be as it is, whatever is added to it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (wanted, extra) => {
        expect(matches({ ...wanted, 'added by Azure': extra }, wanted)).toBe(true);
      }),
    );
  });
});
