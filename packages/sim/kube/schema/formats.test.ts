import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatBytes, formatMicroTime, formatQuantity, formatTime, secondsText } from './formats.ts';

describe('times', () => {
  it('are written in UTC, to the second', () => {
    expect(formatTime('2026-01-01T01:02:03.999+01:00')).toEqual({ value: '2026-01-01T00:02:03Z' });
    expect(formatTime('2026-01-01 01:02:03Z')).toHaveProperty('problem');
  });

  it('of leases keep their microseconds and want all six digits', () => {
    expect(formatMicroTime('2026-01-01T01:00:00.123456+01:00')).toEqual({ value: '2026-01-01T00:00:00.123456Z' });
    expect(formatMicroTime('2026-01-01T00:00:00.123Z')).toHaveProperty('problem');
    expect(formatMicroTime('2026-01-01T00:00:00Z')).toHaveProperty('problem');
  });

  it('are read as they are written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
        const text = secondsText(seconds * 1000);
        expect(formatTime(text)).toEqual({ value: text });
        expect(Date.parse(text)).toBe(seconds * 1000);
      }),
    );
  });
});

describe('quantities', () => {
  it.each([
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1025Ki', '1025Ki'],
    ['0.5', '500m'],
    ['1000m', '1'],
    ['1500', '1500'],
    ['4000', '4k'],
    ['1e3', '1e3'],
    ['12e6', '12e6'],
    ['0', '0'],
    ['-1.5', '-1500m'],
    ['100000000n', '100m'],
  ])('writes %s as %s', (given, written) => {
    expect(formatQuantity(given)).toEqual({ value: written });
  });

  it('stay as they are once they were written', () => {
    const amount = fc.tuple(fc.nat(99_999), fc.constantFrom('', 'm', 'k', 'M', 'Ki', 'Mi', 'Gi', 'e3'));
    fc.assert(
      fc.property(amount, ([number, suffix]) => {
        const first = formatQuantity(`${number}${suffix}`);
        expect('value' in first ? formatQuantity(first.value) : undefined).toEqual(first);
      }),
    );
  });

  it.each(['', 'x', '1Q', '1.2.3', '--1'])('refuses %j', (given) => {
    expect(formatQuantity(given)).toHaveProperty('problem');
  });
});

describe('bytes', () => {
  it('are base64, without line breaks', () => {
    expect(formatBytes('YWJj\nZA==')).toEqual({ value: 'YWJjZA==' });
    expect(formatBytes('a=')).toEqual({ problem: 'illegal base64 data at input byte 1' });
  });
});
