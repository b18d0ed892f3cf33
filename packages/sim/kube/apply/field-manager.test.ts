import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalJson, type JsonDraft, type JsonObject, objectOf } from '../../json.ts';
import { RequestFailure } from '../failure.ts';
import { int32, text } from '../schema/schema.ts';
import { always, listMap, listSet, map, struct } from '../testing/schemas.ts';
import { compare, fieldsIn } from './compare.ts';
import { applyConfiguration, ownersAfterUpdate } from './field-manager.ts';
import { difference, type FieldSet, isEmptySet, NO_FIELDS, union } from './field-set.ts';
import type { Ownership } from './managers.ts';
import { mergeApplied } from './merge.ts';

const item = struct('Item', { id: always(int32), name: text, note: text });
const schema = struct('Thing', {
  title: text,
  labels: map(text),
  items: listMap(item, ['id']),
  tags: listSet(text),
  nested: struct('Nested', { a: text, b: text }),
});
const context = { schema, ignored: NO_FIELDS };

function writer(manager: string) {
  return { manager, apiVersion: 'v1', subresource: '', time: '2026-01-01T00:00:00Z' };
}

/** An object and who owns what of it. */
class Shared {
  object: JsonObject = {};
  owners: readonly Ownership[] = [];

  apply(manager: string, configuration: JsonObject, force = false): void {
    const { object, owners } = applyConfiguration(
      context,
      this.object,
      configuration,
      this.owners,
      writer(manager),
      force,
    );
    this.object = withoutNulls(object ?? this.object);
    this.owners = owners;
  }

  update(manager: string, object: JsonObject): void {
    this.owners = ownersAfterUpdate(context, this.object, object, this.owners, writer(manager));
    this.object = object;
  }

  fieldsOf(manager: string): FieldSet {
    const own = this.owners.filter((owner) => owner.manager === manager);
    return own.reduce((all, { fields }) => union(all, fields), NO_FIELDS);
  }

  get owned(): FieldSet {
    return this.owners.reduce((all, { fields }) => union(all, fields), NO_FIELDS);
  }
}

/** As the decoder does with what is removed. */
function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

const letter = fc.constantFrom('x', 'y', 'z');
const configuration: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      title: letter,
      labels: fc.dictionary(fc.constantFrom('k', 'l'), letter, { minKeys: 1 }),
      items: fc.uniqueArray(fc.record({ id: fc.nat(2), name: letter }), { selector: ({ id }) => id, minLength: 1 }),
      tags: fc.uniqueArray(letter, { minLength: 1 }),
      nested: fc.record({ a: letter, b: letter }, { requiredKeys: ['a'] }),
    },
    { requiredKeys: [] },
  )
  .map((value): JsonDraft => JSON.parse(JSON.stringify(value)));
const manager = fc.constantFrom('one', 'two', 'three');
const applied = fc.array(fc.tuple(manager, configuration), { maxLength: 6 });

function play(steps: readonly (readonly [string, JsonObject])[]): Shared {
  const shared = new Shared();
  for (const [name, fields] of steps) shared.apply(name, fields, true);
  return shared;
}

