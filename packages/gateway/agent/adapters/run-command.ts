import { spawn } from 'node:child_process';
import { env } from 'node:process';
import { FairleadError, messageOf } from '@fairlead/control';

export interface CommandResult {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Where Debian and others keep administrators' commands, which a service's PATH may lack. */
const MORE_FOLDERS = '/usr/local/sbin:/usr/sbin:/sbin';
const LONGEST_MILLISECONDS = 120_000;

/** Runs a program to its end. Rejects only where it cannot be run at all. */
export function runCommand(program: string, parameters: readonly string[], input = ''): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      env: { PATH: commandPath(), LC_ALL: 'C' },
      timeout: LONGEST_MILLISECONDS,
      killSignal: 'SIGKILL',
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    // A program that ends before it read its input is judged by how it ended.
    child.stdin.on('error', () => {});
    child.on('error', (error) => reject(cannotRun(program, error)));
    child.on('close', (code) => resolve({ code: code ?? -1, output, errors }));
    child.stdin.end(input);
  });
}

export function commandPath(): string {
  return `${env['PATH'] ?? '/usr/bin:/bin'}:${MORE_FOLDERS}`;
}

function cannotRun(program: string, cause: Error): FairleadError {
  return new FairleadError(`cannot run ${program}: ${messageOf(cause)}; is its package installed?`, {
    verdict: 'retriable',
    code: 'program-missing',
    cause,
  });
}
