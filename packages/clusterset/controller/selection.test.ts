import type { KubeObject } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { keyOfRecord } from '../records/names.ts';
import { testSettings } from '../testing/test-settings.ts';
import { Selection } from './selection.ts';

/** Of each cluster two at most, of Services in these namespaces. */
function setUp(...namespaces: readonly string[]) {
  const wanted = new Set(namespaces);
  const overflows: string[] = [];
  const selection = new Selection({
    settings: testSettings,
    keyOf: ({ metadata }) => keyOfRecord(metadata.name),
    most: 2,
    takesPart: (namespace) => wanted.has(namespace),
    onOverflow: (namespace, most) => void overflows.push(`${namespace} ${most}`),
  });
  return { selection, overflows };
}

const record = (name: string, cluster = 'a'): KubeObject => ({ metadata: { namespace: `broker-m-${cluster}`, name } });

describe('what is kept of another cluster', () => {
  it('is no more than so much, which is told once, and again after everything was listed anew', () => {
    const { selection, overflows } = setUp('shop');
    const names = ['one.shop', 'two.shop', 'three.shop', 'four.shop'];
    expect(names.map((name) => selection.isWanted(record(name)))).toEqual([true, true, false, false]);
    expect(overflows).toEqual(['broker-m-a 2']);
    expect(selection.isWanted(record('one.shop', 'b'))).toBe(true);
    selection.startOver();
    expect(selection.isWanted(record('three.shop'))).toBe(false);
    expect(overflows).toEqual(['broker-m-a 2', 'broker-m-a 2']);
  });

  it('counts for as many as it is large: one cluster has no gigabytes kept in all others', () => {
    const { selection, overflows } = setUp('shop');
    const large = (size: number): KubeObject => ({
      metadata: { ...record('one.shop').metadata, annotations: { x: 'y'.repeat(size) } },
    });
    expect(selection.isWanted(large(100_000))).toBe(false);
    expect(overflows).toEqual(['broker-m-a 2']);
    expect([selection.isWanted(large(10)), selection.isWanted(record('two.shop'))]).toEqual([true, true]);
    // One that grows is dropped, and makes room for others.
    expect([selection.isWanted(large(60_000)), selection.isWanted(record('three.shop'))]).toEqual([false, true]);
    expect(selection.isWanted({ metadata: { ...large(100_000).metadata, namespace: 'broker-m-own' } })).toBe(true);
  });

  it('makes room when it is gone from the broker', () => {
    const { selection } = setUp('shop');
    for (const name of ['one.shop', 'two.shop']) selection.isWanted(record(name));
    selection.forget(record('one.shop'));
    expect(selection.isWanted(record('three.shop'))).toBe(true);
  });

  it('is all of our own, however much that is', () => {
    const { selection, overflows } = setUp('shop');
    const names = ['one.shop', 'two.shop', 'three.nowhere'];
    expect(names.map((name) => selection.isWanted(record(name, 'own')))).toEqual([true, true, true]);
    expect(overflows).toEqual([]);
  });
});

describe('a namespace', () => {
  it('lacks what was left out of it, until that is read', () => {
    const { selection } = setUp('shop');
    expect(selection.isWanted(record('web.mail'))).toBe(false);
    expect([selection.lacks('mail'), selection.lacks('mail'), selection.lacks('shop')]).toEqual([true, false, false]);
  });

  it('may lack something where more namespaces were left out than are remembered', () => {
    const { selection } = setUp('shop');
    for (const name of ['one.first', 'one.second', 'one.third']) selection.isWanted(record(name));
    expect(selection.lacks('third')).toBe(true);
  });
});