describe('apply', () => {
  it('gives the applier what it applied', () => {
    const shared = new Shared();
    shared.apply('one', { labels: { k: 'x' }, items: [{ id: 1, name: 'x' }] });
    expect(shared.owners).toEqual([
      {
        ...writer('one'),
        operation: 'Apply',
        fields: { 'f:labels': { 'f:k': {} }, 'f:items': { 'k:{"id":1}': { '.': {}, 'f:id': {}, 'f:name': {} } } },
      },
    ]);
  });

  it('refuses to change what another has applied, and names it', () => {
    const shared = new Shared();
    shared.apply('one', { title: 'x', labels: { k: 'x' } });
    expect(() => shared.apply('two', { title: 'y', labels: { k: 'y' } })).toThrow(
      'Apply failed with 2 conflicts: conflicts with "one":\n- .title\n- .labels.k',
    );
    shared.apply('two', { title: 'x' });
    expect(() => shared.apply('one', { title: 'z' })).toThrow(
      'Apply failed with 1 conflict: conflict with "two": .title',
    );
  });

  it('takes over by force, and leaves the loser the rest', () => {
    const shared = new Shared();
    shared.apply('one', { title: 'x', labels: { k: 'x' } });
    shared.apply('two', { title: 'y' }, true);
    expect(shared.object).toEqual({ title: 'y', labels: { k: 'x' } });
    expect(shared.fieldsOf('one')).toEqual({ 'f:labels': { 'f:k': {} } });
  });

  it('removes what the applier no longer applies and no other manager owns', () => {
    const shared = new Shared();
    shared.apply('one', { labels: { k: 'x', l: 'x' }, tags: ['a', 'b'] });
    shared.apply('two', { labels: { l: 'x' }, tags: ['b'] });
    shared.apply('one', { tags: ['a'] });
    expect(shared.object).toEqual({ labels: { l: 'x' }, tags: ['a', 'b'] });
  });

  it('removes an applied item with everything in it, also what other managers added', () => {
    const shared = new Shared();
    shared.apply('one', { items: [{ id: 1, name: 'x' }] });
    shared.update('two', { items: [{ id: 1, name: 'x', note: 'mine' }] });
    shared.apply('one', { title: 'x' });
    expect(shared.object).toEqual({ title: 'x' });
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(applied, manager, configuration, (steps, name, fields) => {
        const shared = play(steps);
        shared.apply(name, fields, true);
        const { object, owners } = shared;
        shared.apply(name, fields);
        expect(shared.object).toEqual(object);
        expect(shared.owners).toEqual(owners);
      }),
    );
  });

  it('shows every field it applied, and its applier as an owner', () => {
    fc.assert(
      fc.property(applied, manager, configuration, (steps, name, fields) => {
        const shared = play(steps);
        shared.apply(name, fields, true);
        const wanted = fieldsIn(schema, fields);
        expect(isEmptySet(difference(wanted, fieldsIn(schema, shared.object)))).toBe(true);
        expect(isEmptySet(difference(wanted, shared.fieldsOf(name)))).toBe(true);
      }),
    );
  });

  it('never records an owner of something that is not there', () => {
    fc.assert(
      fc.property(applied, (steps) => {
        const shared = play(steps);
        expect(isEmptySet(difference(shared.owned, fieldsIn(schema, shared.object)))).toBe(true);
      }),
    );
  });

  it('without force never changes a value that another has applied', () => {
    fc.assert(
      fc.property(configuration, configuration, (mine, yours) => {
        const shared = new Shared();
        shared.apply('one', mine);
        try {
          shared.apply('two', yours);
        } catch (error) {
          if (!(error instanceof RequestFailure)) throw error;
        }
        const merged = mergeApplied(schema, shared.object, mine) ?? {};
        expect(compare(schema, shared.object, merged)).toEqual({ added: {}, modified: {}, removed: {} });
        expect(shared.fieldsOf('one')).toEqual(fieldsIn(schema, mine));
      }),
    );
  });

  it('leaves nothing behind when every applier lets go', () => {
    fc.assert(
      fc.property(applied, (steps) => {
        const shared = play(steps);
        for (const name of ['one', 'two', 'three']) shared.apply(name, {}, true);
        expect(shared.owners).toEqual([]);
        expect(equalJson(fieldsIn(schema, shared.object), {})).toBe(true);
      }),
    );
  });
});

describe('an update', () => {
  it('gives the writer what it changed and takes that from all others', () => {
    const shared = new Shared();
    shared.update('one', { title: 'x', labels: { k: 'x' } });
    shared.update('two', { title: 'y', labels: { k: 'x' } });
    expect(shared.fieldsOf('one')).toEqual({ 'f:labels': { '.': {}, 'f:k': {} } });
    expect(shared.fieldsOf('two')).toEqual({ 'f:title': {} });
  });

  it('that changes nothing changes no owner', () => {
    fc.assert(
      fc.property(applied, manager, (steps, name) => {
        const shared = play(steps);
        const { owners } = shared;
        shared.update(name, JSON.parse(JSON.stringify(shared.object)));
        expect(shared.owners).toEqual(owners);
      }),
    );
  });

  it('remembers only so many updaters', () => {
    const shared = new Shared();
    for (let count = 0; count < 15; count += 1) {
      shared.update(`m${String(count).padStart(2, '0')}`, {
        labels: { ...objectOf(shared.object.labels), [`l${count}`]: 'x' },
      });
    }
    expect(shared.owners.length).toBeLessThanOrEqual(10);
    expect(shared.owners.map(({ manager }) => manager)).toContain('ancient-changes');
  });
});
