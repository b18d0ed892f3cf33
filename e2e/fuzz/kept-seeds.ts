import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, 'fuzz.seeds');

/** The seeds that once found a difference: a number on each line, then # and what it was. */
export function keptSeeds(): readonly number[] {
  const lines = readFileSync(FILE, 'utf8').split('\n');
  return lines.flatMap((line) => {
    const text = line.replace(/#.*/, '').trim();
    if (text === '') return [];
    const seed = Number(text);
    if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`${FILE}: «${text}» is not a seed`);
    return [seed];
  });
}
