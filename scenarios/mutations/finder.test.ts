import { afterAll, describe, expect, it } from 'vitest';
import type { Defect } from './defect.ts';
import { Finder } from './finder.ts';

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
});
