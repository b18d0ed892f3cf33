import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exportedSliceName,
  importedSliceName,
  isClusterName,
  keyOfRecord,
  memberNamespace,
  partsOfExportedSlice,
  recordName,
  suffixFor,
} from './names.ts';

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
/** Names that look alike when they are put together. */
const tricky = fc.oneof(label, fc.constantFrom('a', 'b', 'a-b', 'b-c', 'c', 'ipv4', 'h', 'm'));
const cluster = fc
  .oneof(
    tricky,
    fc.tuple(tricky, tricky).map((parts) => parts.join('.')),
  )
  .filter(isClusterName);
const key = fc.record({ namespace: tricky, name: tricky });

describe('names', () => {
  it('never meet: different Services and clusters have different names everywhere', () => {
    fc.assert(
      fc.property(
        key,
        key,
        cluster,
        cluster,
        tricky,
        tricky,
        (one, other, oneCluster, otherCluster, suffix, another) => {
          const isSame = one.name === other.name && one.namespace === other.namespace;
          expect(recordName(one) === recordName(other)).toBe(isSame);
          expect(exportedSliceName(one, suffix) === exportedSliceName(other, another)).toBe(
            isSame && suffix === another,
          );
          expect(memberNamespace('broker', oneCluster) === memberNamespace('broker', otherCluster)).toBe(
            oneCluster === otherCluster,
          );
          const imported = importedSliceName(one.name, oneCluster, suffix);
          const isSameImport = one.name === other.name && suffix === another && oneCluster === otherCluster;
          expect(imported === importedSliceName(other.name, otherCluster, another)).toBe(isSameImport);
        },
      ),
    );
  });

  it('are names of the API, and are read back', () => {
    fc.assert(
      fc.property(key, cluster, fc.string(), (one, from, text) => {
        expect(keyOfRecord(recordName(one))).toEqual(one);
        const suffix = suffixFor(text);
        expect(partsOfExportedSlice(exportedSliceName(one, suffix))).toEqual({ key: one, suffix });
        expect(memberNamespace('fairlead-broker', from)).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
        expect(importedSliceName(one.name, from, suffix).length).toBeLessThanOrEqual(253);
      }),
    );
  });

  it.each(['', 'web', 'a.b.c', '.shop', 'web.', 'Web.shop', '../x', 'web.shop.'])('are none in %j', (text) => {
    expect(keyOfRecord(text)).toBeUndefined();
  });

  it.each(['web.shop', 'ipv4', 'a.b.c.d', '.ipv4', 'a.b.'])('of slices are none in %j', (text) => {
    expect(partsOfExportedSlice(text)).toBeUndefined();
  });
});
