import { FairleadError } from '@fairlead/control';
import { stringify } from 'yaml';

/** How a command prints what it found. */
export type Format = 'table' | 'json' | 'yaml';

export const FORMATS: readonly string[] = ['table', 'json', 'yaml'] satisfies readonly Format[];

/** Of `-o` and of `--json`, which is older. */
export function formatOf({ output, json }: { readonly output?: string; readonly json?: true }): Format {
  const asked = output ?? (json === true ? 'json' : 'table');
  if (isFormat(asked)) return asked;
  const message = `-o takes ${FORMATS.join(', ')}, not ${asked}`;
  throw new FairleadError(message, { verdict: 'terminal', code: 'usage' });
}

/** For programs: the value itself. */
export function renderValue(format: Exclude<Format, 'table'>, value: unknown): string {
  return format === 'json' ? JSON.stringify(value) : stringify(value).trimEnd();
}

function isFormat(text: string): text is Format {
  return FORMATS.includes(text);
}
