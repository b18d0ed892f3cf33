import { clusterId, serviceUid } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseName, clusterMark, familyName, oldPoolName, readMarks, ruleName, serviceMark } from './names.ts';

const cluster = clusterMark(clusterId('c1'));
const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/);
const uid = fc.uuid().map(serviceUid);

describe('names in Azure', () => {
  it('keeps Services apart whose namespace and name read the same together', () => {
    const [left, right] = [serviceMark(serviceUid('u1')), serviceMark(serviceUid('u2'))];
    const names = [
      baseName({ namespace: 'a', name: 'b-c' }, cluster, left),
      baseName({ namespace: 'a-b', name: 'c' }, cluster, right),
    ];
    expect(names[0]).toMatch(/^a-b-c-[0-9a-f]{18}$/);
    expect(new Set(names).size).toBe(2);
    expect(oldPoolName({ namespace: 'a', name: 'b-c' }, 'IPv4')).toBe(
      oldPoolName({ namespace: 'a-b', name: 'c' }, 'IPv4'),
    );
    expect(oldPoolName({ namespace: 'x', name: 'y-ipv6' }, 'IPv4')).toBe(
      oldPoolName({ namespace: 'x', name: 'y' }, 'IPv6'),
    );
  });

  it('fits every name into what Azure allows, and reads the marks back from it', () => {
    fc.assert(
      fc.property(label, label, uid, (namespace, name, owner) => {
        const mark = serviceMark(owner);
        const base = baseName({ namespace, name }, cluster, mark);
        const six = familyName(base, 'IPv6');
        for (const made of [base, six, ruleName(base, 'UDP', 65_535), ruleName(six, 'TCP', 1), `${six}-allow-tcp`]) {
          expect(made).toMatch(/^[a-z0-9][a-z0-9._-]{0,78}[a-z0-9]$/);
          expect(readMarks(made)).toEqual({ cluster, service: mark });
          expect(readMarks(made.toUpperCase())).toEqual({ cluster, service: mark });
        }
      }),
    );
  });

  it.each(['kubernetes', 'aksOutboundBackendPool', 'a-b-c', 'x-y-ipv6', ''])('finds no mark in %j', (name) => {
    expect(readMarks(name)).toBeUndefined();
  });
});
