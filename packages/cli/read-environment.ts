import type { Clock, Logger } from '@fairlead/control';
import type { ReadEnvironment } from '@fairlead/part';
import type { Cluster } from './cluster.ts';
import type { Configuration } from './configuration/schema.ts';

/** What a part may use to look at the cluster. */
export function readEnvironment(
  { defaultClass }: Configuration,
  { client }: Pick<Cluster, 'client'>,
  clock: Clock,
  logger: Logger,
  signal: AbortSignal,
): ReadEnvironment {
  return { client, clock, logger, ...(defaultClass === undefined ? {} : { defaultClass }), signal };
}
