import { FairleadError } from '@fairlead/control';
import type { CallOptions, KubeClient } from '@fairlead/kube';
import { MCS_GROUP, MCS_VERSIONS, type McsVersion, serviceImports } from './types.ts';

/** The best version of the Multi-Cluster Services API that the cluster serves. */
export async function servedMcsVersion(client: Pick<KubeClient, 'serves'>, options: CallOptions): Promise<McsVersion> {
  for (const version of MCS_VERSIONS) {
    if (await client.serves(serviceImports(version), options)) return version;
  }
  throw new FairleadError(`the cluster has no ServiceImports: its API server serves no ${MCS_GROUP}`, {
    verdict: 'retriable',
    code: 'mcs-not-installed',
  });
}
