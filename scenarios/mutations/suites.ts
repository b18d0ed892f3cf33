// Keeps vitest, and the sources that it has transformed, from one defect to the next: starting it anew for each takes
// longer than most suites.
import { join } from 'node:path';
import { createVitest, type Vitest } from 'vitest/node';
import { type Defect, VARIABLE } from './defect.ts';
import { IN_PROGRAMS, type SuiteAnswer } from './finder.ts';

const ROOT = join(import.meta.dirname, '..', '..');

// Without one the configuration leaves out the plugin that puts it into the sources.
process.env[VARIABLE] = '';
process.env['NODE_OPTIONS'] = IN_PROGRAMS;
const vitest = createVitest('test', {
  root: ROOT,
  project: ['unit'],
  reporters: [{}],
  watch: false,
  bail: 1,
  fsModuleCache: false,
});
const ready = vitest.then((started) => started.standalone());
process.on('disconnect', () => void vitest.then((started) => started.exit()));

process.on('message', (defect: Defect) => {
  void answer(defect).then((sent) => process.send?.(sent));
});

async function answer(defect: Defect): Promise<SuiteAnswer> {
  const started = await vitest;
  await ready;
  try {
    return { kind: 'run', hasFailed: await fails(started, defect) };
  } catch (error) {
    return { kind: 'not-run', why: error instanceof Error ? error.message : String(error) };
  }
}

/** A check that cannot even run proves nothing: a test has to have failed. */
async function fails(started: Vitest, defect: Defect): Promise<boolean> {
  const { foundBy, file } = defect;
  if (!('unit' in foundBy)) throw new Error('is found by no suite');
  process.env[VARIABLE] = JSON.stringify(defect);
  try {
    started.invalidateFile(join(ROOT, file));
    const chosen = await started.getRelevantTestSpecifications([foundBy.unit]);
    if (chosen.length === 0) throw new Error(`no test at ${foundBy.unit}`);
    const { testModules, unhandledErrors } = await started.runTestSpecifications(chosen);
    const failed = testModules.flatMap(({ children }) => [...children.allTests('failed')]);
    return failed.length > 0 || unhandledErrors.length > 0;
  } finally {
    process.env[VARIABLE] = '';
    started.invalidateFile(join(ROOT, file));
  }
}
