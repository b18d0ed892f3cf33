import { requireIpAddress } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { claimsOf, isOfAnother, notItsOwn, registrationData, registrationName } from './registration.ts';

const registration = (cluster: string, ...ranges: readonly string[]) => ({
  metadata: { name: registrationName(cluster) },
  data: registrationData({ uid: `uid of ${cluster}`, ranges }),
});

describe('what a cluster was admitted with', () => {
  const claims = claimsOf([registration('a', '10.1.0.0/16', '2001:db8::/48'), registration('b', '10.2.0.0/16')]);
  const judged = (address: string, cluster: string) => notItsOwn(requireIpAddress(address), cluster, claims);

  it('says which addresses it may lead clients to', () => {
    expect(judged('10.1.2.3', 'a')).toBeUndefined();
    expect(judged('2001:db8::1', 'a')).toBeUndefined();
    expect(judged('10.2.0.1', 'a')).toBe('is in no range of the cluster a');
    expect(judged('198.51.100.1', 'a')).toBe('is in no range of the cluster a');
  });

  it('keeps a cluster without ranges out of those of others', () => {
    expect(judged('10.2.0.1', 'c')).toBe('is in 10.2.0.0/16, a range of the cluster b');
    expect(judged('10.3.0.1', 'c')).toBeUndefined();
  });

  it('tells it from another of the same name', () => {
    expect(isOfAnother(registration('a'), 'uid of a')).toBe(false);
    expect(isOfAnother(registration('a'), 'uid of b')).toBe(true);
    expect(isOfAnother(undefined, 'uid of b')).toBe(false);
    expect(isOfAnother(registration('a'), undefined)).toBe(false);
  });
});
