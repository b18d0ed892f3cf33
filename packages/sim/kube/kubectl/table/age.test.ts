import { describe, expect, it } from 'vitest';
import { ageOf, humanDuration } from './age.ts';

describe('an age', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');

  it('grows coarser as it grows', () => {
    const [minute, hour, day, year] = [60, 3600, 86_400, 365 * 86_400];
    const told = [0, 119, 120, 125, 10 * minute, 179 * minute, 3 * hour, 3 * hour + 60, 8 * hour, 47 * hour, 2 * day]
      .concat([2 * day + hour, 8 * day, 729 * day, 2 * year, 2 * year + day, 8 * year])
      .map((seconds) => humanDuration(seconds * 1000 + 999));
    expect(told.join(' ')).toBe('0s 119s 2m 2m5s 10m 179m 3h 3h1m 8h 47h 2d 2d1h 8d 729d 2y 2y1d 8y');
  });

  it('forgives a clock that is two seconds off, and no more', () => {
    expect([-1, -1999, -2000].map(humanDuration)).toEqual(['0s', '0s', '<invalid>']);
  });

  it('is unknown where there is no time', () => {
    expect(ageOf('2026-03-01T11:59:00Z', now)).toBe('60s');
    expect(ageOf('2026-03-01T11:59:00.000000Z', now)).toBe('60s');
    expect([ageOf(null, now), ageOf(undefined, now), ageOf('', now)]).toEqual(Array(3).fill('<unknown>'));
  });
});
