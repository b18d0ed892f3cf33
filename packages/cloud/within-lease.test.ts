import { describe, expect, it } from 'vitest';
import type { CallVerb, CloudCall } from './request.ts';
import { withinLease } from './within-lease.ts';

const call = (verb: CallVerb, deadlineMilliseconds: number): CloudCall => ({
  verb,
  kind: 'loadBalancers',
  name: `${verb} loadBalancers`,
  subject: 'one',
  deadlineMilliseconds,
});

describe('a call within the Lease', () => {
  const check = withinLease({ covers: (milliseconds) => milliseconds <= 5_000 });

  it('lets a write start that the Lease outlives', () => {
    expect(() => check(call('PUT', 5_000))).not.toThrow();
  });

  it.each(['PUT', 'DELETE', 'POST'] as const)('holds back a %s that the Lease may not outlive', (verb) => {
    expect(() => check(call(verb, 5_001))).toThrow(
      expect.objectContaining({ verdict: 'retriable', code: 'lease-too-short' }),
    );
  });

  it.each([
    [10_000, 15],
    [20_000, 30],
    [60_000, 90],
  ])('says how long a Lease outlives a call of %i ms', (milliseconds, seconds) => {
    expect(() => check(call('POST', milliseconds))).toThrow(`leaseDurationSeconds to ${seconds} or more`);
    // A sixth of it passes between two renewals, and nine tenths of it count.
    expect((0.9 - 1 / 6) * seconds * 1000).toBeGreaterThanOrEqual(milliseconds);
  });

  it.each(['GET', 'LIST', 'POLL'] as const)('lets a %s through at any time', (verb) => {
    expect(() => check(call(verb, 60_000))).not.toThrow();
  });
});
