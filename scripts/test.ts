// Every check and every test, cheapest first: `npm test`.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildComponents } from '../e2e/harness/components.ts';
import { DebianError } from './debian-packages.ts';
import { GoError } from './go-toolchain.ts';
import { HelmError } from './helm.ts';
import { PythonError } from './python-packages.ts';
import { missingPackages } from './system-packages.mjs';
import { readTestCounts, type TestCounts } from './test-counts.ts';
import { leavesNothing, runSteps, type Step, type StepOutcome } from './test-steps.ts';

const root = join(import.meta.dirname, '..');
process.chdir(root);

const steps: readonly Step[] = [
  { name: 'check', run: runCheck },
  { name: 'unit', run: () => runTests('unit') },
  { name: 'mutations', run: runMutations },
  { name: 'simulations', run: runSimulations },
  { name: 'components', run: prepareComponents },
  { name: 'e2e', needs: 'components', run: () => runTests('e2e') },
];

const ok = await runSteps(
  steps.map((step) => leavesNothing(step, console.log)),
  process.env['CI'] === 'true',
  console.log,
);
process.exitCode = ok ? 0 : 1;

async function runCheck(): Promise<StepOutcome> {
  return { kind: (await runNode([join('scripts', 'check.ts')])) ? 'ok' : 'failed' };
}

/** A few of the defects that the suites must find; `npm run mutations` tries all of them. */
async function runMutations(): Promise<StepOutcome> {
  return { kind: (await runNode([join('scenarios', 'mutations', 'run.ts'), '--sample'])) ? 'ok' : 'failed' };
}

/** Some seeds of every scenario, and those that once failed; `npm run sim` runs as many as one likes. */
async function runSimulations(): Promise<StepOutcome> {
  const parameters = ['--all', '--seeds', '60', '--jobs', '2'];
  return { kind: (await runNode([join('scenarios', 'run.ts'), ...parameters])) ? 'ok' : 'failed' };
}

async function runTests(project: string): Promise<StepOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-'));
  try {
    const report = join(folder, 'report.json');
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const succeeded = await runNode([vitest, 'run', '--project', project, ...reporters]);
    return { kind: succeeded ? 'ok' : 'failed', tests: await readReport(report) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A run that ended without a report was cut short, which is a failure of its own. */
async function readReport(path: string): Promise<TestCounts> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? { passed: 0, failed: 1 } : readTestCounts(JSON.parse(text));
}

/** What the end-to-end tests run against. */
async function prepareComponents(): Promise<StepOutcome> {
  const missing = missingPackages();
  if (missing.length > 0) {
    const packages = missing.map(({ name, neededBy }) => `${name} (${neededBy})`);
    return { kind: 'unavailable', why: `${packages.join(', ')} missing: \`npm run setup\` says what to do` };
  }
  try {
    await buildComponents();
    return { kind: 'ok' };
  } catch (error) {
    const isMissing = [HelmError, PythonError, DebianError].some((kind) => error instanceof kind);
    if (isMissing && error instanceof Error) return { kind: 'unavailable', why: error.message };
    if (!(error instanceof GoError)) throw error;
    if (error.reason !== 'compile') return { kind: 'unavailable', why: error.message };
    console.log(error.message);
    return { kind: 'failed' };
  }
}

function runNode(parameters: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [...process.execArgv, ...parameters], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code === 0));
  });
}
