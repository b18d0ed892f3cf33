import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { int32, text } from '../schema/schema.ts';
import { always, list, listMap, listSet, map, struct } from '../testing/schemas.ts';
import { strategicMerge } from './strategic-merge.ts';

const item = struct('Item', { id: always(int32), name: text, tags: list(text) });
const schema = struct('Thing', {
  items: listMap(item, ['id'], { patchMerge: 'id' }),
  replaced: list(item),
  finalizers: listSet(text, { patchMerge: true }),
  labels: map(text),
});

const original = {
  items: [
    { id: 1, name: 'a' },
    { id: 2, name: 'b' },
  ],
  labels: { x: 'y' },
  finalizers: ['one', 'two'],
};

describe('a strategic merge patch', () => {
  it('merges items with the same key and adds the others', () => {
    const { items } = strategicMerge(schema, original, { items: [{ id: 2, name: 'B' }, { id: 3 }] });
    expect(items).toEqual([{ id: 1, name: 'a' }, { id: 2, name: 'B' }, { id: 3 }]);
  });

  it('replaces lists that have no key', () => {
    const patched = strategicMerge(schema, { replaced: [{ id: 1 }] }, { replaced: [{ id: 2 }] });
    expect(patched).toEqual({ replaced: [{ id: 2 }] });
  });

  it('deletes an item, a value and a field', () => {
    const patched = strategicMerge(schema, original, {
      items: [{ id: 1, $patch: 'delete' }],
      '$deleteFromPrimitiveList/finalizers': ['one'],
      labels: null,
    });
    expect(patched).toEqual({ items: [{ id: 2, name: 'b' }], finalizers: ['two'] });
  });

  it('replaces a whole list or object when told to', () => {
    const patched = strategicMerge(schema, original, {
      items: [{ $patch: 'replace' }, { id: 9 }],
      labels: { $patch: 'replace', only: 'this' },
    });
    expect(patched).toMatchObject({ items: [{ id: 9 }], labels: { only: 'this' } });
  });

  it('brings items into the order it is told', () => {
    const patched = strategicMerge(schema, original, {
      '$setElementOrder/items': [{ id: 2 }, { id: 1 }],
      items: [{ id: 1, name: 'A' }],
    });
    expect(patched.items).toEqual([
      { id: 2, name: 'b' },
      { id: 1, name: 'A' },
    ]);
  });

  it('refuses an order that does not name what the patch changes', () => {
    const patch = { '$setElementOrder/items': [{ id: 2 }], items: [{ id: 1 }] };
    expect(() => strategicMerge(schema, original, patch)).toThrow("doesn't match $setElementOrder list");
  });

  it('refuses an item without its key, and an unknown directive', () => {
    expect(() => strategicMerge(schema, original, { items: [{ name: 'x' }] })).toThrow(
      'does not contain declared merge key',
    );
    expect(() => strategicMerge(schema, original, { labels: { $patch: 'bogus' } })).toThrow(
      'unknown patch type: bogus',
    );
  });

  it('treats keyed lists as maps from key to item', () => {
    const items = fc.uniqueArray(fc.record({ id: fc.nat(5), name: fc.constantFrom('a', 'b', 'c') }), {
      selector: ({ id }) => id,
    });
    const byId = (list: readonly { readonly id: number }[]): Map<number, object> =>
      new Map(list.map((each) => [each.id, each]));
    fc.assert(
      fc.property(items, items, (before, changes) => {
        const patched = strategicMerge(schema, { items: before }, { items: changes });
        const result: { readonly id: number }[] = JSON.parse(JSON.stringify(patched.items));
        expect(byId(result)).toEqual(new Map([...byId(before), ...byId(changes)]));
        expect(result).toHaveLength(byId(result).size);
      }),
    );
  });

  it('changes nothing the second time', () => {
    const ids = fc.uniqueArray(fc.nat(5));
    fc.assert(
      fc.property(ids, ids, ids, (before, changed, deleted) => {
        const object: JsonObject = { items: before.map((id) => ({ id, name: 'old' })) };
        const removals = deleted.filter((id) => !changed.includes(id)).map((id) => ({ id, $patch: 'delete' }));
        const patch = { items: [...changed.map((id) => ({ id, name: 'new' })), ...removals] };
        const once = strategicMerge(schema, object, patch);
        expect(strategicMerge(schema, once, patch)).toEqual(once);
      }),
    );
  });
});
