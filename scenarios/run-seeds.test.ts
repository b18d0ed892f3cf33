import { describe, expect, it } from 'vitest';
import { runChecked, runSeeds } from './run-seeds.ts';
import type { RunnableScenario, SeedReport } from './scenario.ts';
import { describeFailure, describeSummary, summarize } from './summary.ts';

const well = (seed: number): SeedReport => ({ seed, hash: `hash of ${seed}`, counts: { steps: 10 }, history: [] });
const badly = (seed: number): SeedReport => ({
  ...well(seed),
  failure: { invariant: 'small', sentence: 'it is large', step: 5, at: 1500, tail: ['1.400 before', '1.500 then'] },
});

describe('running seeds', () => {
  it('runs each once, on as many runners as there are', async () => {
    const ran: string[] = [];
    const runner = (name: string) => async (seed: number) => {
      ran.push(name);
      await Promise.resolve();
      return well(seed);
    };
    const done: number[] = [];
    const reports = await runSeeds([1, 2, 3, 4], [runner('a'), runner('b')], (_, count) => done.push(count));
    expect(new Set(reports.map(({ seed }) => seed))).toEqual(new Set([1, 2, 3, 4]));
    expect(new Set(ran)).toEqual(new Set(['a', 'b']));
    expect(done).toEqual([1, 2, 3, 4]);
  });

  it('stops when enough of them have failed', async () => {
    const seeds = Array.from({ length: 100 }, (_, index) => index);
    const reports = await runSeeds(seeds, [async (seed) => badly(seed)], () => {});
    expect(reports).toHaveLength(10);
  });
});

describe('checking that a seed gives one history', () => {
  const scenario = (hashes: string[], lines: string[][]): RunnableScenario => ({
    name: 'test',
    description: '',
    run: async (seed) => ({ ...well(seed), hash: hashes.shift() ?? '', history: lines.shift() ?? [] }),
  });

  it('runs some twice', async () => {
    const hashes = ['x', 'x', 'unused'];
    expect((await runChecked(scenario(hashes, []), 51)).failure).toBeUndefined();
    expect(hashes).toEqual(['unused']);
    await runChecked(scenario(hashes, []), 52);
    expect(hashes).toEqual([]);
  });

  it('runs the only seed of a scenario once', async () => {
    const hashes = ['x', 'unused'];
    expect((await runChecked({ ...scenario(hashes, []), seeds: 1 }, 1)).failure).toBeUndefined();
    expect(hashes).toEqual(['unused']);
  });

  it('names the first line that differs', async () => {
    const lines = [[], [], ['same', 'one'], ['same', 'two']];
    const { failure } = await runChecked(scenario(['x', 'y', '', ''], lines), 1);
    expect(failure).toMatchObject({
      invariant: 'one seed gives one history',
      sentence: 'the second run differs from line 2 on',
      details: 'first:  one\nsecond: two',
      tail: ['same'],
    });
  });
});

describe('the summary', () => {
  it('counts, sums up and hashes in the order of the seeds', () => {
    const summary = summarize('kube', [badly(2), well(1), well(3)], 1500);
    expect(summary).toMatchObject({
      scenario: 'kube',
      seeds: 3,
      failed: 1,
      failedSeeds: [2],
      seconds: 1.5,
      seedsPerMinute: 120,
      steps: 30,
    });
    expect(summarize('kube', [well(1), badly(2), well(3)], 1).hash).toBe(summary.hash);
    expect(summarize('kube', [well(1), well(4)], 1).hash).not.toBe(summarize('kube', [well(1), well(3)], 1).hash);
    expect(describeSummary(summary)).toBe('kube: 3 seeds in 1.5 s (120 a minute), 1 FAILED');
  });

  it('shows a failure with what came before it and ends with the command that replays it', () => {
    expect(describeFailure('kube', badly(17)).split('\n')).toEqual([
      '    1.400 before',
      '    1.500 then',
      'kube: seed 17 broke «small» at 1.500 s, step 5:',
      '  it is large',
      'Replay: npm run sim -- kube --seed 17',
    ]);
    expect(describeFailure('kube', well(3))).toBe('kube: seed 3 went well');
  });
});
