import { type GatewayService, type Ownership, ownershipOf, sameArmId } from '../arm/index.ts';
import { serviceTypeOf } from './drafts.ts';
import { backendPoolId, type GatewayScope, loadBalancerId, natGatewayId } from './gateway-scope.ts';
import type { Inventory } from './inventory.ts';
import { isOutbound, type ServiceKey } from './service-key.ts';

/**
 * Whose a service of the gateway is that has the name of `key`. It carries no marks: those on the load balancer or NAT
 * gateway of that name count. Without any, one that leads elsewhere is another's, and one that leads there may be taken
 * over.
 */
export function registrationOwner(
  scope: GatewayScope,
  inventory: Inventory,
  key: ServiceKey,
  { properties }: GatewayService,
): Ownership {
  if (properties.serviceType === 'InboundOutbound') return 'another-owner';
  const behind = ownerBehind(scope, inventory, key);
  if (behind !== 'unmarked') return behind;
  return properties.serviceType === serviceTypeOf(key) && leadsThere(scope, key, properties) ? behind : 'another-owner';
}

function ownerBehind(scope: GatewayScope, inventory: Inventory, key: ServiceKey): Ownership {
  const known = isOutbound(key)
    ? inventory.find('natGateways', natGatewayId(scope, key))
    : inventory.find('loadBalancers', loadBalancerId(scope, key));
  // Only we write what is of our own names: a write of ours is under way, or was lost.
  if (known.state === 'unknown') return 'ours';
  if (known.state === 'absent') return 'unmarked';
  const ownership = ownershipOf(scope, known.body.tags);
  if (ownership !== 'unmarked' || !isOutbound(key)) return ownership;
  // The name of an egress gateway proves nothing.
  const serves = 'serviceGateway' in known.body.properties ? known.body.properties.serviceGateway?.id : undefined;
  return sameArmId(serves ?? '', scope.gatewayId) ? ownership : 'another-owner';
}

function leadsThere(scope: GatewayScope, key: ServiceKey, properties: GatewayService['properties']): boolean {
  const { publicNatGatewayId = '', loadBalancerBackendPools = [] } = properties;
  if (isOutbound(key)) return publicNatGatewayId === '' || sameArmId(publicNatGatewayId, natGatewayId(scope, key));
  return loadBalancerBackendPools.every(({ id }) => sameArmId(id, backendPoolId(scope, key)));
}
