import { type ClusterId, clusterId } from '@fairlead/control';
import { type CallOptions, type KubeClient, namespaces } from '@fairlead/kube';
import { armId, type CloudConfiguration, networkGroup, nodeSubnetId, virtualNetworkId } from '../arm/index.ts';
import type { ServiceGatewayConfiguration } from './configuration.ts';
import type { GatewayScope } from './gateway-scope.ts';
import type { EgressPolicy } from './pod-wish.ts';
import { egressName } from './service-key.ts';

/** Where in Azure everything of this cluster lives. */
export function gatewayScope(
  configuration: ServiceGatewayConfiguration,
  cloud: CloudConfiguration,
  cluster: ClusterId,
): GatewayScope {
  const group = networkGroup(cloud);
  return {
    cluster,
    group,
    location: cloud.location,
    gatewayId: armId('serviceGateways', group, configuration.gatewayName),
    networkId: virtualNetworkId(cloud),
    subnetId: nodeSubnetId(cloud),
  };
}

/** As configured, or by the UID of the kube-system namespace. */
export async function readClusterId(
  configured: string | undefined,
  client: KubeClient,
  options: CallOptions,
): Promise<ClusterId> {
  if (configured !== undefined) return clusterId(configured);
  const { metadata } = await client.get(namespaces, { name: 'kube-system' }, options);
  return clusterId(metadata.uid ?? '');
}

export function egressPolicy({ egressPolicy: rules }: ServiceGatewayConfiguration): EgressPolicy {
  return new Map(rules.map(({ gateway, namespaces: allowed }) => [egressName(gateway), new Set(allowed)]));
}
