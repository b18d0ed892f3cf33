import { describe, expect, it } from 'vitest';
import { clockFinding } from './clock.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const dateAt = (offset: number) => new Date(NOW + offset).toUTCString();

describe('the clock', () => {
  it('is well within a minute of the API server’s, and when that does not tell', () => {
    expect(clockFinding(dateAt(59_000), NOW).isWell).toBe(true);
    expect(clockFinding(undefined, NOW).isWell).toBe(true);
  });

  it.each([
    [-300_000, 'is 300 s ahead of that of the API server'],
    [300_000, 'is 300 s behind that of the API server'],
  ])('is named when it is five minutes off', (offset, text) => {
    expect(clockFinding(dateAt(offset), NOW)).toMatchObject({ isWell: false, text: expect.stringContaining(text) });
  });
});
