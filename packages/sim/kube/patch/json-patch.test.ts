import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../json.ts';
import { anyJson, anyObject } from '../testing/arbitrary-json.ts';
import { jsonPatch } from './json-patch.ts';

describe('a JSON patch', () => {
  it.each<[string, Json, Json, Json]>([
    ['adds to an object', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['adds to a list', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['appends', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['counts from the end', { a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
    ['removes', { a: { b: 1 } }, [{ op: 'remove', path: '/a/b' }], { a: {} }],
    ['replaces what is missing', {}, [{ op: 'replace', path: '/a', value: 1 }], { a: 1 }],
    ['moves', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['copies', { a: 1 }, [{ op: 'copy', from: '/a', path: '/b' }], { a: 1, b: 1 }],
    [
      'reads escapes',
      { 'a/b': 1, 'c~d': 2 },
      [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/c~0d' },
      ],
      {},
    ],
    ['tests', { a: { b: [1] } }, [{ op: 'test', path: '/a', value: { b: [1] } }], { a: { b: [1] } }],
  ])('%s', (_, document, patch, expected) => {
    expect(jsonPatch(document, patch)).toEqual(expected);
  });

  it.each<[string, Json]>([
    ['a test that fails', [{ op: 'test', path: '/a', value: 2 }]],
    ['removing what is not there', [{ op: 'remove', path: '/x' }]],
    ['a step into nothing', [{ op: 'add', path: '/x/y', value: 1 }]],
    ['an index beyond the end', [{ op: 'add', path: '/list/5', value: 1 }]],
    ['an unknown operation', [{ op: 'flip', path: '/a' }]],
    ['a path without a slash', [{ op: 'add', path: 'a', value: 1 }]],
  ])('refuses %s', (_, patch) => {
    expect(() => jsonPatch({ a: 1, list: [] }, patch)).toThrow('the server rejected our request');
  });

  it('leaves the document alone, and undoes what it did', () => {
    fc.assert(
      fc.property(anyObject, anyJson, (document, value) => {
        const before = JSON.stringify(document);
        const added = jsonPatch(document, [{ op: 'add', path: '/new', value }]);
        expect(jsonPatch(added, [{ op: 'remove', path: '/new' }])).toEqual(document);
        expect(JSON.stringify(document)).toBe(before);
      }),
    );
  });
});
