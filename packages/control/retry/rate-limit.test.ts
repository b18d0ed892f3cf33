import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../time/virtual-clock.ts';
import { KeyedRateLimit, TokenBucket } from './rate-limit.ts';

describe('TokenBucket', () => {
  it('gives tokens that are still to come, one after the other', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket(clock, { burst: 2, perSecond: 10 });
    expect(Array.from({ length: 5 }, () => bucket.reserve())).toEqual([0, 0, 100, 200, 300]);
    await clock.advance(250);
    expect([bucket.reserve(), bucket.take()]).toEqual([150, 250]);
    await clock.advance(10_000);
    expect(Array.from({ length: 3 }, () => bucket.reserve())).toEqual([0, 0, 100]);
  });
});

describe('KeyedRateLimit', () => {
  it('allows a burst and then one for each interval, for each key by itself', async () => {
    const clock = new VirtualClock();
    const limit = new KeyedRateLimit(clock, { burst: 2, perSecond: 1 }, 10);
    expect([limit.take('a'), limit.take('a'), limit.take('a')]).toEqual([true, true, false]);
    expect(limit.take('b')).toBe(true);
    await clock.advance(999);
    expect(limit.take('a')).toBe(false);
    await clock.advance(1);
    expect([limit.take('a'), limit.take('a')]).toEqual([true, false]);
    await clock.advance(3_600_000);
    expect([limit.take('a'), limit.take('a'), limit.take('a')]).toEqual([true, true, false]);
  });

  it('forgets the key that was not used for longest', () => {
    const limit = new KeyedRateLimit(new VirtualClock(), { burst: 1, perSecond: 1 }, 2);
    expect([limit.take('a'), limit.take('b'), limit.take('a'), limit.take('c')]).toEqual([true, true, false, true]);
    expect([limit.take('a'), limit.take('b')]).toEqual([false, true]);
  });
});
