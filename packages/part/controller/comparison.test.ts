import { type LogFields, seededRandom, silentLogger, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import type { Readiness } from '../part.ts';
import { Comparison, intervalOf } from './comparison.ts';
import { Health } from './health.ts';

function world(intervalMilliseconds = 600_000, startsNow = false, again?: number) {
  const clock = new VirtualClock();
  const comparedAt: number[] = [];
  const warnings: string[] = [];
  const readiness: Readiness[] = [];
  const state: { failure?: Error | undefined; again: number | undefined; meanwhile?: () => void } = { again };
  const health = new Health({ set: (one) => readiness.push(one) });
  health.started();
  const comparison = new Comparison({
    clock,
    random: seededRandom(1),
    logger: { ...silentLogger, warn: (_: LogFields, message: string) => void warnings.push(message) },
    health,
    outside: 'the sea',
    intervalMilliseconds,
    compare: async () => {
      comparedAt.push(clock.monotonic());
      state.meanwhile?.();
      if (state.failure !== undefined) throw state.failure;
      return state.again;
    },
  });
  const stop = new AbortController();
  const ended = comparison.run(stop.signal, { startsNow });
  return { clock, comparison, comparedAt, warnings, readiness, state, stop: () => (stop.abort(), ended) };
}

describe('Comparison', () => {
  it('compares about once in each interval', async () => {
    const { clock, comparedAt, stop } = world();
    await clock.advance(6 * 600_000);
    expect(comparedAt.length).toBeGreaterThanOrEqual(5);
    expect(comparedAt.length).toBeLessThanOrEqual(7);
    await stop();
  });

  it('compares at once where it starts now, and then as ever', async () => {
    const { clock, comparedAt, stop } = world(600_000, true);
    await clock.advance(1_000);
    expect(comparedAt).toEqual([0]);
    await clock.advance(660_000);
    expect(comparedAt).toHaveLength(2);
    await stop();
  });

  it('looks again when the look before asked for it, be the interval longer or endless', async () => {
    const { clock, comparedAt, state, stop } = world(Number.POSITIVE_INFINITY, true, 60_000);
    await clock.advance(60_500);
    state.again = undefined;
    await clock.advance(3_600_000);
    expect(comparedAt).toEqual([0, 60_000, 120_000]);
    await stop();
  });

  it('compares soon after a suspicion, and not again and again after many', async () => {
    const { clock, comparison, comparedAt, stop } = world();
    await clock.advance(100_000);
    comparison.suspect('a wave');
    await clock.advance(2_000);
    expect(comparedAt).toEqual([101_000]);
    for (let second = 0; second < 20; second += 1) {
      comparison.suspect('another wave');
      await clock.advance(1_000);
    }
    expect(comparedAt).toHaveLength(1);
    await clock.advance(10_000);
    expect(comparedAt).toEqual([101_000, 131_000]);
    await stop();
  });

  it('compares once more after a suspicion that comes up meanwhile', async () => {
    const { clock, comparison, comparedAt, state, stop } = world(Number.POSITIVE_INFINITY);
    state.meanwhile = () => {
      if (comparedAt.length === 1) comparison.suspect('another wave');
    };
    comparison.suspect('a wave');
    await clock.advance(600_000);
    expect(comparedAt).toEqual([1_000, 31_000]);
    await stop();
  });

  it('compares only on suspicion where no interval is set', async () => {
    const { clock, comparison, comparedAt, stop } = world(Number.POSITIVE_INFINITY);
    await clock.advance(86_400_000);
    expect(comparedAt).toEqual([]);
    comparison.suspect('a wave');
    await clock.advance(2_000);
    expect(comparedAt).toHaveLength(1);
    await stop();
  });

  it('tries again after a failure, says so, and is unready after several in a row', async () => {
    const { clock, comparison, state, warnings, readiness, stop } = world();
    state.failure = new Error('fog');
    comparison.suspect('a wave');
    await clock.advance(40_000);
    expect(readiness.at(-1)).toEqual({ ready: true });
    await clock.advance(80_000);
    expect(warnings[0]).toBe('comparing with the sea failed: trying again');
    expect(readiness.at(-1)).toEqual({ ready: false, reason: 'comparing with the sea fails: fog' });
    state.failure = undefined;
    await clock.advance(60_000);
    expect(readiness.at(-1)).toEqual({ ready: true });
    await stop();
  });
});

it('an interval of no seconds is never over', () => {
  expect(intervalOf(90)).toBe(90_000);
  expect(intervalOf(0)).toBe(Number.POSITIVE_INFINITY);
});
