import { readFileSync } from 'node:fs';
import { FairleadError } from '@fairlead/control';
import type { Part } from '@fairlead/part';
import { readConfiguration } from './read.ts';
import type { Configuration } from './schema.ts';

/** Reads the file, or says in one line what is wrong with it. */
export function loadConfiguration(file: string, parts: readonly Part[]): Configuration {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const advice = 'name the file with --config; `fairlead demo --print-config` shows one that works';
    throw new FairleadError(`cannot read the configuration file ${file}: ${reasonOf(error)}; ${advice}`, {
      verdict: 'terminal',
      code: 'configuration-unreadable',
      cause: error,
    });
  }
  return readConfiguration(text, file, parts);
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'permission denied';
  if (code === 'EISDIR') return 'it is a directory';
  return error instanceof Error ? error.message : String(error);
}
