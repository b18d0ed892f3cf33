import { describe, expect, it } from 'vitest';
import { systemRandom } from './random.ts';

describe("the system's randomness", () => {
  it('is from 0 to below 1, and reaches all of it', () => {
    const drawn = Array.from({ length: 10_000 }, () => systemRandom.next());
    expect(drawn.every((one) => one >= 0 && one < 1)).toBe(true);
    expect(new Set(drawn.map((one) => Math.floor(16 * one))).size).toBe(16);
    expect(new Set(drawn).size).toBeGreaterThan(9_990);
  });
});
