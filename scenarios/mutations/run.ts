// Puts each defect of the table into the code, one at a time, and sees whether what should find it does.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { applied, type Defect, type FoundBy } from './defect.ts';
import { defects } from './defects/index.ts';
import { Finder, type Verdict } from './finder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** A few that take a second or two each: a sample for every run of all tests. */
const SAMPLE_EVERY = 113;
const SAMPLE_FROM = 7;
const HELP = `npm run mutations                 puts every defect into the code, one at a time; each must be found
npm run mutations -- WORDS        those whose sentence or file has these words
npm run mutations -- stumble      those that people who tried Fairlead stumbled over
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
  return defects.filter(({ name, file, isStumble }) => `${name} ${file}${isStumble ? ' stumble' : ''}`.includes(words));
}

async function run(list: readonly Defect[]): Promise<number> {
  // Looked at in the whole table: a row that nobody runs for weeks would otherwise go unnoticed.
  const outdated = defects.filter((defect) => !applies(defect));
  const tried = list.filter((defect) => !outdated.includes(defect));
  const waiting = tried.values();
  const missed: string[] = [];
  let ended = 0;
  const work = async (): Promise<void> => {
    const finder = new Finder();
    for (const defect of waiting) {
      const started = performance.now();
      const verdict = await finder.find(defect);
      const seconds = ((performance.now() - started) / 1_000).toFixed(0);
      const line = `${verdictText(verdict)} ${defect.name} (${checkText(defect.foundBy)}, ${seconds} s)`;
      if (verdict.kind !== 'found') missed.push(line);
      ended += 1;
      console.log(`${ended}/${tried.length} ${line}`);
    }
    await finder.end();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), tried.length) }, work));
  for (const line of missed) console.log(line);
  for (const { name, file } of outdated) console.log(`OUTDATED ${name}: what it changes is no longer once in ${file}`);
  console.log(`${tried.length - missed.length} passed, ${missed.length + outdated.length} failed`);
  return missed.length + outdated.length === 0 && tried.length > 0 ? 0 : 1;
}

function applies(defect: Defect): boolean {
  try {
    applied(defect, readFileSync(join(ROOT, defect.file), 'utf8'));
    return true;
  } catch {
    return false;
  }
}

function verdictText(verdict: Verdict): string {
  if (verdict.kind === 'undecided') return `UNDECIDED (${verdict.why})`;
  return verdict.kind === 'found' ? 'found ' : 'MISSED';
}

function checkText(foundBy: FoundBy): string {
  if ('sim' in foundBy) return `sim ${foundBy.sim}, ${foundBy.seeds} seeds`;
  return 'unit' in foundBy ? `unit ${foundBy.unit}` : `e2e ${foundBy.e2e}`;
}
