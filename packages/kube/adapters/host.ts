import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { env } from 'node:process';
import { FairleadError, messageOf, systemCodeOf } from '@fairlead/control';
import { endOf } from '@fairlead/control/adapters';
import type { CommandOutcome, Host, HostCommand } from '../auth/host.ts';

/** This machine. */
export const systemHost: Host = {
  async readFile(path) {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR') return undefined;
      throw unreadable(path, error);
    }
  },
  environment: (name) => env[name],
  homeDirectory: homedir(),
  run,
};

async function run({ command, args, environment, signal }: HostCommand): Promise<CommandOutcome> {
  const child = spawn(command, args, {
    env: { ...env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  try {
    return { kind: 'ended', ...(await endOf(child)) };
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return { kind: 'not-found' };
    if (systemCodeOf(error) === 'EACCES') return { kind: 'not-executable' };
    throw error;
  }
}

function unreadable(path: string, cause: unknown): FairleadError {
  const why = systemCodeOf(cause) === 'EACCES' ? 'its permissions forbid it: let our user read it' : messageOf(cause);
  return new FairleadError(`cannot read ${path}: ${why}`, { verdict: 'terminal', code: 'file-unreadable', cause });
}
