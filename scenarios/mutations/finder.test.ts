import { afterAll, describe, expect, it } from 'vitest';
import type { Defect } from './defect.ts';
import { Finder, type SuiteAnswer } from './finder.ts';

const FIND = 'this.#seen = mark;';
const finder = new Finder();
afterAll(() => finder.end());

function insteadStands(replace: string, unit = 'packages/part/releases'): Defect {
  return { name: 'a try', file: 'packages/part/releases.ts', find: FIND, replace, foundBy: { unit } };
}

describe('a finder', { timeout: 60_000 }, () => {
  it('takes a defect out again before it looks at the next', async () => {
    const verdicts = [];
    for (const replace of [FIND, '', FIND, 'this.#seen = undefined;', FIND])
      verdicts.push((await finder.find(insteadStands(replace))).kind);
    expect(verdicts).toEqual(['missed', 'found', 'missed', 'found', 'missed']);
  });

  it('believes no source that cannot be read', async () => {
    expect(await finder.find(insteadStands('((('))).toEqual({ kind: 'missed' });
  });

  it('says so where there is no such test', async () => {
    expect(await finder.find(insteadStands('', 'packages/nobody'))).toEqual({
      kind: 'undecided',
      why: 'no test at packages/nobody',
    });
  });

  /** Processes that answer so often, and hang then. */
  function impatient(...answers: readonly number[]) {
    const begun: string[] = [];
    const start = () => {
      let left = answers[begun.length] ?? 0;
      begun.push('running');
      const at = begun.length - 1;
      const found: SuiteAnswer = { kind: 'run', hasFailed: true };
      return {
        ask: () => (left-- > 0 ? Promise.resolve(found) : new Promise<SuiteAnswer>(() => {})),
        hangUp: async () => {},
        kill: () => void (begun[at] = 'killed'),
      };
    };
    return { begun, finder: new Finder(0.01, start) };
  }

  it('tries again in a new process what did not end in one that has run others', async () => {
    const { begun, finder: trying } = impatient(1, 1);
    expect(await trying.find(insteadStands(''))).toEqual({ kind: 'found' });
    expect(await trying.find(insteadStands(''))).toEqual({ kind: 'found' });
    expect(begun).toEqual(['killed', 'running']);
  });

  it('says so where a suite does not end in a new process either', async () => {
    const { begun, finder: trying } = impatient(1, 0);
    await trying.find(insteadStands(''));
    const verdict = await trying.find(insteadStands(''));
    expect(verdict).toEqual({ kind: 'undecided', why: 'did not end within 0.01 s' });
    expect(begun).toEqual(['killed', 'killed']);
  });
});
