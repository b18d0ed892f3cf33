import { familyOf, type IpAddress, type IpFamily } from '@fairlead/control';
import type { Refusal, ServiceKey } from '@fairlead/service';
import { type L2Port, type L2PortId, type L4Port, l4PortText } from './l2-port.ts';
import type { NamespaceLimits } from './namespace-use.ts';
import { type Freed, type Holding, Occupancy } from './occupancy.ts';
import { Pool } from './pool.ts';
import { WaitingServices, type WaitsFor } from './waiting-services.ts';

/** What a Service is seen with: the same L4 ports on each of the L2 ports. */
export interface SeenHolding {
  readonly l2Ports: readonly L2PortId[];
  readonly l4Ports: readonly L4Port[];
}

export interface AllocationRequest {
  readonly service: ServiceKey;
  /** The families wanted, most wanted first. */
  readonly families: readonly IpFamily[];
  /** Whether a family the pool lacks is a refusal, or simply left out. */
  readonly everyFamilyRequired: boolean;
  readonly l4Ports: readonly L4Port[];
  /** When it was created: of those that wait, the oldest is served first. */
  readonly createdAt: string;
  /** An exclusive Service shares its address with no other. */
  readonly exclusive: boolean;
  /** The addresses the user asked for; at most one per family. */
  readonly requestedAddresses: readonly IpAddress[];
}

const POOL_REFUSALS = [
  'pool-empty',
  'family-missing',
  'port-taken',
  'address-unknown',
  'address-taken',
  'namespace-limit',
] as const;

/** What the pool cannot give, and may be able to when it or the Services on it change. */
export type PoolRefusalCode = (typeof POOL_REFUSALS)[number];

export function isPoolRefusal(code: string): code is PoolRefusalCode {
  return POOL_REFUSALS.some((known) => known === code);
}

/** Why a Service cannot have what it asks for: names no other Service, so that it does not change with theirs. */
export interface AllocationRefusal extends Refusal {
  readonly code: PoolRefusalCode;
  /** Which Service is in the way at this moment, for `why`. */
  readonly detail?: string;
}

export type Allocation =
  | {
      readonly kind: 'assigned';
      readonly l2Ports: readonly L2Port[];
      /** What it has on each of them. */
      readonly l4Ports: readonly L4Port[];
      /** Why it is less than was asked for; absent when it is all. */
      readonly shortfall?: AllocationRefusal;
    }
  | { readonly kind: 'refused'; readonly refusal: AllocationRefusal };

/** Gives out the addresses of a pool, so that no two Services have the same L4 port on the same address. */
export class Allocator {
  readonly #pool: Pool;
  readonly #occupancy: Occupancy;
  readonly #waiting = new WaitingServices();

  constructor(l2Ports: Iterable<L2Port>, limits: NamespaceLimits = {}) {
    this.#pool = new Pool(l2Ports);
    this.#occupancy = new Occupancy(this.#pool, limits);
  }

  /** The L2 ports a Service is to have. */
  assigned(service: ServiceKey): readonly L2Port[] {
    return this.#occupancy.assigned(service)?.l2Ports ?? [];
  }

