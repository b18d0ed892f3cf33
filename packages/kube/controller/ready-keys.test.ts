import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReadyKeys } from './ready-keys.ts';

describe('ReadyKeys', () => {
  it('gives every key once: by priority, and of the same priority in the order in which it got it', () => {
    const additions = fc.array(
      fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), priority: fc.integer({ min: -2, max: 2 }) }),
    );
    fc.assert(
      fc.property(additions, (list) => {
        const ready = new ReadyKeys();
        const highest = new Map<string, { priority: number; since: number }>();
        for (const [since, { key, priority }] of list.entries()) {
          ready.add(key, priority);
          if ((highest.get(key)?.priority ?? Number.NEGATIVE_INFINITY) < priority)
            highest.set(key, { priority, since });
        }
        const expected = [...highest]
          .sort(([, left], [, right]) => right.priority - left.priority || left.since - right.since)
          .map(([key]) => key);
        expect(ready.size).toBe(expected.length);
        const taken: string[] = [];
        for (let key = ready.take(); key !== undefined; key = ready.take()) taken.push(key);
        expect(taken).toEqual(expected);
        expect(ready.size).toBe(0);
      }),
    );
  });
});
