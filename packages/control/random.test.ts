import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jitter, randomInteger, randomPick, randomUuid, seededRandom } from './random.ts';

describe('seeded random', () => {
  it('gives the same numbers for the same seed, and others for another', () => {
    const numbers = (seed: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: 10 }, () => random.next());
    };
    expect(numbers(42)).toEqual(numbers(42));
    expect(numbers(42)).not.toEqual(numbers(43));
  });

  it('is spread evenly', () => {
    const random = seededRandom(1);
    const counts = [0, 0, 0, 0];
    for (let draw = 0; draw < 4000; draw += 1) {
      const quarter = randomInteger(random, 0, 3);
      counts[quarter] = (counts[quarter] ?? 0) + 1;
    }
    for (const count of counts) expect(count).toBeGreaterThan(900);
  });

  it('keeps integers, picks and jitter within their bounds', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: -50, max: 50 }), fc.nat(50), (seed, minimum, span) => {
        const random = seededRandom(seed);
        const drawn = randomInteger(random, minimum, minimum + span);
        expect(Number.isInteger(drawn) && drawn >= minimum && drawn <= minimum + span).toBe(true);
        expect(['a', 'b', 'c']).toContain(randomPick(random, ['a', 'b', 'c']));
        expect(Math.abs(jitter(random, 100, 0.2) - 100)).toBeLessThanOrEqual(20);
      }),
    );
  });

  it('cannot pick from nothing', () => {
    expect(() => randomPick(seededRandom(1), [])).toThrow('empty list');
  });

  it('makes version 4 UUIDs', () => {
    const random = seededRandom(1);
    const uuids = Array.from({ length: 100 }, () => randomUuid(random));
    for (const uuid of uuids) expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(new Set(uuids).size).toBe(100);
  });
});
