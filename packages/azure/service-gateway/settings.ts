import type { ClusterId } from '@fairlead/control';
import { armId, azureScope, type CloudConfiguration, nodeSubnetId } from '../arm/index.ts';
import type { ServiceGatewayConfiguration } from './configuration.ts';
import { type GatewayScope, PART_NAME } from './gateway-scope.ts';
import type { EgressPolicy } from './pod-wish.ts';
import { egressName } from './service-key.ts';

/** Where in Azure everything of this cluster lives. */
export function gatewayScope(
  configuration: ServiceGatewayConfiguration,
  cloud: CloudConfiguration,
  cluster: ClusterId,
): GatewayScope {
  const scope = azureScope(PART_NAME, cluster, cloud);
  const gatewayId = armId('serviceGateways', scope.group, configuration.gatewayName);
  return { ...scope, gatewayId, subnetId: nodeSubnetId(cloud) };
}

export function egressPolicy({ egressPolicy: rules }: ServiceGatewayConfiguration): EgressPolicy {
  return new Map(rules.map(({ gateway, namespaces: allowed }) => [egressName(gateway), new Set(allowed)]));
}
