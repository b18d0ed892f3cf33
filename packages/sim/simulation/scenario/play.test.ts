import { describe, expect, it } from 'vitest';
import type { Call } from '../network/call.ts';
import { type MirrorHabit, type MirrorWorld, mirrorScenario } from '../testing/mirror.ts';
import { crashMatrix } from './crash-matrix.ts';
import { playScript, playSeed } from './play.ts';
import { describeScript } from './script.ts';
import { shrink } from './shrink.ts';

/** The first seed at which the scenario fails. */
async function firstFailure(habit: MirrorHabit, seeds: number) {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const outcome = await playSeed(mirrorScenario(habit), seed);
    if (outcome.failure !== undefined) return outcome;
  }
  throw new Error(`none of ${seeds} seeds fails`);
}

describe('playing a scenario', () => {
  it('lets a correct controller pass, whatever befalls it', async () => {
    await expect(firstFailure('careful', 100)).rejects.toThrow('none of 100 seeds fails');
  });

  it.each([
    ['chatty', 'no write without a difference'],
    ['trusts-memory', 'nothing leaks'],
    ['forgets-removals', 'nothing leaks'],
    ['gives-up', 'convergence'],
  ] as const)('finds out the one that is %s', async (habit, invariant) => {
    expect((await firstFailure(habit, 100)).failure?.invariant).toBe(invariant);
  });

  it('can be run again from its script alone, byte for byte', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const scenario = mirrorScenario('careful');
      const outcome = await playSeed(scenario, seed);
      const script: typeof outcome.script = JSON.parse(JSON.stringify(outcome.script));
      expect((await playScript(scenario, script)).hash).toBe(outcome.hash);
    }
  });

  it('keeps the whole history on request, with the same hash', async () => {
    const scenario = mirrorScenario('careful');
    const short = await playSeed(scenario, 5);
    const whole = await playSeed(scenario, 5, { keepsHistory: true });
    expect(whole.hash).toBe(short.hash);
    expect(whole.history.length).toBeGreaterThan(short.history.length);
    expect(whole.history.some((line) => line.includes('ACTION want'))).toBe(true);
  });

  it('fails when an action cannot be applied', async () => {
    const scenario = {
      ...mirrorScenario('careful'),
      apply: () => Promise.reject(new Error('no such thing')),
    };
    expect((await playSeed(scenario, 1)).failure).toMatchObject({ invariant: 'every action can be applied' });
  });
});

describe('the crash matrix', () => {
  it('kills at every call, before and after, and finds nothing wrong with a correct controller', async () => {
    const matrix = await crashMatrix(mirrorScenario('careful'), { seed: 1 });
    expect(matrix).toMatchObject({ leaked: 0, lost: 0, diverged: 0, broken: 0, findings: [] });
    expect(matrix.points).toBeGreaterThan(30);
    expect(matrix.points % 2).toBe(0);
  });

  it('finds what a crash leaks, and where', async () => {
    const matrix = await crashMatrix(mirrorScenario('trusts-memory'), { seed: 1 });
    expect(matrix.leaked).toBeGreaterThan(5);
    expect(matrix).toMatchObject({ lost: 0, diverged: 0, broken: 0 });
    const [first] = matrix.findings;
    expect(first).toMatchObject({
      crashes: [{ side: 'after', call: expect.stringMatching(/cloud: POST .* #1$/) }],
      problem: 'leaked',
    });
    expect(first?.excerpt.some((line) => line.endsWith('mirror dies'))).toBe(true);
  });

  it('tells a world that does not come to rest from one that breaks an invariant', async () => {
    const scenario = mirrorScenario('careful');
    const dead = await crashMatrix(scenario, { seed: 1, restartAfterMilliseconds: 3_600_000 });
    expect(dead).toMatchObject({ diverged: 0, broken: 0 });
    const oneLife = (world: MirrorWorld) => (world.mirror.lives > 1 ? 'it has a second life' : undefined);
    const stuck = await crashMatrix({ ...scenario, unfinished: oneLife }, { seed: 1 });
    expect(stuck).toMatchObject({ diverged: stuck.points, broken: 0 });
    const invariants = (world: MirrorWorld) => [{ name: 'one life', check: () => oneLife(world) }];
    const broken = await crashMatrix({ ...scenario, invariants }, { seed: 1 });
    expect(broken).toMatchObject({ diverged: 0, broken: broken.points });
  });

  it('kills once more while the first crash is being put right, at a sample of pairs that follows from the seed', async () => {
    const twoLives = (world: MirrorWorld) => (world.mirror.lives > 2 ? 'it has a third life' : undefined);
    const scenario = {
      ...mirrorScenario('careful'),
      isCrashPoint: ({ write }: Call) => write,
      invariants: (world: MirrorWorld) => [{ name: 'two lives', check: () => twoLives(world) }],
    };
    const matrix = await crashMatrix(scenario, { seed: 1, pairs: 9 });
    expect(matrix).toMatchObject({ pairs: 9, leaked: 0, lost: 0, diverged: 0, broken: 9 });
    expect(matrix.findings.map(({ crashes }) => crashes.length)).toEqual(Array.from({ length: 9 }, () => 2));
    expect((await crashMatrix(scenario, { seed: 1, pairs: 9 })).hash).toBe(matrix.hash);
  });

  it('is not made for a scenario that fails by itself', async () => {
    await expect(crashMatrix(mirrorScenario('chatty'), { seed: 1 })).rejects.toThrow(
      'mirror-chatty fails without any crash, at seed 1: no write without a difference',
    );
  });

  it('tells of its progress', async () => {
    const told: number[] = [];
    const { points } = await crashMatrix(mirrorScenario('careful'), { seed: 1, onProgress: (done) => told.push(done) });
    expect(told).toEqual(Array.from({ length: points }, (_, index) => index + 1));
  });
});

describe('the shrinker', () => {
  it('leaves only what is needed for the failure, which is the same', async () => {
    const scenario = mirrorScenario('gives-up');
    const failed = await firstFailure('gives-up', 100);
    const { script, outcome, runs } = await shrink(scenario, failed);
    expect(outcome.failure?.invariant).toBe(failed.failure?.invariant);
    expect(script.events.length + script.faults.length).toBeLessThanOrEqual(2);
    expect(describeScript(script, (action) => scenario.describe(action))).toHaveLength(
      script.events.length + script.faults.length,
    );
    expect((await playScript(scenario, script)).hash).toBe(outcome.hash);
    expect(runs).toBeLessThan(200);
  });

  it('stops at its limit of runs with what it has', async () => {
    const failed = await firstFailure('gives-up', 100);
    const { outcome, runs } = await shrink(mirrorScenario('gives-up'), failed, { runs: 3 });
    expect(runs).toBe(3);
    expect(outcome.failure?.invariant).toBe(failed.failure?.invariant);
  });

  it('has nothing to do for a run that went well', async () => {
    const scenario = mirrorScenario('careful');
    await expect(shrink(scenario, await playSeed(scenario, 1))).rejects.toThrow('did not fail');
  });
});
