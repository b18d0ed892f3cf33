import { MCS_GROUP, MCS_VERSIONS, type McsVersion } from '@fairlead/clusterset/mcs';
import { FairleadError } from '@fairlead/control';
import { isNotFound, type KubeClient } from '@fairlead/kube';

/** The best version of the Multi-Cluster Services API that the cluster serves. */
export async function servedMcsVersion(client: KubeClient, signal: AbortSignal): Promise<McsVersion> {
  const served = await groupText(client, signal);
  const version = MCS_VERSIONS.find((one) => served.includes(`"${MCS_GROUP}/${one}"`));
  if (version !== undefined) return version;
  throw new FairleadError(`the cluster has no ServiceImports: its API server serves no ${MCS_GROUP}`, {
    verdict: 'retriable',
    code: 'mcs-not-installed',
  });
}

/** What the server says of the group; nothing where it has none. */
async function groupText(client: KubeClient, signal: AbortSignal): Promise<string> {
  try {
    return (await client.getText(`/apis/${MCS_GROUP}`, { signal })).replaceAll(/\s/g, '');
  } catch (error) {
    if (isNotFound(error)) return '';
    throw error;
  }
}
