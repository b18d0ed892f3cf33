import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scene } from '../scene.ts';
import type { TranscriptEntry } from '../stage.ts';

const FOLDER = join(import.meta.dirname, '..', 'transcripts');

function fileOf({ name }: Scene): string {
  return join(FOLDER, `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`);
}

/** What a real API server answered when the scene was recorded. */
export async function readTranscript(scene: Scene): Promise<readonly TranscriptEntry[]> {
  return JSON.parse(await readFile(fileOf(scene), 'utf8'));
}

/** Keeps what a real API server answers now. */
export async function writeTranscript(scene: Scene, transcript: readonly TranscriptEntry[]): Promise<void> {
  await writeFile(fileOf(scene), `${JSON.stringify(transcript, null, 2)}\n`);
}
