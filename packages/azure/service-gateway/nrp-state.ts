import { parseIpAddress } from '@fairlead/control';
import type { AddressLocation, GatewayService } from '../arm/index.ts';
import type { GatewayScope } from './gateway-scope.ts';
import type { Inventory } from './inventory.ts';
import { type ServiceList, type Spot, withItem } from './places.ts';
import { registrationOwner } from './registration-owner.ts';
import { isOutbound, keyFromNrp, type ServiceKey } from './service-key.ts';

/** The services of the gateway, by whose they are. */
export interface RegisteredServices {
  readonly ours: ReadonlySet<ServiceKey>;
  readonly foreign: ReadonlySet<ServiceKey>;
  /** The one that takes outbound traffic which no gateway was chosen for. */
  readonly defaultOutbound: ServiceKey | undefined;
}

/**
 * Tells our services from those of others by the marks on the load balancer or NAT gateway behind them. `isWanted`
 * tells whether the cluster has such a service: what carries no mark is taken over only then, and never the default
 * that Azure itself provides.
 */
export function registeredServices(
  scope: GatewayScope,
  inventory: Inventory,
  isWanted: (key: ServiceKey) => boolean,
): RegisteredServices {
  const ours = new Set<ServiceKey>();
  const foreign = new Set<ServiceKey>();
  let defaultOutbound: ServiceKey | undefined;
  for (const service of inventory.registrations) {
    const key = keyOf(service);
    if (isOutbound(key) && service.properties.isDefault === true) defaultOutbound = key;
    if (isOurs(scope, inventory, service, key, isWanted)) ours.add(key);
    else foreign.add(key);
  }
  return { ours, foreign, defaultOutbound };
}

/** What is behind which location, as listed, in our own keys: address -> location -> services. */
export function* locatedServices(
  inventory: Inventory,
  locations: readonly AddressLocation[],
): Generator<{ readonly spot: Spot; readonly services: ServiceList }> {
  const keys = new Map([...inventory.registrations].map((service) => [service.name.toLowerCase(), keyOf(service)]));
  for (const { addressLocation, addresses } of locations) {
    const location = parseIpAddress(addressLocation)?.address;
    if (location === undefined) continue;
    for (const entry of addresses) {
      const address = parseIpAddress(entry.address)?.address;
      if (address === undefined) continue;
      const services = entry.services
        .map((name) => keys.get(name.toLowerCase()) ?? keyFromNrp(name, 'inbound'))
        .reduce<ServiceList>(withItem, []);
      yield { spot: { location, address }, services };
    }
  }
}

function keyOf({ name, properties }: GatewayService): ServiceKey {
  return keyFromNrp(name, properties.serviceType === 'Outbound' ? 'outbound' : 'inbound');
}

function isOurs(
  scope: GatewayScope,
  inventory: Inventory,
  service: GatewayService,
  key: ServiceKey,
  isWanted: (key: ServiceKey) => boolean,
): boolean {
  const owner = registrationOwner(scope, inventory, key, service);
  if (owner !== 'unmarked') return owner === 'ours';
  return isWanted(key) && service.properties.isDefault !== true;
}
