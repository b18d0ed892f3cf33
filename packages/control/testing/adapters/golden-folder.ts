import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseAllDocuments, stringify } from 'yaml';

const INPUT = '.in.yaml';
const OUTPUT = '.out.yaml';

/** With FAIRLEAD_UPDATE_GOLDEN=1 the outputs are rewritten: read the difference before committing it. */
const rewrites = process.env['FAIRLEAD_UPDATE_GOLDEN'] === '1';

/** What became of an input, and what should have, both as YAML. */
export interface GoldenPair {
  readonly actual: string;
  readonly expected: string;
}

/** A folder of pairs `NAME.in.yaml` and `NAME.out.yaml`: what goes into a translation, and what comes out of it. */
export class GoldenFolder {
  readonly #folder: URL;
  /** Of the inputs. */
  readonly names: readonly string[];

  /** Throws when there is no pair at all, or an output without its input. */
  constructor(folder: URL) {
    this.#folder = folder;
    this.names = namesOf(folder, INPUT);
    const stray = namesOf(folder, OUTPUT).find((name) => !this.names.includes(name));
    if (stray !== undefined) throw new Error(`${stray}${OUTPUT} has no ${stray}${INPUT} beside it`);
    if (this.names.length === 0) throw new Error(`there is no ${INPUT} in ${folder.pathname}`);
  }

  /** Translates the YAML documents of an input. */
  async pair(name: string, translate: (documents: readonly unknown[]) => unknown): Promise<GoldenPair> {
    const documents = parseAllDocuments(readFileSync(new URL(`${name}${INPUT}`, this.#folder), 'utf8'));
    const translated = await translate(documents.map((document): unknown => document.toJS()));
    const actual = stringify(translated, { aliasDuplicateObjects: false, lineWidth: 0 });
    const output = new URL(`${name}${OUTPUT}`, this.#folder);
    if (rewrites) writeFileSync(output, actual);
    return { actual, expected: readFileSync(output, 'utf8') };
  }
}

function namesOf(folder: URL, ending: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length));
}
