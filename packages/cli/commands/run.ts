import { systemClock, systemRandom } from '@fairlead/control/adapters';
import type { Part } from '@fairlead/part';
import { openCluster } from '../cluster.ts';
import { loadConfiguration } from '../configuration/load.ts';
import { activeParts } from '../configured-parts.ts';
import { createLogger } from '../observability/logger.ts';
import { requirePermissions } from '../permissions.ts';
import { commonPermissions, startRunning } from '../running.ts';

/** `fairlead run`: everything, until it is told to stop. */
export async function runCommand(file: string, parts: readonly Part[], signal: AbortSignal): Promise<void> {
  const configuration = loadConfiguration(file, parts);
  const active = activeParts(configuration, parts);
  const logger = createLogger(configuration.log.level);
  const cluster = await openCluster(configuration, signal);
  try {
    const needed = [...commonPermissions, ...active.flatMap(({ part }) => part.permissions)];
    await requirePermissions(cluster.client, needed, configuration.leaderElection.namespace, signal);
    const surroundings = { clock: systemClock, random: systemRandom, logger };
    const running = await startRunning(configuration, cluster, active, surroundings, signal);
    await running.ended;
    logger.info({}, 'stopped');
  } finally {
    await cluster.close();
  }
}
