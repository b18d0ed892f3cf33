import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { env } from 'node:process';
import { FairleadError, messageOf } from '@fairlead/control';
import type { CommandOutcome, Host, HostCommand } from '../auth/host.ts';

/** This machine. */
export const systemHost: Host = {
  async readFile(path) {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
      throw unreadable(path, error);
    }
  },
  environment: (name) => env[name],
  homeDirectory: homedir(),
  run,
};

function run({ command, args, environment, signal }: HostCommand): Promise<CommandOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
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
    child.on('error', (error) => {
      if (codeOf(error) === 'ENOENT') resolve({ kind: 'not-found' });
      else if (codeOf(error) === 'EACCES') resolve({ kind: 'not-executable' });
      else reject(error);
    });
    child.on('close', (exitCode) => resolve({ kind: 'ended', exitCode: exitCode ?? -1, output, errors }));
  });
}

function unreadable(path: string, cause: unknown): FairleadError {
  const why = codeOf(cause) === 'EACCES' ? 'its permissions forbid it: let our user read it' : messageOf(cause);
  return new FairleadError(`cannot read ${path}: ${why}`, { verdict: 'terminal', code: 'file-unreadable', cause });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
