import { describe, expect, it } from 'vitest';
import { compareVersions } from './version-order.ts';

describe('the order of versions', () => {
  it('prefers what is stable, then what is new', () => {
    const wanted = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10'];
    expect(wanted.toSorted().sort(compareVersions)).toEqual(wanted);
    expect(compareVersions('v1', 'v1')).toBe(0);
    expect(compareVersions('foo', 'foo')).toBe(0);
  });
});
