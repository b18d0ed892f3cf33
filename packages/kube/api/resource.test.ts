import { describe, expect, it } from 'vitest';
import { byAge, keyText } from './resource.ts';

describe('byAge', () => {
  it('sorts the oldest first, then by key, and what has no time yet before all', () => {
    const object = (namespace: string, name: string, creationTimestamp?: string) => ({
      metadata: { namespace, name, ...(creationTimestamp !== undefined && { creationTimestamp }) },
    });
    const objects = [
      object('shop', 'b', '2026-01-02T00:00:00Z'),
      object('bar', 'z', '2026-01-02T00:00:00Z'),
      object('shop', 'c', '2026-01-01T00:00:00Z'),
      object('shop', 'a', '2026-01-02T00:00:00Z'),
      object('shop', 'new'),
    ];
    const sorted = objects.toSorted(byAge).map(({ metadata }) => keyText(metadata));
    expect(sorted).toEqual(['shop/new', 'shop/c', 'bar/z', 'shop/a', 'shop/b']);
    expect(objects.map((same) => byAge(same, same))).toEqual([0, 0, 0, 0, 0]);
  });
});
