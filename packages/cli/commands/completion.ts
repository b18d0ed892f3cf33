import { FairleadError } from '@fairlead/control';
import type { Part } from '@fairlead/part';
import type { Command } from 'commander';
import { commandTable } from '../completion/command-table.ts';
import { isShell, SHELLS } from '../completion/shells.ts';
import { FORMATS } from '../render/format.ts';

/** `fairlead completion`: the script for a shell, made from the commands that there are. */
export function completionCommand(program: Command, parts: readonly Part[], shell: string): string {
  const known = Object.keys(SHELLS);
  if (!isShell(shell)) {
    const message = `there is a completion for ${known.join(', ')}, not for ${shell}`;
    throw new FairleadError(message, { verdict: 'terminal', code: 'usage' });
  }
  const choices = new Map<string, readonly string[]>([
    ['object', [...new Set(parts.flatMap(({ explains }) => explains))]],
    ['part', parts.map(({ name }) => name)],
    ['format', FORMATS],
    ['shell', known],
  ]);
  return SHELLS[shell](commandTable(program, choices));
}
