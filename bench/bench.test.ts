import { describe, expect, it } from 'vitest';
import type { Bench, Figures } from './bench.ts';
import { runBenches } from './command.ts';

function bench(figures: Figures, name = 'speed'): Bench {
  return {
    name,
    description: 'how fast it is',
    targets: [
      { figure: 'perSecond', atLeast: 100, why: 'slower is no fun' },
      { figure: 'megabytes', atMost: 5, why: 'memory is dear' },
    ],
    run: (progress) => {
      progress('measuring');
      return Promise.resolve(figures);
    },
  };
}

async function run(parameters: readonly string[], benches: readonly Bench[]) {
  const printed: string[] = [];
  const reported: string[] = [];
  const exitCode = await runBenches(parameters, benches, {
    print: (line) => void printed.push(line),
    report: (line) => void reported.push(line),
  });
  return { exitCode, printed, reported };
}

const good = bench({ perSecond: 150, megabytes: 5 });
const bad = bench({ perSecond: 99, megabytes: 7 });

describe('the bench command', () => {
  it.each([
    ['none is named', []],
    ['it is asked for help', ['speed', '--help']],
  ])('lists the benches and their targets when %s', async (_when, parameters) => {
    const { exitCode, printed } = await run(parameters, [good]);
    expect(exitCode).toBe(0);
    expect(printed.join('\n')).toContain('speed: how fast it is\n  perSecond at least 100: slower is no fun');
  });

  it('names the benches there are when it is asked for another', async () => {
    const { exitCode, reported } = await run(['sped'], [good, bench({}, 'size')]);
    expect([exitCode, reported]).toEqual([2, ['there is no bench sped; there are: speed, size']]);
  });

  it('refuses options it does not know, and two benches at once', async () => {
    expect((await run(['speed', '--chekc'], [good])).reported).toEqual([
      'unknown option --chekc; there are --json and --check',
    ]);
    expect((await run(['speed', 'size'], [good])).exitCode).toBe(2);
  });

  it('prints the figures as one JSON object on the last line', async () => {
    const { exitCode, printed } = await run(['speed', '--json', '--check'], [bad]);
    expect(exitCode).toBe(1);
    expect(printed).toEqual(['{"perSecond":99,"megabytes":7}']);
  });

  it('names each target that is missed, and fails only when asked to check', async () => {
    expect((await run(['speed'], [bad])).exitCode).toBe(0);
    const { exitCode, reported } = await run(['--check', 'speed'], [bad]);
    expect(exitCode).toBe(1);
    expect(reported).toEqual([
      'measuring',
      'perSecond is 99, but should be at least 100: slower is no fun',
      'megabytes is 7, but should be at most 5: memory is dear',
    ]);
  });

  it('is content with figures that meet their targets exactly or better', async () => {
    const { exitCode, reported } = await run(['speed', '--check'], [good]);
    expect([exitCode, reported.at(-1)]).toEqual([0, 'all 2 targets of speed are met']);
  });

  it('takes a figure that is missing or no number for a missed target', async () => {
    const { exitCode, reported } = await run(['speed', '--check'], [bench({ perSecond: Number.NaN })]);
    expect(exitCode).toBe(1);
    expect(reported).toContain('megabytes was not measured');
    expect(reported).toContain('perSecond is NaN, but should be at least 100: slower is no fun');
  });

  it('says in one line why a bench failed', async () => {
    const broken: Bench = { ...good, run: () => Promise.reject(new Error('Go is not installed')) };
    const { exitCode, reported } = await run(['speed'], [broken]);
    expect([exitCode, reported]).toEqual([1, ['the bench speed failed: Go is not installed']]);
  });
});
