import { spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { FairleadError } from '@fairlead/control';
import type { Keepalived, StateFolder } from '../apply/node.ts';
import { commandPath, runCommand } from './run-command.ts';

const CONFIGURATION = 'keepalived.conf';
const HEALTH = 'health';
const HEALTHY = '0\n';
/** At this, keepalived gives its addresses to another gateway. */
const UNHEALTHY = '-254\n';
const LONGEST_MESSAGE = 500;
const START_MILLISECONDS = 5_000;
const POLL_MILLISECONDS = 20;

/** Of the health file that the configuration names. */
export function healthFile(folder: string): string {
  return join(folder, HEALTH);
}

/**
 * keepalived as a process of its own, with its files in the state folder. It outlives the agent: addresses stay where
 * they are while the agent is restarted, and the next one finds it by its pid file.
 */
export function systemKeepalived(folder: string, files: StateFolder): Keepalived {
  const pidFile = join(folder, 'keepalived.pid');
  const childPidFile = join(folder, 'vrrp.pid');
  /** What the running one was told by this process. */
  let told: string | undefined;

  async function runningPid(): Promise<number | undefined> {
    const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
    if (!Number.isInteger(pid) || pid <= 1) return undefined;
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    return name.trim() === 'keepalived' ? pid : undefined;
  }

  /** Until its child runs, too: one that is told to read its file again before that would end, or be started twice. */
  async function start(): Promise<void> {
    for (const stale of [pidFile, childPidFile]) await rm(stale, { force: true });
    const parameters = ['--dont-fork', '--vrrp', '--use-file', join(folder, CONFIGURATION)];
    const pids = ['--pid', pidFile, '--vrrp_pid', childPidFile];
    const child = spawn('keepalived', [...parameters, ...pids], {
      env: { PATH: commandPath() },
      stdio: 'ignore',
      detached: true,
    });
    const ended = new AbortController();
    child.on('error', () => ended.abort());
    child.on('exit', () => ended.abort());
    child.unref();
    for (let waited = 0; waited < START_MILLISECONDS && !ended.signal.aborted; waited += POLL_MILLISECONDS) {
      await setTimeout(POLL_MILLISECONDS);
      const isThere = await readFile(childPidFile, 'utf8').catch(() => '');
      if (isThere !== '' && (await runningPid()) !== undefined) return;
    }
    child.kill('SIGKILL');
    throw new FairleadError('keepalived did not start: its own log says why', {
      verdict: 'retriable',
      code: 'keepalived-not-started',
    });
  }

  return {
    async check(configuration) {
      const file = join(folder, `${CONFIGURATION}.check`);
      await files.replace(`${CONFIGURATION}.check`, configuration);
      const { exitCode, errors } = await runCommand('keepalived', ['--config-test', '--use-file', file]);
      await rm(file, { force: true });
      if (exitCode === 0) return;
      throw new FairleadError(`keepalived refused: ${errors.trim().slice(0, LONGEST_MESSAGE)}`, {
        verdict: 'terminal',
        code: 'keepalived-refused',
      });
    },

    async use(configuration) {
      const pid = await runningPid();
      if (pid !== undefined && told === configuration) return;
      await files.replace(CONFIGURATION, configuration);
      if (pid === undefined) {
        await writeFile(healthFile(folder), HEALTHY);
        await start();
      } else kill(pid, 'SIGHUP');
      told = configuration;
    },

    async report(isHealthy) {
      const wanted = isHealthy ? HEALTHY : UNHEALTHY;
      const current = await readFile(healthFile(folder), 'utf8').catch(() => '');
      // In place: keepalived watches this very file.
      if (current !== wanted && (current !== '' || !isHealthy)) await writeFile(healthFile(folder), wanted);
    },
  };
}
