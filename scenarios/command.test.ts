import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from './command.ts';
import { randomScenario, type RunnableScenario } from './scenario.ts';
import { toyScenario } from './mutations/toy-scenario.ts';

const well: RunnableScenario = {
  name: 'well',
  description: 'never fails',
  run: async (seed) => ({ seed, hash: `${seed}`, counts: { steps: 1 }, history: ['a line'] }),
};
const failsAt = (...seeds: readonly number[]): RunnableScenario => ({
  ...well,
  name: 'badly',
  run: async (seed, options) => ({
    ...(await well.run(seed, options)),
    ...(seeds.includes(seed)
      ? { failure: { invariant: 'small', sentence: 'it is large', step: 1, at: 10, tail: ['before'] } }
      : {}),
  }),
});
const matrix: RunnableScenario = { ...well, name: 'matrix', seeds: 1 };

async function run(line: string, ...scenarios: readonly RunnableScenario[]) {
  const [out, error]: [string[], string[]] = [[], []];
  const output = { out: (text: string) => void out.push(text), error: (text: string) => void error.push(text) };
  const code = await runCommand(line.split(' ').filter(Boolean), scenarios, output);
  return { code, out, error };
}

describe('npm run sim', () => {
  it('lists the scenarios when told nothing', async () => {
    const { code, out } = await run('', well, matrix);
    expect(code).toBe(0);
    expect(out.join()).toMatch(/well +never fails\n/);
  });

  it('runs as many seeds as asked for, from where asked for', async () => {
    const { code, out } = await run('well --seeds 3 --from 5 --json', well);
    expect(code).toBe(0);
    expect(out).toHaveLength(1);
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ scenario: 'well', seeds: 3, failed: 0, steps: 3 });
  });

  it('exits 1 on a failure and shows the first one with the command that replays it, the others in a line', async () => {
    const { code, out, error } = await run('badly --seeds 9 --json', failsAt(4, 7));
    expect(code).toBe(1);
    expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({ seeds: 9, failed: 2, failedSeeds: [4, 7] });
    expect(error.filter((text) => text.endsWith('Replay: npm run sim -- badly --seed 4'))).toHaveLength(1);
    expect(error.join('\n')).toContain('seed 7 broke «small»: it is large (npm run sim -- badly --seed 7)');
  });

  it('runs one seed alone, with its history on request', async () => {
    expect(await run('badly --seed 3 --history', failsAt(4))).toMatchObject({
      code: 0,
      out: ['a line', 'badly: seed 3 went well', 'history 3'],
    });
    expect((await run('badly --seed 4', failsAt(4))).code).toBe(1);
  });

  it('shrinks a seed that fails', async () => {
    const scenario = randomScenario(toyScenario('finalizer-dropped-early'));
    const { code, out } = await run(`${scenario.name} --seed 1 --shrink`, scenario);
    expect(code).toBe(1);
    const text = out.join('\n');
    expect(text).toMatch(/The shortest history that fails in the same way \(found in \d+ runs\) has 2 things in it:/);
    expect(text).toMatch(/at [\d.]+ s: make claim-\d\n +at [\d.]+ s: remove claim-\d/);
  });

  it('has nothing to leave out of a crash matrix', async () => {
    const { out } = await run('badly --seed 4 --shrink', failsAt(4));
    expect(out.join('\n')).toContain('badly has nothing random that could be left out');
  });

  it('runs all, but of each no more seeds than make sense', async () => {
    const { code, out } = await run('--all --seeds 20 --json', well, matrix);
    expect(code).toBe(0);
    expect(JSON.parse(out[0] ?? '')).toMatchObject({
      seeds: 21,
      failed: 0,
      scenarios: [
        { scenario: 'well', seeds: 20 },
        { scenario: 'matrix', seeds: 1 },
      ],
    });
    expect((await run('--all --seeds 5', well, failsAt(2))).code).toBe(1);
  });

  it('says which scenarios there are when asked for another', async () => {
    await expect(run('wel', well, matrix)).rejects.toThrow('there is no scenario wel; there are well, matrix');
  });
});

describe('the real command', () => {
  const sim = (...words: readonly string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'run.ts'), ...words], { encoding: 'utf8' });

  it('gives the same histories on one core and on two', { timeout: 60_000 }, () => {
    const alone = JSON.parse(sim('kube', '--seeds', '4', '--json').stdout.trim().split('\n').at(-1) ?? '');
    const together = JSON.parse(sim('kube', '--seeds', '4', '--json', '--jobs', '2').stdout.trim());
    expect(alone).toMatchObject({ scenario: 'kube', seeds: 4, failed: 0 });
    expect(together.hash).toBe(alone.hash);
  });

  it('exits 2 when it does not understand', { timeout: 60_000 }, () => {
    const { status, stderr } = sim('nonsense');
    expect(status).toBe(2);
    expect(stderr).toContain('there is no scenario nonsense; there are kube, election');
  });
});
