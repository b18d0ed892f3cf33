import { silentLogger, VirtualClock } from '@fairlead/control';
import type { EventMessage } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { RELEASE_ANNOTATION, Releases } from '../releases.ts';
import { DeletionGuard } from './deletion-guard.ts';

const gauge = { name: 'held', kind: 'gauge', help: 'Held back.' } as const;

function world() {
  const releases = new Releases('lighthouse');
  const clock = new VirtualClock();
  const told: EventMessage[] = [];
  const gauges: number[] = [];
  const guard = new DeletionGuard<string>({
    clock,
    logger: silentLogger,
    metrics: { declare() {}, increment() {}, observe() {}, set: (_, value) => void gauges.push(value) },
    cluster: { record: (message) => void told.push(message) },
    brake: { things: 'lamps', fraction: 0.3, minimumCount: 5, confirmAfterMilliseconds: 600_000 },
    gauge,
    releases,
  });
  return { clock, guard, told, gauges, releases };
}

const lamps = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('DeletionGuard', () => {
  it('lets a few leftovers go without a word', () => {
    const { clock, guard, told, gauges } = world();
    expect(guard.allow(['a'], 20, clock.monotonic())).toEqual(['a']);
    expect(told).toEqual([]);
    expect(gauges.at(-1)).toBe(0);
  });

  it('holds a mass of them back, says so on the cluster and in the gauge, and lets them go when confirmed', async () => {
    const { clock, guard, told, gauges } = world();
    expect(guard.allow(lamps, 10, clock.monotonic())).toEqual([]);
    expect(guard.heldCount).toBe(6);
    expect(gauges.at(-1)).toBe(6);
    expect(told).toMatchObject([
      { type: 'Warning', reason: 'DeletionHeldBack', note: expect.stringContaining('the deletion of 6 of 10 lamps') },
    ]);
    await clock.advance(600_000);
    expect(guard.allow(lamps, 10, clock.monotonic())).toEqual(lamps);
    expect(gauges.at(-1)).toBe(0);
  });

  it('names the command that releases them, and lets them go at the next look when an operator did', () => {
    const { clock, guard, told, releases } = world();
    const mark = (value: string) =>
      releases.observe({ metadata: { name: 'lease', annotations: { [RELEASE_ANNOTATION]: value } } });
    mark('old');
    expect(guard.allow(lamps, 10, clock.monotonic())).toEqual([]);
    expect(told).toMatchObject([{ note: expect.stringContaining('fairlead release lighthouse') }]);
    mark('new');
    expect(guard.allow(lamps, 10, clock.monotonic())).toEqual(lamps);
    expect(guard.allow([...lamps, 'g', 'h', 'i', 'j', 'k'], 12, clock.monotonic())).toEqual(lamps);
  });
});
