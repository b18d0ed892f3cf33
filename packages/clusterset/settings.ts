import { FairleadError, parseIpRange } from '@fairlead/control';
import type { CallOptions, KubeClient } from '@fairlead/kube';
import type { ClusterSetConfiguration } from './configuration.ts';
import type { Settings } from './decision/settings.ts';
import { MCS_VERSIONS, serviceExports, serviceImports } from './mcs/types.ts';

/** The settings of a cluster: what is configured, and the version of the MCS API that it serves. */
export async function readSettings(
  configuration: ClusterSetConfiguration,
  client: Pick<KubeClient, 'serves'>,
  options: CallOptions,
): Promise<Settings> {
  for (const version of MCS_VERSIONS) {
    if (!(await client.serves(serviceExports(version), options))) continue;
    return {
      clusterset: configuration.clusterset,
      cluster: configuration.cluster,
      namespace: configuration.namespace,
      brokerNamespace: configuration.broker.namespace,
      portPolicy: configuration.portPolicy,
      namespaces: {
        deny: [...configuration.namespaces.deny, configuration.namespace],
        ...(configuration.namespaces.allow !== undefined && { allow: configuration.namespaces.allow }),
      },
      ownRanges: configuration.ownRanges.flatMap((text) => parseIpRange(text) ?? []),
      serviceExports: serviceExports(version),
      serviceImports: serviceImports(version),
      // Its definitions at the broker are those that fairlead join brings.
      brokerImports: serviceImports('v1beta1'),
    };
  }
  throw new FairleadError(
    'the cluster does not serve ServiceExports (multicluster.x-k8s.io): install their definitions',
    {
      verdict: 'terminal',
      code: 'mcs-api-missing',
    },
  );
}
