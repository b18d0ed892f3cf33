import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { leavesNothing, runSteps, type Step, type StepOutcome } from './test-steps.ts';

describe('runSteps', () => {
  const lines: string[] = [];
  const ran: string[] = [];
  const step = (name: string, outcome: StepOutcome, needs?: string): Step => ({
    name,
    ...(needs === undefined ? {} : { needs }),
    run: async () => {
      ran.push(name);
      return outcome;
    },
  });
  const run = (steps: readonly Step[], mustRunAll = false) => runSteps(steps, mustRunAll, (line) => lines.push(line));
  const lastLine = (): string | undefined => lines.join('\n').split('\n').at(-1);

  const unit = step('unit', { kind: 'ok', tests: { passed: 7, failed: 0 } });
  const components = step('components', { kind: 'unavailable', why: 'there is no Go' });
  const endToEnd = step('e2e', { kind: 'ok', tests: { passed: 2, failed: 0 } }, 'components');

  beforeEach(() => {
    lines.length = 0;
    ran.length = 0;
  });

  it('ends with the sum of all tests, alone on the last line', async () => {
    expect(await run([step('check', { kind: 'ok' }), unit, endToEnd])).toBe(true);
    expect(lastLine()).toBe('9 passed, 0 failed');
  });

  it('stops at the first step that fails, and still sums up', async () => {
    const failing = step('unit', { kind: 'failed', tests: { passed: 5, failed: 2 } });
    expect(await run([failing, endToEnd])).toBe(false);
    expect(ran).toEqual(['unit']);
    expect(lastLine()).toBe('5 passed, 2 failed');
  });

  it('goes on without what this machine lacks, and says so', async () => {
    expect(await run([components, endToEnd, unit])).toBe(true);
    expect(ran).toEqual(['components', 'unit']);
    expect(lines.join('\n')).toMatch(
      /components .*NOT RUN: there is no Go\ne2e .*NOT RUN: there is no Go\nunit .*ok, 7 passed/,
    );
    expect(lastLine()).toBe('7 passed, 0 failed');
  });

  it('fails for what this machine lacks where everything must run', async () => {
    expect(await run([components, endToEnd, unit], true)).toBe(false);
    expect(ran).toEqual(['components']);
  });
});

describe('a step that has to leave nothing', () => {
  const run = async (outcome: StepOutcome, ...names: readonly string[]) => {
    const lines: string[] = [];
    const step = {
      name: 'unit',
      async run() {
        for (const name of names) await writeFile(join(tmpdir(), name), '');
        return outcome;
      },
    };
    return { ended: await leavesNothing(step, (line) => lines.push(line)).run(), lines };
  };
  const tests = { passed: 7, failed: 0 };

  it('fails when something is left in its temporary folder, and says what', async () => {
    expect(await run({ kind: 'ok', tests }, 'kubeconfig', 'answer')).toEqual({
      ended: { kind: 'failed', tests },
      lines: ['left behind in the temporary folder: answer, kubeconfig'],
    });
  });

  it('ends as it ended otherwise', async () => {
    for (const outcome of [
      { kind: 'ok', tests },
      { kind: 'unavailable', why: 'there is no Go' },
    ] as const) {
      expect(await run(outcome)).toEqual({ ended: outcome, lines: [] });
    }
    expect((await run({ kind: 'failed', tests }, 'report')).ended).toEqual({ kind: 'failed', tests });
  });

  it('has nothing left there when it cannot be run', async () => {
    const before = tmpdir();
    const broken = { name: 'unit', run: () => Promise.reject(new Error('no such program')) };
    await expect(leavesNothing(broken, () => {}).run()).rejects.toThrow('no such program');
    expect(tmpdir()).toBe(before);
  });
});
