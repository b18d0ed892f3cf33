import { systemClock } from '@fairlead/control/adapters';
import type { Part, ReadEnvironment } from '@fairlead/part';
import { type Cluster, openCluster } from '../cluster.ts';
import { loadConfiguration } from '../configuration/load.ts';
import type { Configuration } from '../configuration/schema.ts';
import { activeParts, type ClusterPart, clusterParts } from '../configured-parts.ts';
import { openLog } from '../observability/logger.ts';
import { readEnvironment } from '../read-environment.ts';

/** What a command that only looks has at hand. */
export interface Look {
  readonly configuration: Configuration;
  readonly cluster: Cluster;
  readonly active: readonly ClusterPart[];
  readonly environment: ReadEnvironment;
}

/** Opens the configured cluster, looks, and closes it again. */
export async function look(
  file: string,
  parts: readonly Part[],
  signal: AbortSignal,
  work: (look: Look) => Promise<void>,
): Promise<void> {
  const configuration = loadConfiguration(file, parts);
  const active = clusterParts(activeParts(configuration, parts));
  const cluster = await openCluster(configuration, signal);
  try {
    const logger = openLog(configuration.log.level);
    const environment = readEnvironment(configuration, cluster, systemClock, logger, signal);
    await work({ configuration, cluster, active, environment });
  } finally {
    await cluster.close();
  }
}
