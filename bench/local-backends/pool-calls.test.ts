import { describe, expect, it } from 'vitest';
import { latencies, mostPerInterval, type PoolCall } from './pool-calls.ts';
import { poolText, type RollingRestart } from './rolling-restart.ts';

const INTERVAL = 30_000;

/** One Service that has a pod on node 1, then one on 1 and 2, then one on 2. */
const restart: RollingRestart = {
  initial: [[1]],
  changes: [
    { at: 1_000, service: 0, pods: [1, 2] },
    { at: 1_200, service: 0, pods: [2, 1] },
    { at: 2_000, service: 0, pods: [2] },
  ],
};
const put = (at: number, pods: readonly number[]): PoolCall => ({
  at,
  service: 0,
  method: 'PUT',
  content: poolText(pods),
});

describe('latencies', () => {
  it('are those of the first write that has the change, and none of what changes nothing', () => {
    const calls = [put(1_500, [1, 2]), put(32_000, [2])];
    expect(latencies(restart, calls, INTERVAL)).toEqual({
      quiet: [500],
      busy: [30_000],
      all: [500, 30_000],
      missing: 0,
    });
  });

  it('end with a write that skips a change for a newer one', () => {
    expect(latencies(restart, [put(5_000, [2])], INTERVAL)).toEqual({
      quiet: [4_000],
      busy: [3_000],
      all: [4_000, 3_000],
      missing: 0,
    });
  });

  it('count what was never written, and trust no write of something old', () => {
    expect(latencies(restart, [put(5_000, [1])], INTERVAL)).toEqual({ quiet: [], busy: [], all: [], missing: 2 });
  });
});

describe('the most calls within an interval', () => {
  const get = (service: number, at: number): PoolCall => ({ at, service, method: 'GET' });

  it('are those of one pool, wherever the interval begins', () => {
    const calls = [get(0, 29_000), get(0, 58_999), get(1, 29_000), put(29_500, [1])];
    expect(mostPerInterval(calls, 'GET', INTERVAL)).toBe(2);
    expect(mostPerInterval(calls, 'GET', 29_999)).toBe(1);
    expect(mostPerInterval([], 'GET', INTERVAL)).toBe(0);
  });
});
