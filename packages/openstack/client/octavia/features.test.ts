import { describe, expect, it } from 'vitest';
import { octaviaFeatures } from './features.ts';

const upTo = (minor: number) =>
  octaviaFeatures(Array.from({ length: minor + 1 }, (_, one) => ({ major: 2, minor: one })));

describe('octaviaFeatures', () => {
  it('has what came with the newest version and before', () => {
    expect([...upTo(0)]).toEqual([]);
    expect([...upTo(12)]).toEqual(['timeouts', 'tags', 'flavors', 'additive-members', 'allowed-cidrs']);
  });

  it.each([
    ['timeouts', 1],
    ['tags', 5],
    ['flavors', 6],
    ['additive-members', 11],
    ['allowed-cidrs', 12],
    ['mixed-protocols', 13],
    ['availability-zones', 14],
    ['udp-http-monitors', 16],
    ['proxyv2', 22],
    ['sctp', 23],
    ['additional-vips', 26],
    ['vip-security-groups', 29],
  ] as const)('has %s since version 2.%i', (feature, minor) => {
    expect([upTo(minor - 1).has(feature), upTo(minor).has(feature)]).toEqual([false, true]);
  });

  it('takes no other major version for this one', () => {
    expect(octaviaFeatures([{ major: 3, minor: 30 }]).size).toBe(0);
  });
});
