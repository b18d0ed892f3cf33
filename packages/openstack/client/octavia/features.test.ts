import { describe, expect, it } from 'vitest';
import { octaviaFeatures } from './features.ts';

const upTo = (minor: number) =>
  octaviaFeatures(Array.from({ length: minor + 1 }, (_, one) => ({ major: 2, minor: one })));

describe('octaviaFeatures', () => {
  it('has what came with the newest version and before', () => {
    expect([...upTo(0)]).toEqual([]);
    expect([...upTo(12)]).toEqual(['timeouts', 'tags', 'flavors', 'additive-members', 'allowed-cidrs']);
    expect(upTo(22).has('sctp')).toBe(false);
    expect(upTo(23).has('sctp')).toBe(true);
    expect(upTo(25).has('additional-vips')).toBe(false);
    expect(upTo(30).size).toBe(12);
  });

  it('takes no other major version for this one', () => {
    expect(octaviaFeatures([{ major: 3, minor: 30 }]).size).toBe(0);
  });
});
