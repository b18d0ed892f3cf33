import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuTime } from '../testing/adapters/cpu-time.ts';
import { parseRetryAfter } from './retry-after.ts';

const now = Date.UTC(2026, 10, 15, 12, 0, 0);

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    [' 7 ', 7000],
    ['Sun, 15 Nov 2026 12:00:30 GMT', 30_000],
    ['Sunday, 15-Nov-26 12:00:30 GMT', 30_000],
    ['Sun Nov 15 12:00:30 2026', 30_000],
    ['Sun Nov  1 12:00:30 2026', 0],
    ['Sun, 15 Nov 2026 11:59:00 GMT', 0],
  ])('reads %j', (header, milliseconds) => {
    expect(parseRetryAfter(header, now)).toBe(milliseconds);
  });

  it.each([undefined, '', ' ', '-5', '1.5', '1e3', '5 seconds', 'soon', 'Sun, 99 Nov 2026 12:00:30 GMT', '2026-11-15'])(
    'says nothing for %j',
    (header) => {
      expect(parseRetryAfter(header, now)).toBeUndefined();
    },
  );

  it.each(['999999999', '9'.repeat(400), 'Sun, 15 Nov 2099 12:00:30 GMT'])('caps %j at an hour', (header) => {
    expect(parseRetryAfter(header, now)).toBe(3_600_000);
  });

  it.each([
    ['5, 5', 5000],
    ['5,5', 5000],
    ['3, 7, 5', 7000],
    ['5, , soon', 5000],
    ['Sun, 15 Nov 2026 12:00:30 GMT, Sun, 15 Nov 2026 12:00:20 GMT', 30_000],
    ['10, Sunday, 15-Nov-26 12:00:30 GMT', 30_000],
    ['Sun Nov 15 12:00:30 2026, 45', 45_000],
    ['0, 0', 0],
  ])('waits for the longest of those in %j: a repeated header comes joined by commas', (header, milliseconds) => {
    expect(parseRetryAfter(header, now)).toBe(milliseconds);
  });

  it('caps at less where that is asked for', () => {
    expect([parseRetryAfter('90', now, 60_000), parseRetryAfter('9', now, 60_000)]).toEqual([60_000, 9000]);
  });

  it.each([',', ' ', '9', '5,', ', '])('takes no time over a header full of %j', async (repeated) => {
    const header = repeated.repeat(100_000);
    expect(await cpuTime(() => parseRetryAfter(header, now))).toBeLessThan(50);
  });

  it('reads back any date of the next hour to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3600 }), (seconds) => {
        expect(parseRetryAfter(new Date(now + seconds * 1000).toUTCString(), now)).toBe(seconds * 1000);
      }),
    );
  });

  it('never gives anything but a delay within the cap, or nothing', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer(), (header, at) => {
        const delay = parseRetryAfter(header, at);
        if (delay === undefined) return;
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(3_600_000);
      }),
    );
  });
});
