import type { Random } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { hashText, RandomStreams } from './random-streams.ts';

const draw = (random: Random, count: number) => Array.from({ length: count }, () => random.next());

describe('random streams', () => {
  it('give the same numbers for the same seed and name', () => {
    expect(draw(new RandomStreams(7).named('latency'), 5)).toEqual(draw(new RandomStreams(7).named('latency'), 5));
  });

  it('differ by seed, also by the high half of a large one, and by name', () => {
    const first = draw(new RandomStreams(7).named('latency'), 5);
    expect(draw(new RandomStreams(8).named('latency'), 5)).not.toEqual(first);
    expect(draw(new RandomStreams(7 + 2 ** 32).named('latency'), 5)).not.toEqual(first);
    expect(draw(new RandomStreams(7).named('faults'), 5)).not.toEqual(first);
  });

  it('are not shifted by draws from another stream', () => {
    const disturbed = new RandomStreams(7);
    draw(disturbed.named('faults'), 100);
    expect(draw(disturbed.named('latency'), 5)).toEqual(draw(new RandomStreams(7).named('latency'), 5));
  });

  it('go on where they were when asked for by name again', () => {
    const streams = new RandomStreams(7);
    const [first, second] = draw(new RandomStreams(7).named('a'), 2);
    expect([streams.named('a').next(), streams.named('a').next()]).toEqual([first, second]);
  });

  it('begin anew for each derived one, told apart by all its numbers', () => {
    const streams = new RandomStreams(7);
    expect(draw(streams.derived(1, 2), 3)).toEqual(draw(streams.derived(1, 2), 3));
    const firsts = [streams.derived(1, 2), streams.derived(2, 1), streams.derived(1), streams.derived(12)];
    expect(new Set(firsts.map((random) => random.next()))).toHaveLength(4);
  });

  it('spread evenly over many derived ones', () => {
    const streams = new RandomStreams(1);
    const low = Array.from({ length: 10_000 }, (_, index) => streams.derived(index).next()).filter((n) => n < 0.1);
    expect(low.length).toBeGreaterThan(850);
    expect(low.length).toBeLessThan(1150);
  });

  it('hash texts that differ a little to numbers that differ a lot', () => {
    const hashes = Array.from({ length: 10_000 }, (_, index) => hashText(`call #${index}`));
    expect(new Set(hashes).size).toBeGreaterThan(9990);
    expect(new Set(hashes.map((hash) => hash >>> 24))).toHaveLength(256);
  });
});
