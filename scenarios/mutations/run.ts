// Puts each defect of the table into the code, one at a time, and sees whether what should find it does.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { applied, type Defect, type FoundBy, VARIABLE } from './defect.ts';
import { defects } from './defects/index.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** A few that take a second or two each: a sample for every run of all tests. */
const SAMPLE_EVERY = 127;
const SAMPLE_FROM = 7;
const HELP = `npm run mutations                 puts every defect into the code, one at a time; each must be found
npm run mutations -- WORDS        those whose sentence or file has these words
npm run mutations -- --sample     a few of them
npm run mutations -- --list       the table`;

const [option = ''] = process.argv.slice(2);
if (option === '--help') console.log(HELP);
else if (option === '--list')
  for (const { name, file, foundBy } of defects) console.log(`${name} (${file}): ${checkText(foundBy)}`);
else process.exitCode = await run(chosen(process.argv.slice(2).join(' ')));

function chosen(words: string): readonly Defect[] {
  if (words === '--sample')
    return defects.filter(({ foundBy }, index) => 'unit' in foundBy && index % SAMPLE_EVERY === SAMPLE_FROM);
  return defects.filter(({ name, file }) => `${name} ${file}`.includes(words));
}

async function run(list: readonly Defect[]): Promise<number> {
  // Looked at in the whole table: a row that nobody runs for weeks would otherwise go unnoticed.
  const outdated = defects.filter((defect) => !applies(defect));
  let missed = 0;
  for (const [index, defect] of list.entries()) {
    if (outdated.includes(defect)) continue;
    const started = performance.now();
    const isFound = await fails(defect);
    const seconds = ((performance.now() - started) / 1_000).toFixed(0);
    if (!isFound) missed += 1;
    console.log(
      `${index + 1}/${list.length} ${isFound ? 'found ' : 'MISSED'} ${defect.name} (${checkText(defect.foundBy)}, ${seconds} s)`,
    );
  }
  for (const { name, file } of outdated) console.log(`OUTDATED ${name}: what it changes is no longer once in ${file}`);
  const tried = list.filter((defect) => !outdated.includes(defect)).length;
  console.log(`${tried - missed} passed, ${missed + outdated.length} failed`);
  return missed + outdated.length === 0 && tried > 0 ? 0 : 1;
}

function applies(defect: Defect): boolean {
  try {
    applied(defect, readFileSync(join(ROOT, defect.file), 'utf8'));
    return true;
  } catch {
    return false;
  }
}

/** A check that cannot even run proves nothing: a test or a seed has to have failed. */
async function fails(defect: Defect): Promise<boolean> {
  const { foundBy } = defect;
  const hook = join(import.meta.dirname, 'hook.ts');
  const parameters =
    'unit' in foundBy
      ? [
          join('node_modules', 'vitest', 'vitest.mjs'),
          'run',
          '--project',
          'unit',
          '--reporter=dot',
          '--fsModuleCache=false',
          '--bail=1',
          foundBy.unit,
        ]
      : [
          '--import',
          hook,
          join('scenarios', 'run.ts'),
          foundBy.sim,
          '--seeds',
          String(foundBy.seeds),
          '--from',
          String(foundBy.from ?? 1),
        ];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...parameters], {
    cwd: ROOT,
    env: { ...process.env, [VARIABLE]: JSON.stringify(defect), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return /\bTests\s+\d+ failed|\bFAILED\b|unhandled error/.test(stdout + stderr);
}

function checkText(foundBy: FoundBy): string {
  return 'unit' in foundBy ? `unit ${foundBy.unit}` : `sim ${foundBy.sim}, ${foundBy.seeds} seeds`;
}
