import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VARIABLE, withDefect } from '../../scenarios/mutations/defect.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CHART = join('deploy', 'chart', 'fairlead');

/** The chart of this checkout; where the environment asks for a defect, a copy of it that has it. */
export async function chartFolder(runFolder: string): Promise<string> {
  if (process.env[VARIABLE] === undefined) return join(ROOT, CHART);
  const copy = join(runFolder, CHART);
  await cp(join(ROOT, CHART), copy, { recursive: true });
  const entries = await readdir(copy, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    await writeFile(path, withDefect(path, await readFile(path, 'utf8')));
  }
  return copy;
}
