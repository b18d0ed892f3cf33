import { FairleadError, messageOf } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { KubeClient } from '@fairlead/kube';
import { connect } from '@fairlead/kube/adapters';
import packageFile from '../../package.json' with { type: 'json' };
import type { Configuration } from './configuration/schema.ts';

export const { version } = packageFile;

/** A cluster that answered. */
export interface Cluster {
  readonly client: KubeClient;
  readonly connection: Awaited<ReturnType<typeof connect>>['connection'];
  /** The URL of its API server. */
  readonly server: string;
  /** We are a Pod of it. */
  readonly isPod: boolean;
  /** For people: which cluster this is. */
  readonly name: string;
  close(): Promise<void>;
}

/** Connects to the configured cluster and makes sure that it answers; otherwise says why in one line. */
export async function openCluster(
  configuration: Pick<Configuration, 'kubernetes'>,
  signal: AbortSignal,
): Promise<Cluster> {
  const { kubeconfig, context } = configuration.kubernetes;
  const { connection, source, server, isPod } = await connect({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    userAgent: `fairlead/${version}`,
  });
  const client = new KubeClient(connection, systemClock);
  try {
    await client.getText('/version', { deadlineMilliseconds: 10_000, signal });
  } catch (error) {
    await connection.close();
    throw new FairleadError(`cannot use the cluster at ${server} (${source}): ${messageOf(error)}`, {
      verdict: 'terminal',
      code: 'cluster-unreachable',
      cause: error,
    });
  }
  return { client, connection, server, isPod, name: `${server} (${source})`, close: () => connection.close() };
}
