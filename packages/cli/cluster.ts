import { readFileSync } from 'node:fs';
import { FairleadError, messageOf } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { KubeClient } from '@fairlead/kube';
import { connect } from '@fairlead/kube/adapters';
import type { Configuration } from './configuration/schema.ts';

export const version = readVersion();

/** A cluster that answered. */
export interface Cluster {
  readonly client: KubeClient;
  readonly connection: Awaited<ReturnType<typeof connect>>['connection'];
  /** For people: which cluster this is. */
  readonly name: string;
  close(): Promise<void>;
}

/** Connects to the configured cluster and makes sure that it answers; otherwise says why in one line. */
export async function openCluster(configuration: Configuration): Promise<Cluster> {
  const { kubeconfig, context } = configuration.kubernetes;
  const { connection, source, server } = await connect({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    userAgent: `fairlead/${version}`,
  });
  const client = new KubeClient(connection, systemClock);
  try {
    await client.getText('/version', { deadlineMilliseconds: 10_000 });
  } catch (error) {
    await connection.close();
    throw new FairleadError(`the cluster at ${server} (${source}) does not let us in: ${messageOf(error)}`, {
      verdict: 'terminal',
      code: 'cluster-unreachable',
      cause: error,
    });
  }
  return { client, connection, name: `${server} (${source})`, close: () => connection.close() };
}

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const parsed: unknown = JSON.parse(text);
  const found = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined;
  return typeof found === 'string' ? found : 'unknown';
}
