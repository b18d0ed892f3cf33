import { type Clock, parseIpAddress } from '@fairlead/control';
import { type AddressLocation, type GatewayService, type Ownership, ownershipOf, sameArmId } from '../../arm/index.ts';
import { type AddressKey, NONE, type ServiceList, withItem } from '../engine/address-table.ts';
import type { DiffTracker } from '../engine/difftracker.ts';
import { isOutbound, keyFromNrp, type NrpKey } from '../engine/nrp-key.ts';
import { backendPoolId, type GatewayScope, loadBalancerId, natGatewayId } from '../scope.ts';
import type { Inventory, KnownAzure, Listing } from './inventory.ts';
import type { Repository } from './repository.ts';
import { serviceTypeOf } from './request-bodies.ts';

/** After so many addresses others get a turn. */
const SLICE = 1_000;

/**
 * Makes what is known be as it was listed, except where requests of our own know better. Gives the services of the
 * gateway, by whose they are.
 */
export async function loadObserved(
  listing: Listing,
  repository: Repository,
  tracker: DiffTracker,
  isWanted: (key: NrpKey) => boolean,
  clock: Clock,
): Promise<RegisteredServices> {
  const { inventory } = repository;
  inventory.replaceWith(listing);
  const registered = registeredServices(repository, isWanted);
  tracker.foreign.clear();
  for (const key of registered.foreign) tracker.foreign.add(key);
  for (const key of registered.ours) tracker.existing.set(key, true);
  const listed = new Set<string>();
  for (const { addressKey, services } of locatedServices(inventory, listing.locations)) {
    listed.add(textOf(addressKey));
    tracker.restoreNrp(addressKey, services, listing.begunAt);
    if (listed.size % SLICE === 0) await clock.turn();
  }
  const isGone = (key: NrpKey) => inventory.registration(key).state === 'absent';
  let seen = 0;
  for (const entry of tracker.programmedEntries()) {
    if (!listed.has(textOf(entry))) tracker.restoreNrp(entry, NONE, listing.begunAt);
    tracker.forgetServices(entry, isGone, listing.begunAt);
    seen += 1;
    if (seen % SLICE === 0) await clock.turn();
  }
  return registered;
}

function textOf({ location, address }: AddressKey): string {
  return `${location} ${address}`;
}

/**
 * Whose a service of the gateway is that has the name of `key`. It carries no marks: those on the load balancer or NAT
 * gateway of that name count. Without any, one that leads elsewhere is another's, and one that leads there may be taken
 * over.
 */
export function registrationOwner(azure: KnownAzure, key: NrpKey, { properties }: GatewayService): Ownership {
  if (properties.serviceType === 'InboundOutbound') return 'another-owner';
  const behind = ownerBehind(azure, key);
  if (behind !== 'unmarked') return behind;
  const isAsOurs = properties.serviceType === serviceTypeOf(key) && leadsThere(azure.scope, key, properties);
  return isAsOurs ? behind : 'another-owner';
}

function ownerBehind({ scope, inventory }: KnownAzure, key: NrpKey): Ownership {
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

function leadsThere(scope: GatewayScope, key: NrpKey, properties: GatewayService['properties']): boolean {
  const { publicNatGatewayId = '', loadBalancerBackendPools = [] } = properties;
  if (isOutbound(key)) return publicNatGatewayId === '' || sameArmId(publicNatGatewayId, natGatewayId(scope, key));
  return loadBalancerBackendPools.every(({ id }) => sameArmId(id, backendPoolId(scope, key)));
}

/** The services of the gateway, by whose they are. */
export interface RegisteredServices {
  readonly ours: ReadonlySet<NrpKey>;
  readonly foreign: ReadonlySet<NrpKey>;
  /** The one that takes outbound traffic which no gateway was chosen for. */
  readonly defaultOutbound: NrpKey | undefined;
}

/**
 * Tells our services from those of others by the marks on the load balancer or NAT gateway behind them. `isWanted`
 * tells whether the cluster has such a service: what carries no mark is taken over only then, and never the default
 * that Azure itself provides.
 */
function registeredServices(azure: KnownAzure, isWanted: (key: NrpKey) => boolean): RegisteredServices {
  const ours = new Set<NrpKey>();
  const foreign = new Set<NrpKey>();
  let defaultOutbound: NrpKey | undefined;
  for (const service of azure.inventory.registrations) {
    const key = keyOf(service);
    if (isOutbound(key) && service.properties.isDefault === true) defaultOutbound = key;
    const { isDefault } = service.properties;
    const owner = registrationOwner(azure, key, service);
    const isOurs = owner === 'ours' || (owner === 'unmarked' && isWanted(key) && isDefault !== true);
    (isOurs ? ours : foreign).add(key);
  }
  return { ours, foreign, defaultOutbound };
}

/** What is behind which location, as listed, in our own keys: address -> location -> services. */
function* locatedServices(
  inventory: Inventory,
  locations: readonly AddressLocation[],
): Generator<{ readonly addressKey: AddressKey; readonly services: ServiceList }> {
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
      yield { addressKey: { location, address }, services };
    }
  }
}

function keyOf({ name, properties }: GatewayService): NrpKey {
  return keyFromNrp(name, properties.serviceType === 'Outbound' ? 'outbound' : 'inbound');
}
