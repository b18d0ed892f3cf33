import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What real servers answered to the scenes of a contract, a file for each. */
export class Transcripts<Entry> {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(scene: { readonly name: string }): Promise<readonly Entry[]> {
    return JSON.parse(await readFile(this.#fileOf(scene), 'utf8'));
  }

  /** Keeps what a real server answers now. */
  async write(scene: { readonly name: string }, transcript: readonly Entry[]): Promise<void> {
    await writeFile(this.#fileOf(scene), `${JSON.stringify(transcript, null, 2)}\n`);
  }

  #fileOf({ name }: { readonly name: string }): string {
    return join(this.#folder, `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`);
  }
}
