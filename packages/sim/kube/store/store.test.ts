import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../object.ts';
import { Store } from './store.ts';

function object(name: string, value = 0, namespace = 'ns'): KubeObject {
  return { kind: 'Thing', apiVersion: 'v1', metadata: { name, namespace }, value };
}

function namesIn(store: Store, version: number): readonly string[] {
  return store
    .listAt('things', undefined, version)
    .map((stored) => `${stored.object.metadata.name}=${JSON.stringify(stored.object.value)}`);
}

describe('the store', () => {
  it('counts every write with one counter and writes it into the object', () => {
    const store = new Store();
    const start = store.resourceVersion;
    const first = store.put('things', object('a'));
    const other = store.put('others', object('a'));
    expect(first.object.metadata.resourceVersion).toBe(String(start + 1));
    expect(other.resourceVersion).toBe(start + 2);
    expect(store.remove('things', 'ns', 'a')?.object.metadata.resourceVersion).toBe(String(start + 3));
    expect(store.remove('things', 'ns', 'a')).toBeUndefined();
  });

  it('tells the latest write to each collection', () => {
    const store = new Store();
    expect(store.lastWriteTo('things')).toBe(0);
    const { resourceVersion } = store.put('things', object('a'));
    store.put('others', object('a'));
    expect(store.lastWriteTo('things')).toBe(resourceVersion);
    store.remove('things', 'ns', 'a');
    expect(store.lastWriteTo('things')).toBe(store.resourceVersion);
  });

  it('lists by key, in one namespace or in all', () => {
    const store = new Store();
    for (const [name, namespace] of [
      ['b', 'x'],
      ['a', 'y'],
      ['a', 'x'],
    ] as const)
      store.put('things', object(name, 0, namespace));
    const keys = (namespace?: string) =>
      store.list('things', namespace).map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`);
    expect(keys()).toEqual(['x/a', 'x/b', 'y/a']);
    expect(keys('x')).toEqual(['x/a', 'x/b']);
  });

  it('remembers how a collection was at every version, whatever happened since', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.option(fc.nat(9), { nil: undefined }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = new Store();
        const moments = new Map([[store.resourceVersion, namesIn(store, store.resourceVersion)]]);
        for (const [name, value] of steps) {
          if (value === undefined) store.remove('things', 'ns', name);
          else store.put('things', object(name, value));
          moments.set(store.resourceVersion, namesIn(store, store.resourceVersion));
        }
        for (const [version, names] of moments) expect(namesIn(store, version)).toEqual(names);
      }),
    );
  });

  it('tells what happened after a version, in order', () => {
    const store = new Store();
    store.put('things', object('a'));
    const version = store.resourceVersion;
    store.put('things', object('a', 1));
    store.put('others', object('x'));
    store.remove('things', 'ns', 'a');
    const events = store.eventsSince('things', version);
    expect(events.map(({ before, after }) => [before?.object.value, after?.object.value])).toEqual([
      [0, 1],
      [1, undefined],
    ]);
  });

  it('forgets the history it is told to forget', () => {
    const store = new Store();
    store.put('things', object('a'));
    const version = store.resourceVersion;
    store.put('things', object('b'));
    store.compact(version);
    expect(store.compactedVersion).toBe(version);
    expect(namesIn(store, version)).toEqual(['a=0']);
    expect(store.eventsSince('things', 0)).toHaveLength(1);
  });

  it('forgets the oldest history when there is too much of it', () => {
    const store = new Store(10);
    for (let count = 0; count < 100; count += 1) store.put('things', object('a', count));
    expect(store.compactedVersion).toBeGreaterThan(0);
    expect(store.eventsSince('things', 0).length).toBeLessThanOrEqual(20);
    expect(namesIn(store, store.compactedVersion)).toHaveLength(1);
  });

  it('stops telling a subscriber that has left', () => {
    const store = new Store();
    const heard: string[] = [];
    const leave = store.subscribe('things', ({ key }) => heard.push(key));
    store.put('things', object('a'));
    leave();
    store.put('things', object('b'));
    expect(heard).toEqual(['ns/a']);
  });
});
