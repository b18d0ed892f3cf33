import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../types/meta.ts';
import { OwnWrites } from './own-writes.ts';

const version = (resourceVersion: string, uid = 'a'): KubeObject => ({
  metadata: { namespace: 'shop', name: 'web', resourceVersion, uid },
});

describe('OwnWrites', () => {
  it('prefers what we wrote until the cache has seen it', () => {
    const writes = new OwnWrites();
    const written = version('10');
    writes.note(written);
    expect(writes.latest('shop/web', version('9'))).toBe(written);
    const seen = version('10');
    expect(writes.latest('shop/web', seen)).toBe(seen);
    const old = version('9');
    expect(writes.latest('shop/web', old)).toBe(old);
  });

  it('keeps what we wrote when it is asked with that: it tells nothing of the cache', () => {
    const writes = new OwnWrites();
    const written = version('10');
    writes.note(written);
    expect(writes.latest('shop/web', written)).toBe(written);
    expect(writes.latest('shop/web', version('9'))).toBe(written);
  });

  it('gives what others wrote after us', () => {
    const writes = new OwnWrites();
    writes.note(version('10'));
    const newer = version('11');
    expect(writes.latest('shop/web', newer)).toBe(newer);
  });

  it('believes the cache that the object is gone, or is another one of that name', () => {
    const writes = new OwnWrites();
    writes.note(version('10'));
    expect(writes.latest('shop/web', undefined)).toBeUndefined();
    writes.note(version('10'));
    const namesake = version('9', 'b');
    expect(writes.latest('shop/web', namesake)).toBe(namesake);
  });

  it('knows that what it let go while it was being deleted is gone, whatever the cache still shows', () => {
    const writes = new OwnWrites();
    const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };
    writes.note({ metadata: { ...version('10').metadata, ...deleting } });
    expect(writes.latest('shop/web', version('10'))).toBeUndefined();
    expect(writes.latest('shop/web', version('9'))).toBeUndefined();
    const namesake = version('11', 'b');
    expect(writes.latest('shop/web', namesake)).toBe(namesake);
  });

  it('believes the server that an object is gone, but not its namesake', () => {
    const writes = new OwnWrites();
    writes.noteGone(version('10'));
    expect(writes.latest('shop/web', version('10'))).toBeUndefined();
    const namesake = version('11', 'b');
    expect(writes.latest('shop/web', namesake)).toBe(namesake);
  });

  it('keeps the newer of two answers that came in the wrong order', () => {
    const writes = new OwnWrites();
    const newer = version('12');
    writes.note(newer);
    writes.note(version('11'));
    expect(writes.latest('shop/web', version('10'))).toBe(newer);
  });

  it('does not bring back what is gone when an earlier answer comes late', () => {
    const writes = new OwnWrites();
    writes.noteGone(version('12'));
    writes.note(version('11'));
    expect(writes.latest('shop/web', version('10'))).toBeUndefined();
    const namesake = version('13', 'b');
    writes.note(namesake);
    expect(writes.latest('shop/web', version('10', 'b'))).toBe(namesake);
  });

  it('goes by the cache when versions cannot be compared', () => {
    const writes = new OwnWrites();
    writes.note(version('x2'));
    const cached = version('x1');
    expect(writes.latest('shop/web', cached)).toBe(cached);
  });
});
