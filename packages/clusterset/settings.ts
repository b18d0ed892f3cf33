import { parseIpRange } from '@fairlead/control';
import type { CallOptions, KubeClient } from '@fairlead/kube';
import type { ClusterSetConfiguration } from './configuration.ts';
import type { Settings } from './decision/settings.ts';
import { servedMcsVersion } from './mcs/served-version.ts';
import { serviceExports, serviceImports } from './mcs/types.ts';

/** The settings of a cluster: what is configured, and the version of the MCS API that it serves. */
export async function readSettings(
  configuration: ClusterSetConfiguration,
  client: Pick<KubeClient, 'serves'>,
  options: CallOptions,
): Promise<Settings> {
  const version = await servedMcsVersion(client, options);
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
    globalnet: configuration.globalnet,
    derivedServices: configuration.derivedServices,
    older: configuration.older,
    mostServices: configuration.mostServicesPerCluster,
    ownRanges: configuration.ownRanges.flatMap((text) => parseIpRange(text) ?? []),
    serviceExports: serviceExports(version),
    serviceImports: serviceImports(version),
    // Its definitions at the broker are those that fairlead join brings.
    brokerImports: serviceImports('v1beta1'),
  };
}
