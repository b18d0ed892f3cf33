import { seededRandom } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { type DisturbanceKind, describeDisturbance, drawDisturbances } from './disturbance.ts';

const perMinute: Record<DisturbanceKind, number> = {
  crash: 1,
  pause: 1,
  'clock-jump': 1,
  partition: 1,
  reset: 1,
  refusal: 1,
  suspend: 1,
  drift: 1,
};
const plan = { perMinute, processes: ['a', 'b'], servers: ['kube'] };

describe('disturbances', () => {
  it('follow from the seed, within the time', () => {
    const drawn = drawDisturbances(seededRandom(5), plan, 600_000);
    expect(drawDisturbances(seededRandom(5), plan, 600_000)).toEqual(drawn);
    expect(drawn.length).toBeGreaterThan(10);
    expect(drawn.every(({ at }) => at >= 0 && at <= 600_000)).toBe(true);
  });

  it('come about as often as was asked for, over many seeds, and some kinds not at all in one seed', () => {
    const counts: number[] = [];
    const kinds = new Set<string>();
    for (let seed = 0; seed < 400; seed += 1) {
      const drawn = drawDisturbances(seededRandom(seed), plan, 300_000);
      counts.push(drawn.length);
      for (const { event } of drawn) kinds.add(event.kind);
      expect(drawn.every(({ event }) => plan.processes.includes(event.process))).toBe(true);
    }
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    expect(mean).toBeGreaterThan(35);
    expect(mean).toBeLessThan(45);
    expect(kinds).toHaveLength(8);
    expect(drawDisturbances(seededRandom(1), { ...plan, perMinute: {} }, 600_000)).toEqual([]);
  });

  it('last no longer than allowed', () => {
    const drawn = drawDisturbances(seededRandom(2), { ...plan, longestMilliseconds: 100 }, 3_600_000);
    const lengths = drawn.flatMap(({ event }) => ('milliseconds' in event ? [Math.abs(event.milliseconds)] : []));
    expect(lengths.length).toBeGreaterThan(10);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(100);
  });

  it('say in words what they are', () => {
    const drawn = drawDisturbances(seededRandom(5), plan, 3_600_000);
    expect(new Set(drawn.map(({ event }) => describeDisturbance(event))).size).toBeGreaterThan(20);
    expect(describeDisturbance({ kind: 'partition', process: 'a', server: 'kube', milliseconds: 5 })).toBe(
      'a cannot reach kube for 5 ms',
    );
  });
});
