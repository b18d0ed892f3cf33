import type { ServiceKey } from '@fairlead/service';
import { type L2Port, type L4Port, l4PortText } from './l2-port.ts';

/** How much one namespace may have, so that none takes it all; what is not named is not limited. */
export interface NamespaceLimits {
  /** Addresses that its Services are on. */
  readonly addresses?: number | undefined;
  /** Addresses on which its Services have the same port number and protocol. */
  readonly addressesPerPort?: number | undefined;
  /** Addresses that its Services keep to themselves. */
  readonly exclusiveAddresses?: number | undefined;
}

/** A thing that is counted -> on which address -> the Services that have it there. */
type Uses = Map<string, Map<string, Set<ServiceKey>>>;

/** What the Services of each namespace have, as far as that is limited. A change costs as much as the change. */
export class NamespaceUse {
  readonly #limits: NamespaceLimits;
  readonly #addresses: Uses = new Map();
  readonly #ports: Uses = new Map();
  readonly #exclusive: Uses = new Map();

  constructor(limits: NamespaceLimits) {
    this.#limits = limits;
  }

  get isLimiting(): boolean {
    return Object.values(this.#limits).some((limit) => limit !== undefined);
  }

  /** The Service is on the address, perhaps alone; undefined: no longer. */
  setTenant(service: ServiceKey, { id }: L2Port, alone: boolean | undefined): void {
    const namespace = namespaceOf(service);
    if (this.#limits.addresses !== undefined) set(this.#addresses, namespace, id, service, alone !== undefined);
    if (this.#limits.exclusiveAddresses !== undefined) set(this.#exclusive, namespace, id, service, alone === true);
  }

  setHolder(service: ServiceKey, { id }: L2Port, l4Port: L4Port, isHeld: boolean): void {
    if (this.#limits.addressesPerPort === undefined) return;
    set(this.#ports, `${namespaceOf(service)} ${l4PortText(l4Port)}`, id, service, isHeld);
  }

  /** The limit that keeps the Service off the address, in words about its namespace; undefined when none does. */
  limitOn(service: ServiceKey, l2Port: L2Port, l4Ports: readonly L4Port[], exclusive: boolean): string | undefined {
    const { addresses, addressesPerPort, exclusiveAddresses } = this.#limits;
    const namespace = namespaceOf(service);
    const isOver = (uses: Uses, thing: string, limit: number | undefined) =>
      limit !== undefined && othersOf(uses.get(thing), service, l2Port.id) >= limit;
    if (isOver(this.#addresses, namespace, addresses))
      return `is on ${addresses} addresses, which is all that it may have`;
    if (exclusive && isOver(this.#exclusive, namespace, exclusiveAddresses)) {
      return `keeps ${exclusiveAddresses} addresses to itself, which is all that it may`;
    }
    const port = l4Ports.find((one) => isOver(this.#ports, `${namespace} ${l4PortText(one)}`, addressesPerPort));
    if (port === undefined) return undefined;
    return `has ${l4PortText(port)} on ${addressesPerPort} addresses, which is all that it may`;
  }

  /** Where a limit is reached: the addresses on which it does not count, as the namespace is there already. */
  confinedTo(service: ServiceKey, l4Ports: readonly L4Port[], exclusive: boolean): ReadonlySet<string> | undefined {
    const { addresses, addressesPerPort, exclusiveAddresses } = this.#limits;
    const namespace = namespaceOf(service);
    const counted: readonly (readonly [Uses, string, number | undefined])[] = [
      [this.#addresses, namespace, addresses],
      ...(exclusive ? [[this.#exclusive, namespace, exclusiveAddresses] as const] : []),
      ...l4Ports.map((one) => [this.#ports, `${namespace} ${l4PortText(one)}`, addressesPerPort] as const),
    ];
    for (const [uses, thing, limit] of counted) {
      const places = uses.get(thing);
      if (limit !== undefined && othersOf(places, service, '') >= limit) return new Set(places?.keys());
    }
    return undefined;
  }
}

/** The addresses that other Services of the namespace have the thing on; one that it would share with them is free. */
function othersOf(
  uses: ReadonlyMap<string, ReadonlySet<ServiceKey>> | undefined,
  service: ServiceKey,
  here: string,
): number {
  let count = 0;
  for (const [id, services] of uses ?? []) {
    if (services.size === 1 && services.has(service)) continue;
    if (id === here) return 0;
    count += 1;
  }
  return count;
}

function set(uses: Uses, thing: string, id: string, service: ServiceKey, isThere: boolean): void {
  const places = uses.get(thing) ?? new Map<string, Set<ServiceKey>>();
  const services = places.get(id) ?? new Set<ServiceKey>();
  if (isThere) services.add(service);
  else services.delete(service);
  if (services.size === 0) places.delete(id);
  else places.set(id, services);
  if (places.size === 0) uses.delete(thing);
  else uses.set(thing, places);
}

export function namespaceOf(service: ServiceKey): string {
  return service.slice(0, service.indexOf('/'));
}
