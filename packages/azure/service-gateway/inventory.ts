import type { Clock, IpAddress, IpFamily } from '@fairlead/control';
import { parseIpAddress } from '@fairlead/control';
import {
  type ArmBodies,
  type ArmId,
  armName,
  type GatewayService,
  type LoadBalancer,
  type NatGateway,
  type PublicIpAddress,
} from '../arm/index.ts';
import { nrpName, type ServiceKey } from './service-key.ts';

/** What is known of something outside. `unknown`: a write was sent and nobody knows what came of it. */
export type Known<Body> =
  | { readonly state: 'absent' }
  | { readonly state: 'present'; readonly body: Body }
  | { readonly state: 'unknown' };

/** The kinds of resources that services have. */
export type InventoryKind = 'publicIPAddresses' | 'loadBalancers' | 'natGateways';

/** Everything of the kinds that services have, and the services of the gateway, as listed. */
export interface Listing {
  /** When the first list was begun, by the monotonic clock. */
  readonly begunAt: number;
  readonly publicIPAddresses: readonly PublicIpAddress[];
  readonly loadBalancers: readonly LoadBalancer[];
  readonly natGateways: readonly NatGateway[];
  readonly services: readonly GatewayService[];
}

const ABSENT = { state: 'absent' } as const;

/** What is known of all resources of one kind, by a text that is equal for all spellings of the same name. */
class KnownThings<Body> {
  readonly #clock: Clock;
  readonly #known = new Map<string, Known<Body>>();
  /** When we last wrote, or were told what became of it. */
  readonly #touchedAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(name: string): Known<Body> {
    return this.#known.get(name) ?? ABSENT;
  }

  replace(name: string, known: Known<Body>): Known<Body> {
    const before = this.get(name);
    this.set(name, known);
    return before;
  }

  set(name: string, known: Known<Body>): void {
    this.#touchedAt.set(name, this.#clock.monotonic());
    this.#put(name, known);
  }

  /** Takes over what was listed, except where our own writes know better than a list that was begun before them. */
  replaceWith(listed: ReadonlyMap<string, Body>, begunAt: number): void {
    const isOlder = (name: string) =>
      this.get(name).state !== 'unknown' && (this.#touchedAt.get(name) ?? Number.NEGATIVE_INFINITY) < begunAt;
    for (const name of this.#known.keys()) if (!listed.has(name) && isOlder(name)) this.#known.delete(name);
    for (const [name, body] of listed) if (isOlder(name)) this.#put(name, { state: 'present', body });
    for (const [name, touchedAt] of this.#touchedAt) if (touchedAt < begunAt) this.#touchedAt.delete(name);
  }

  *present(): Generator<Body> {
    for (const known of this.#known.values()) if (known.state === 'present') yield known.body;
  }

  #put(name: string, known: Known<Body>): void {
    if (known.state === 'absent') this.#known.delete(name);
    else this.#known.set(name, known);
  }
}

/**
 * What is known to exist outside: as it was listed, and as our own writes have changed it since. What is not in it does
 * not exist. Nothing is written without a difference to it.
 */
export class Inventory {
  readonly #resources: { readonly [Kind in InventoryKind]: KnownThings<ArmBodies[Kind]> };
  readonly #registrations: KnownThings<GatewayService>;

  constructor(clock: Clock) {
    this.#resources = {
      publicIPAddresses: new KnownThings(clock),
      loadBalancers: new KnownThings(clock),
      natGateways: new KnownThings(clock),
    };
    this.#registrations = new KnownThings(clock);
  }

  find<Kind extends InventoryKind>(kind: Kind, id: ArmId<Kind>): Known<ArmBodies[Kind]> {
    return this.#resources[kind].get(nameKey(id));
  }

  set<Kind extends InventoryKind>(kind: Kind, id: ArmId<Kind>, known: Known<ArmBodies[Kind]>): void {
    this.#resources[kind].set(nameKey(id), known);
  }

  /** Gives what was known before. */
  replace<Kind extends InventoryKind>(
    kind: Kind,
    id: ArmId<Kind>,
    known: Known<ArmBodies[Kind]>,
  ): Known<ArmBodies[Kind]> {
    return this.#resources[kind].replace(nameKey(id), known);
  }

  registration(key: ServiceKey): Known<GatewayService> {
    return this.#registrations.get(nrpName(key));
  }

  setRegistration(name: string, known: Known<GatewayService>): void {
    this.#registrations.set(name.toLowerCase(), known);
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