  /**
   * Keeps others off what a Service was given before a restart, without assigning it; who comes first, wins. To be
   * called for all Services before the first `assign`: an address in use is never given away because its holder was
   * read late.
   */
  reserve(service: ServiceKey, { l2Ports: ids, l4Ports }: SeenHolding): void {
    const l2Ports = ids.flatMap((id) => this.#pool.byId(id) ?? []);
    if (l2Ports.length > 0) this.#occupancy.reserve(service, { l2Ports, l4Ports, exclusive: false });
  }

  /** Whether no other Service has, or is kept for, any of this. */
  isUncontested(service: ServiceKey, { l2Ports: ids, l4Ports }: SeenHolding): boolean {
    const l2Ports = ids.flatMap((id) => this.#pool.byId(id) ?? []);
    const isFree = (l2Port: L2Port) =>
      l4Ports.every((l4Port) => this.#occupancy.holderOf(l2Port, l4Port, service) === undefined);
    return l2Ports.every((l2Port) => isFree(l2Port) && this.#occupancy.mayShare(l2Port, service, false));
  }

  /** After all are reserved: keeps to an exclusive Service the addresses that are reserved for it alone. */
  keepAlone(service: ServiceKey): void {
    this.#occupancy.keepAlone(service);
  }

  /** The L2 port with this address, if it is in the pool. */
  at(address: IpAddress): L2Port | undefined {
    return this.#pool.at(address);
  }

  /** Gives the Service its addresses: those it has if they fit, else others, else what is left of those it has. */
  assign(request: AllocationRequest): Allocation {
    const found = this.#find(request);
    if ('code' in found) {
      this.#waiting.add(request, this.#waitsFor(request));
      const kept = this.#keepWhatIsLeft(request);
      this.#occupancy.assign(request.service, kept);
      if (kept === undefined) return { kind: 'refused', refusal: found };
      return { kind: 'assigned', l2Ports: kept.l2Ports, l4Ports: kept.l4Ports, shortfall: found };
    }
    this.#grant(request, found);
    return { kind: 'assigned', l2Ports: found, l4Ports: request.l4Ports };
  }

  /** The Service is to have nothing any more; what it has stays reserved until it is settled. */
  release(service: ServiceKey): void {
    this.#waiting.delete(service);
    this.#occupancy.assign(service, undefined);
  }

  /**
   * The world shows the Service with what is assigned to it and nothing else: frees the rest. What became free goes to
   * the oldest Services that were waiting for it and that it is enough for; gives these.
   */
  settle(service: ServiceKey): readonly ServiceKey[] {
    const freed = this.#occupancy.settle(service);
    return freed === undefined ? [] : this.#serveWaiting(freed);
  }

  #serveWaiting(freed: Freed): readonly ServiceKey[] {
    return this.#waiting.candidates(freed).flatMap((request) => {
      const { service } = request;
      const found = this.#find(request);
      if (!('code' in found)) {
        this.#grant(request, found);
        return [service];
      }
      // Who waited for ports may have to wait for room now, on an address where they are free.
      this.#waiting.add(request, this.#waitsFor(request));
      // What it has may have become more, though it is not all yet.
      const kept = this.#keepWhatIsLeft(request);
      const { l4Ports = [] } = this.#occupancy.assigned(service) ?? {};
      if (kept === undefined || kept.l4Ports.length <= l4Ports.length) return [];
      this.#occupancy.assign(service, kept);
      return [service];
    });
  }

  #grant(request: AllocationRequest, l2Ports: readonly L2Port[]): void {
    const { service, l4Ports, exclusive } = request;
    this.#waiting.delete(service);
    this.#occupancy.assign(service, { l2Ports, l4Ports, exclusive });
  }

