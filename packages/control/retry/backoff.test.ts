import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../random.ts';
import { Backoff, type BackoffPolicy, backoffDelay } from './backoff.ts';

const steady: BackoffPolicy = { initialMilliseconds: 100, maximumMilliseconds: 1000, factor: 2, jitter: 0 };

describe('backoff', () => {
  it('doubles up to the maximum and starts over after a success', () => {
    const backoff = new Backoff(seededRandom(1), steady);
    expect(Array.from({ length: 6 }, () => backoff.next())).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(backoff.failures).toBe(6);
    backoff.reset();
    expect(backoff.next()).toBe(100);
  });

  it('lets the delay of the server win, shorter or longer, and counts the failure', () => {
    const backoff = new Backoff(seededRandom(1), steady);
    expect(backoff.next(90_000)).toBe(90_000);
    expect(backoff.next(1)).toBe(1);
    expect(backoff.next()).toBe(400);
  });

  it('never comes back before the server said, and spreads out those whom it told the same', () => {
    const random = seededRandom(7);
    const policy = { ...steady, serverJitter: 0.5 };
    const delays = Array.from({ length: 100 }, () => new Backoff(random, policy).next(600));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(600);
    expect(Math.max(...delays)).toBeGreaterThan(850);
    expect(Math.max(...delays)).toBeLessThanOrEqual(900);
    expect(new Set(delays).size).toBeGreaterThan(90);
    expect(new Backoff(random, policy).next(3_600_000)).toBeLessThanOrEqual(3_600_500);
  });

  it('keeps its own delay when the server says to come back at once', () => {
    expect(new Backoff(seededRandom(1), steady).next(0)).toBe(100);
  });

  it('spreads out those who failed together', () => {
    const random = seededRandom(7);
    const delays = Array.from({ length: 100 }, () => new Backoff(random, { ...steady, jitter: 0.5 }).next());
    expect(new Set(delays).size).toBeGreaterThan(90);
    expect(Math.min(...delays)).toBeLessThan(60);
    expect(Math.max(...delays)).toBeGreaterThan(90);
  });

  it('stays within its bounds after any number of failures', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, seed, jitter) => {
          const delay = backoffDelay({ ...steady, jitter }, failures, seededRandom(seed));
          expect(delay).toBeLessThanOrEqual(1000);
          expect(delay).toBeGreaterThanOrEqual(100 * (1 - jitter));
        },
      ),
    );
  });
});
