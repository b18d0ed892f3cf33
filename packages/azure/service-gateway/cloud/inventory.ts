import { type Known, KnownResources } from '@fairlead/cloud';
import { type Clock, type IpAddress, type IpFamily, parseIpAddress } from '@fairlead/control';
import {
  type AddressLocation,
  type ArmBodies,
  type ArmId,
  armName,
  type GatewayService,
  type LoadBalancer,
  type NatGateway,
  type PublicIpAddress,
} from '../../arm/index.ts';
import { type NrpKey, nrpName } from '../engine/nrp-key.ts';
import type { GatewayScope } from '../scope.ts';

/** The kinds of resources that services have. */
export type InventoryKind = 'publicIPAddresses' | 'loadBalancers' | 'natGateways';

/** Everything of the kinds that services have, and what is in the gateway, as listed. */
export interface Listing {
  /** When the first list was begun, by the monotonic clock. */
  readonly begunAt: number;
  readonly publicIPAddresses: readonly PublicIpAddress[];
  readonly loadBalancers: readonly LoadBalancer[];
  readonly natGateways: readonly NatGateway[];
  readonly services: readonly GatewayService[];
  readonly locations: readonly AddressLocation[];
}

/**
 * What is known to exist outside: as it was listed, and as our own writes have changed it since. What is not in it does
 * not exist. Nothing is written without a difference to it.
 */
export class Inventory {
  readonly #resources: { readonly [Kind in InventoryKind]: KnownResources<ArmBodies[Kind]> };
  readonly #registrations: KnownResources<GatewayService>;

  constructor(clock: Clock) {
    this.#resources = {
      publicIPAddresses: new KnownResources(clock),
      loadBalancers: new KnownResources(clock),
      natGateways: new KnownResources(clock),
    };
    this.#registrations = new KnownResources(clock);
  }

  find<Kind extends InventoryKind>(kind: Kind, id: ArmId<Kind>): Known<ArmBodies[Kind]> {
    return this.#resources[kind].get(nameKey(id));
  }

  set<Kind extends InventoryKind>(kind: Kind, id: ArmId<Kind>, known: Known<ArmBodies[Kind]>): void {
    this.#resources[kind].set(nameKey(id), known);
  }

  /** While the resource is written; the caller sets what the write has made of it. */
  changing<Kind extends InventoryKind, Result>(
    kind: Kind,
    id: ArmId<Kind>,
    write: () => Promise<Result>,
  ): Promise<Result> {
    return this.#resources[kind].changing(nameKey(id), write);
  }

  registration(key: NrpKey): Known<GatewayService> {
    return this.#registrations.get(nrpName(key));
  }

  setRegistration(name: string, known: Known<GatewayService>): void {
    this.#registrations.set(name.toLowerCase(), known);
  }

  changingRegistrations(names: readonly string[], write: () => Promise<void>): Promise<void> {
    const keys = names.map((name) => name.toLowerCase());
    return this.#registrations.changingTogether(keys, write);
  }

  /** All of a kind that are known to be there. */
  present<Kind extends InventoryKind>(kind: Kind): Iterable<ArmBodies[Kind]> {
    return this.#resources[kind].present();
  }

  get registrations(): Iterable<GatewayService> {
    return this.#registrations.present();
  }

  replaceWith(listing: Listing): void {
    const { begunAt, services } = listing;
    this.#resources.publicIPAddresses.replaceWith(byName(listing.publicIPAddresses), begunAt);
    this.#resources.loadBalancers.replaceWith(byName(listing.loadBalancers), begunAt);
    this.#resources.natGateways.replaceWith(byName(listing.natGateways), begunAt);
    this.#registrations.replaceWith(new Map(services.map((body) => [body.name.toLowerCase(), body])), begunAt);
  }
}

/** Where everything of this cluster lives in Azure, and what is known of it. */
export interface KnownAzure {
  readonly scope: GatewayScope;
  readonly inventory: Inventory;
}

/** All that is known is in one resource group, where the name tells the things of a kind apart, in any spelling. */
function nameKey(id: ArmId): string {
  return armName(id).toLowerCase();
}

function byName<Body extends { readonly id: ArmId }>(bodies: readonly Body[]): ReadonlyMap<string, Body> {
  return new Map(bodies.map((body) => [nameKey(body.id), body]));
}

/** The address of a public IP, which Azure does not always set at once. */
export function assignedAddress(
  known: Known<PublicIpAddress>,
): { readonly address: IpAddress; readonly family: IpFamily } | undefined {
  return known.state === 'present' ? parseIpAddress(known.body.properties.ipAddress ?? '') : undefined;
}
