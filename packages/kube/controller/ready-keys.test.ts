import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReadyKeys } from './ready-keys.ts';

describe('ReadyKeys', () => {
  it('gives every key once: by priority, and of the same priority and namespace in the order in which it got it', () => {
    const additions = fc.array(
      fc.record({
        key: fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c'),
        priority: fc.integer({ min: -2, max: 2 }),
      }),
    );
    const namespaceOf = (key: string) => key.split('/')[0] ?? '';
    fc.assert(
      fc.property(additions, (list) => {
        const ready = new ReadyKeys();
        const highest = new Map<string, { priority: number; since: number }>();
        for (const [since, { key, priority }] of list.entries()) {
          ready.add(key, priority);
          if ((highest.get(key)?.priority ?? Number.NEGATIVE_INFINITY) < priority)
            highest.set(key, { priority, since });
        }
        expect(ready.size).toBe(highest.size);
        const taken: string[] = [];
        for (let key = ready.take(); key !== undefined; key = ready.take()) taken.push(key);
        expect(taken.toSorted()).toEqual([...highest.keys()].toSorted());
        const priorities = taken.map((key) => highest.get(key)?.priority ?? 0);
        expect(priorities).toEqual(priorities.toSorted((left, right) => right - left));
        for (const [index, key] of taken.entries()) {
          const mine = highest.get(key);
          const before = taken.slice(0, index).filter((other) => namespaceOf(other) === namespaceOf(key));
          const sooner = before.map((other) => highest.get(other)).filter((one) => one?.priority === mine?.priority);
          expect(sooner.every((one) => (one?.since ?? 0) < (mine?.since ?? 0))).toBe(true);
        }
      }),
    );
  });

  it('lets namespaces take turns, however many keys one of them has', () => {
    const ready = new ReadyKeys();
    for (let index = 0; index < 1_000; index += 1) ready.add(`flood/${index}`, 0);
    ready.add('shop/web', 0);
    ready.add('shop/mail', 0);
    ready.add('node-1', 0);
    const taken = Array.from({ length: 6 }, () => ready.take());
    expect(taken).toEqual(['flood/0', 'shop/web', 'node-1', 'flood/1', 'shop/mail', 'flood/2']);
  });
});
