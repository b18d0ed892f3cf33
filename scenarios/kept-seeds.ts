import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The seeds of a scenario that once failed, from `<name>.seeds`: one on each line, with what it found after a `#`. */
export function keptSeeds(name: string, folder: string = import.meta.dirname): readonly number[] {
  const file = join(folder, `${name}.seeds`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return parseSeeds(text, file);
}

export function parseSeeds(text: string, file: string): readonly number[] {
  return text.split('\n').flatMap((line, index) => {
    const [content = ''] = line.split('#');
    if (content.trim() === '') return [];
    const seed = Number(content.trim());
    if (!Number.isSafeInteger(seed) || seed < 0) {
      throw new Error(`${file}:${index + 1}: «${content.trim()}» is not a seed: write a whole number, then # and why`);
    }
    return [seed];
  });
}
