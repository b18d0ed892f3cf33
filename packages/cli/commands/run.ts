import { FairleadError, unusedProxy } from '@fairlead/control';
import { systemClock, systemRandom } from '@fairlead/control/adapters';
import type { Part } from '@fairlead/part';
import { openCluster } from '../cluster.ts';
import { loadConfiguration } from '../configuration/load.ts';
import { type ActivePart, activeParts } from '../configured-parts.ts';
import { openLog } from '../observability/logger.ts';
import { requirePermissions } from '../permissions.ts';
import { neededPermissions, startRunning } from '../running.ts';
import { startWorker, tellSupervisor } from '../supervisor/cluster-workers.ts';
import { Supervisor } from '../supervisor/supervisor.ts';

/** `fairlead run`: every configured part that runs in a cluster, until it is told to stop. */
export function runCommand(file: string, parts: readonly Part[], signal: AbortSignal): Promise<void> {
  return run(file, parts, ({ configured }) => configured.runs !== 'node', signal);
}

/** `fairlead <command of the part>`: this part and no other. */
export function runAloneCommand(
  file: string,
  parts: readonly Part[],
  alone: Part,
  signal: AbortSignal,
  open = openLog,
): Promise<void> {
  return run(file, parts, ({ part }) => part.name === alone.name, signal, alone, open);
}

/**
 * The same in a process of its own, on sockets that this one keeps. On SIGHUP another one takes over, with the program and
 * the configuration as they are then. Gives the exit code.
 */
export async function superviseCommand(file: string, command: string, signal: AbortSignal): Promise<number> {
  const start = () => startWorker([command, '--config', file]);
  const supervisor = new Supervisor({ start, clock: systemClock, random: systemRandom, logger: openLog('info') });
  const replace = () => supervisor.replace();
  process.on('SIGHUP', replace);
  try {
    return await supervisor.run(signal);
  } finally {
    process.off('SIGHUP', replace);
  }
}

async function run(
  file: string,
  parts: readonly Part[],
  isChosen: (active: ActivePart) => boolean,
  signal: AbortSignal,
  alone?: Part,
  open = openLog,
): Promise<void> {
  const configuration = loadConfiguration(file, parts);
  const active = activeParts(configuration, parts).filter(isChosen);
  if (active.length === 0) throw notConfigured(alone, file);
  const logger = open(configuration.log.level);
  const unused = unusedProxy(process.env);
  if (unused !== undefined) logger.warn({}, unused);
  const surroundings = { clock: systemClock, random: systemRandom, logger };
  const needsCluster = active.some(({ configured }) => configured.runs !== 'node');
  const cluster = needsCluster ? await openCluster(configuration, signal) : undefined;
  try {
    const { namespace } = configuration.leaderElection;
    if (cluster !== undefined)
      await requirePermissions(cluster.client, neededPermissions(configuration, active), namespace, signal);
    const running = await startRunning(configuration, cluster, active, surroundings, signal);
    void running.readiness.allReady.then(tellSupervisor);
    await running.ended;
    logger.info({}, 'stopped');
  } finally {
    await cluster?.close();
  }
}

function notConfigured(alone: Part | undefined, file: string): FairleadError {
  const message =
    alone === undefined
      ? `${file} configures only parts that run on a node, each by a command of its own: see fairlead --help`
      : `the part ${alone.name} is not configured: add parts.${alone.name} to ${file}`;
  return new FairleadError(message, { verdict: 'terminal', code: 'part-not-configured' });
}