  #find(request: AllocationRequest): readonly L2Port[] | AllocationRefusal {
    const families = request.families.filter((family) => this.#pool.of(family).length > 0);
    if (families.length === 0 || (request.everyFamilyRequired && families.length < request.families.length)) {
      return this.#refuseFamilies(request);
    }
    const unknown = request.requestedAddresses.find((address) => this.#pool.at(address) === undefined);
    if (unknown !== undefined) {
      return { code: 'address-unknown', message: `the address ${unknown} it asks for is not in the pool` };
    }
    const found = families.flatMap((family) => this.#findIn(family, request) ?? []);
    return found.length === families.length ? found : this.#refusePorts(request, families);
  }

  /** Whether it is the ports alone that it waits for. */
  #waitsFor(request: AllocationRequest): WaitsFor {
    const hasFreePorts = (l2Port: L2Port) =>
      request.l4Ports.every((l4Port) => this.#occupancy.holderOf(l2Port, l4Port, request.service) === undefined);
    const isThere = (family: IpFamily) => {
      // The search passes over the address that it has, as its ports are taken there: by itself.
      const current = this.#current(request, family);
      if (current !== undefined && hasFreePorts(current)) return true;
      return firstOf(this.#candidates(family, request), hasFreePorts) !== undefined;
    };
    return request.families.some(isThere) ? 'room' : 'ports';
  }

  /** The L2 ports that may be had, in order, from the first on which all L4 ports may be free. */
  *#candidates(family: IpFamily, request: AllocationRequest): Generator<L2Port, undefined> {
    const requested = request.requestedAddresses.find((address) => familyOf(address) === family);
    if (requested !== undefined) {
      const l2Port = this.#pool.at(requested);
      if (l2Port !== undefined) yield l2Port;
      return;
    }
    const l2Ports = this.#pool.of(family);
    for (let place = this.#occupancy.searchFrom(family, request.l4Ports); place < l2Ports.length; place += 1) {
      const l2Port = l2Ports[place];
      if (l2Port !== undefined) yield l2Port;
    }
  }

  #findIn(family: IpFamily, request: AllocationRequest): L2Port | undefined {
    const isAsked = request.requestedAddresses.some((address) => familyOf(address) === family);
    const current = isAsked ? undefined : this.#current(request, family);
    if (current !== undefined && this.#fits(current, request)) return current;
    return firstOf(this.#candidates(family, request), (l2Port) => this.#fits(l2Port, request));
  }

  #fits(l2Port: L2Port, { service, l4Ports, exclusive }: AllocationRequest): boolean {
    return (
      l4Ports.every((l4Port) => this.#occupancy.holderOf(l2Port, l4Port, service) === undefined) &&
      this.#occupancy.mayShare(l2Port, service, exclusive) &&
      this.#occupancy.limitOn(service, l2Port, l4Ports, exclusive) === undefined
    );
  }

  /** What we gave it counts before what it was seen with: a cache may not have seen our own write yet. */
  #current({ service }: AllocationRequest, family: IpFamily): L2Port | undefined {
    const current = this.#occupancy.assigned(service)?.l2Ports ?? this.#occupancy.reserved(service);
    return current.find((l2Port) => l2Port.family === family);
  }

  /** An edit that cannot be honoured must not take a served address away: what others do not have stays served. */
  #keepWhatIsLeft(request: AllocationRequest): Holding | undefined {
    const { service } = request;
    const l2Ports = request.families
      .flatMap((family) => this.#current(request, family) ?? [])
      .filter((l2Port) => this.#occupancy.mayShare(l2Port, service, false));
    const l4Ports = request.l4Ports.filter((l4Port) =>
      l2Ports.every((l2Port) => this.#occupancy.holderOf(l2Port, l4Port, service) === undefined),
    );
    if (l2Ports.length === 0 || l4Ports.length === 0) return undefined;
    const exclusive = request.exclusive && l2Ports.every((l2Port) => this.#occupancy.mayShare(l2Port, service, true));
    return { l2Ports, l4Ports, exclusive };
  }

  #refuseFamilies(request: AllocationRequest): AllocationRefusal {
    if (this.#pool.size === 0) return { code: 'pool-empty', message: 'the pool has no addresses at all' };
    const missing = request.families.filter((family) => this.#pool.of(family).length === 0);
    const message = `the pool has no ${missing.join(' and no ')} address, and the Service needs one`;
    return { code: 'family-missing', message };
  }

  /** Which of several families fails may change with every change of others: the message is about all of them. */
  #refusePorts(request: AllocationRequest, families: readonly IpFamily[]): AllocationRefusal {
    const limit = this.#limitOf(request, families);
    if (limit !== undefined) return { code: 'namespace-limit', message: `its namespace ${limit}` };
    const wanted = request.l4Ports.map(l4PortText).join(', ');
    const condition = request.exclusive ? 'that no other Service is on' : `that has ${wanted} free and may be shared`;
    if (request.requestedAddresses.length > 0) {
      const asked = request.requestedAddresses.join(' and ');
      const detail = this.#describeUses(
        request,
        request.requestedAddresses.flatMap((address) => this.at(address) ?? []),
      );
      return { code: 'address-taken', message: `it asks for ${asked}, and for one ${condition}`, detail };
    }
    const pools = families.map((family) => `no ${family} address of the ${this.#pool.of(family).length}`);
    const failing = families.filter((family) => this.#findIn(family, request) === undefined);
    const detail = failing.map((family) => this.#describeUses(request, this.#pool.of(family))).join('; ');
    return { code: 'port-taken', message: `there is ${pools.join(', or ')} in the pool ${condition}`, detail };
  }

  /** The limit without which it would have fitted. */
  #limitOf(request: AllocationRequest, families: readonly IpFamily[]): string | undefined {
    const { service, l4Ports, exclusive } = request;
    for (const family of families) {
      if (this.#findIn(family, request) !== undefined) continue;
      for (const l2Port of this.#candidates(family, request)) {
        const isFree = l4Ports.every((one) => this.#occupancy.holderOf(l2Port, one, service) === undefined);
        if (isFree && this.#occupancy.mayShare(l2Port, service, exclusive)) {
          return this.#occupancy.limitOn(service, l2Port, l4Ports, exclusive);
        }
      }
    }
    return undefined;
  }

  #describeUses(request: AllocationRequest, l2Ports: readonly L2Port[]): string {
    const shown = l2Ports.slice(0, 3).map((l2Port) => `${l2Port.address}: ${this.#describeUse(l2Port, request)}`);
    const more = l2Ports.length > shown.length ? [`and ${l2Ports.length - shown.length} more`] : [];
    return [...shown, ...more].join('; ');
  }

  #describeUse(l2Port: L2Port, { service, l4Ports }: AllocationRequest): string {
    for (const l4Port of l4Ports) {
      const holder = this.#occupancy.holderOf(l2Port, l4Port, service);
      if (holder !== undefined) return `${l4PortText(l4Port)} belongs to ${holder}`;
    }
    const others = this.#occupancy.tenants(l2Port).filter((tenant) => tenant !== service);
    return others.length === 0 ? 'free' : `${others.join(', ')} ${others.length > 1 ? 'are' : 'is'} on it`;
  }
}

function firstOf<Item>(items: Iterable<Item>, isWanted: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (isWanted(item)) return item;
  return undefined;
}
