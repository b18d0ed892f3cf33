import { beforeEach, describe, expect, it } from 'vitest';
import { runSteps, type Step, type StepOutcome } from './test-steps.ts';

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
