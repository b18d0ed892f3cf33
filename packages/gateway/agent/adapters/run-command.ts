import { spawn } from 'node:child_process';
import { env } from 'node:process';
import { FairleadError, messageOf } from '@fairlead/control';
import { endOf, type ProcessEnd } from '@fairlead/control/adapters';

/** Where Debian and others keep administrators' commands, which a service's PATH may lack. */
const MORE_FOLDERS = '/usr/local/sbin:/usr/sbin:/sbin';
const LONGEST_MILLISECONDS = 120_000;

/** Runs a program to its end. Rejects only where it cannot be run at all. */
export async function runCommand(program: string, parameters: readonly string[], input = ''): Promise<ProcessEnd> {
  const child = spawn(program, parameters, {
    env: { PATH: commandPath(), LC_ALL: 'C' },
    timeout: LONGEST_MILLISECONDS,
    killSignal: 'SIGKILL',
  });
  // A program that ends before it read its input is judged by how it ended.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return endOf(child).catch((error: unknown) => {
    throw cannotRun(program, error);
  });
}

export function commandPath(): string {
  return `${env['PATH'] ?? '/usr/bin:/bin'}:${MORE_FOLDERS}`;
}

function cannotRun(program: string, cause: unknown): FairleadError {
  return new FairleadError(`cannot run ${program}: ${messageOf(cause)}; is its package installed?`, {
    verdict: 'retriable',
    code: 'program-missing',
    cause,
  });
}
