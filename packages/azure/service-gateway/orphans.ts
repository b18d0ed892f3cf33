import { type ArmTags, ownershipOf, sameArmId } from '../arm/index.ts';
import { type GatewayScope, loadBalancerId, natGatewayId, publicIpId, serviceOfTags } from './gateway-scope.ts';
import type { Inventory } from './inventory.ts';
import { isOutbound, type ServiceKey } from './service-key.ts';

/** Services that have something outside that carries our marks, and that nobody wants. */
export interface Orphans {
  /** They have a load balancer, a NAT gateway or a registration. */
  readonly services: ReadonlySet<ServiceKey>;
  /** Only public addresses are left of them. */
  readonly addresses: ReadonlySet<ServiceKey>;
  /** How many services have something outside that carries our marks, wanted or not. */
  readonly known: number;
}

/** Looks through all that is known to exist. `registered` are the services of ours in the gateway. */
export function findOrphans(
  scope: GatewayScope,
  inventory: Inventory,
  registered: ReadonlySet<ServiceKey>,
  isWanted: (key: ServiceKey) => boolean,
): Orphans {
  const services = new Set<ServiceKey>(registered);
  for (const { id, tags } of inventory.present('loadBalancers')) {
    const key = ownerOf(scope, tags);
    if (key !== undefined && sameArmId(id, loadBalancerId(scope, key))) services.add(key);
  }
  for (const { id, tags } of inventory.present('natGateways')) {
    const key = ownerOf(scope, tags);
    if (key !== undefined && isOutbound(key) && sameArmId(id, natGatewayId(scope, key))) services.add(key);
  }
  const addresses = new Set<ServiceKey>();
  for (const { id, tags } of inventory.present('publicIPAddresses')) {
    const key = ownerOf(scope, tags);
    if (key === undefined || services.has(key)) continue;
    const isNamedSo = (['IPv4', 'IPv6'] as const).some((family) => sameArmId(id, publicIpId(scope, key, family)));
    if (isNamedSo) addresses.add(key);
  }
  return {
    services: new Set([...services].filter((key) => !isWanted(key))),
    addresses: new Set([...addresses].filter((key) => !isWanted(key))),
    known: services.size + addresses.size,
  };
}

/** The service that a resource with our marks belongs to. What carries marks of another cluster is none of ours. */
function ownerOf(scope: GatewayScope, tags: ArmTags | undefined): ServiceKey | undefined {
  return ownershipOf(scope, tags) === 'ours' ? serviceOfTags(tags) : undefined;
}
