import { familyOf, type IpAddress, type IpFamily } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import type {
  Allocation,
  AllocationRefusal,
  AllocationRequest,
  KeptRequest,
  SeenHolding,
} from './allocation-request.ts';
import { DEFAULT_POOL, type L2Port, type L4Port, l4PortText } from './l2-port.ts';
import { L2Ports } from './l2-ports.ts';
import type { NamespaceLimits } from './namespace-use.ts';
import { type Freed, type Holding, Occupancy } from './occupancy.ts';
import { WaitingServices, type WaitsFor } from './waiting-services.ts';

/** Gives out the addresses of pools, so that no two Services have the same L4 port on the same address. */
export class Allocator {
  readonly #known: L2Ports;
  readonly #occupancy: Occupancy;
  readonly #waiting = new WaitingServices();

  constructor(l2Ports: Iterable<L2Port>, limits: NamespaceLimits = {}) {
    this.#known = new L2Ports(l2Ports);
    this.#occupancy = new Occupancy(this.#known, limits);
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
    const l2Ports = ids.flatMap((id) => this.#known.byId(id) ?? []);
    if (l2Ports.length > 0) this.#occupancy.reserve(service, { l2Ports, l4Ports, exclusive: false });
  }

  /** Whether no other Service has, or is kept for, any of this. */
  isUncontested(service: ServiceKey, { l2Ports: ids, l4Ports }: SeenHolding): boolean {
    const l2Ports = ids.flatMap((id) => this.#known.byId(id) ?? []);
    const isFree = (l2Port: L2Port) =>
      l4Ports.every((l4Port) => this.#occupancy.holderOf(l2Port, l4Port, service) === undefined);
    return l2Ports.every((l2Port) => isFree(l2Port) && this.#occupancy.mayShare(l2Port, service, false));
  }

  /** After all are reserved: keeps to an exclusive Service the addresses that are reserved for it alone. */
  keepAlone(service: ServiceKey): void {
    this.#occupancy.keepAlone(service);
  }

  /** The L2 port that is shown with this address, if it is in any pool. */
  at(address: IpAddress): L2Port | undefined {
    return this.#known.at(address);
  }

  /** Takes a new L2 port. What it is enough for goes to the oldest Services that wait; gives these. */
  add(l2Port: L2Port): readonly ServiceKey[] {
    this.#known.add(l2Port);
    return this.#serve(this.#waiting.all());
  }

  /** Forgets an L2 port that no Service is on, so that none gets it; false when there is one. */
  retire(l2Port: L2Port): boolean {
    if (this.#occupancy.tenants(l2Port).length > 0) return false;
    this.#known.remove(l2Port);
    this.#occupancy.searchAnew();
    return true;
  }

  /** The L2 ports that no Service is on, nor was until the world no longer shows it. */
  unused(): readonly L2Port[] {
    return [...this.#known.all()].filter((l2Port) => this.#occupancy.tenants(l2Port).length === 0);
  }

  /** How many L2 ports there are. */
  get size(): number {
    return [...this.#known.all()].length;
  }

  has({ id }: L2Port): boolean {
    return this.#known.byId(id) !== undefined;
  }

  /** What the Service has, or had until the world no longer shows it. */
  l2PortsOf(service: ServiceKey): readonly L2Port[] {
    return [...this.assigned(service), ...this.#occupancy.reserved(service)];
  }

  isUsed(l2Port: L2Port): boolean {
    return this.#occupancy.tenants(l2Port).length > 0;
  }

  /** A Service that asks for what cannot be honoured goes on with what is left of what it has; undefined: nothing. */
  keep(request: KeptRequest): Holding | undefined {
    this.#waiting.delete(request.service);
    const kept = this.#keepWhatIsLeft(request);
    this.#occupancy.assign(request.service, kept);
    return kept;
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
    return this.#serve(this.#waiting.candidates(freed));
  }

  #serve(waiting: readonly AllocationRequest[]): readonly ServiceKey[] {
    return waiting.flatMap((request) => {
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
    const pool = this.#poolFor(request);
    const families = request.families.filter((family) => this.#known.of(pool, family).length > 0);
    if (families.length === 0 || (request.everyFamilyRequired && families.length < request.families.length)) {
      return this.#refuseFamilies(request, pool);
    }
    const unknown = request.requestedAddresses.find((address) => this.#known.at(address)?.pool !== pool);
    if (unknown !== undefined) {
      return { code: 'address-unknown', message: `the address ${unknown} it asks for is not in ${poolText(pool)}` };
    }
    const found = families.flatMap((family) => this.#findIn(family, request) ?? []);
    return found.length === families.length ? found : this.#refusePorts(request, families);
  }

  /** That of the address it asks for, unless it names another or may not be on that one. */
  #poolFor({ pool, isPoolAsked, requestedAddresses: [asked], permittedPools }: AllocationRequest): string {
    const its = asked === undefined || isPoolAsked ? undefined : this.#known.at(asked)?.pool;
    return its !== undefined && permittedPools.includes(its) ? its : pool;
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
    const pool = this.#poolFor(request);
    if (requested !== undefined) {
      const l2Port = this.#known.at(requested);
      if (l2Port?.pool === pool) yield l2Port;
      return;
    }
    const l2Ports = this.#known.of(pool, family);
    for (let place = this.#occupancy.searchFrom(pool, family, request.l4Ports); place < l2Ports.length; place += 1) {
      const l2Port = l2Ports[place];
      if (l2Port !== undefined) yield l2Port;
    }
  }

  #findIn(family: IpFamily, request: AllocationRequest): L2Port | undefined {
    const isAsked = request.requestedAddresses.some((address) => familyOf(address) === family);
    const current = isAsked ? undefined : this.#current(request, family);
    const mayStay = current?.pool === this.#poolFor(request);
    if (current !== undefined && mayStay && this.#fits(current, request)) return current;
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
  #current({ service }: Pick<AllocationRequest, 'service'>, family: IpFamily): L2Port | undefined {
    const current = this.#occupancy.assigned(service)?.l2Ports ?? this.#occupancy.reserved(service);
    return current.find((l2Port) => l2Port.family === family);
  }

  /** An edit that cannot be honoured must not take a served address away: what others do not have stays served. */
  #keepWhatIsLeft(request: KeptRequest): Holding | undefined {
    const { service, permittedPools } = request;
    const l2Ports = request.families
      .flatMap((family) => this.#current(request, family) ?? [])
      .filter(({ id, pool }) => permittedPools.includes(pool) && this.#known.byId(id) !== undefined)
      .filter((l2Port) => this.#occupancy.mayShare(l2Port, service, false));
    const l4Ports = request.l4Ports.filter((l4Port) =>
      l2Ports.every((l2Port) => this.#mayKeep(l2Port, l4Port, service)),
    );
    if (l2Ports.length === 0 || l4Ports.length === 0) return undefined;
    const mayBeAlone = (l2Port: L2Port) =>
      this.#occupancy.mayShare(l2Port, service, true) &&
      this.#occupancy.limitOn(service, l2Port, [], true) === undefined;
    const exclusive = request.exclusive && l2Ports.every(mayBeAlone);
    return { l2Ports, l4Ports, exclusive };
  }

  /** What it has, or what is free and within the limits of its namespace: an edit is no way around them. */
  #mayKeep(l2Port: L2Port, l4Port: L4Port, service: ServiceKey): boolean {
    if (this.#occupancy.holds(service, l2Port, l4Port)) return true;
    return (
      this.#occupancy.holderOf(l2Port, l4Port, service) === undefined &&
      this.#occupancy.limitOn(service, l2Port, [l4Port], false) === undefined
    );
  }

  #refuseFamilies(request: AllocationRequest, pool: string): AllocationRefusal {
    const missing = request.families.filter((family) => this.#known.of(pool, family).length === 0);
    const wouldHelp = request.requestedAddresses.length > 0 ? {} : { wouldHelp: { pool, families: missing } };
    const isEmpty = FAMILIES.every((family) => this.#known.of(pool, family).length === 0);
    if (isEmpty) return { code: 'pool-empty', message: `${poolText(pool)} has no addresses at all`, ...wouldHelp };
    const message = `${poolText(pool)} has no ${missing.join(' and no ')} address, and the Service needs one`;
    return { code: 'family-missing', message, ...wouldHelp };
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
    const pool = this.#poolFor(request);
    const counts = families.map((family) => `no ${family} address of the ${this.#known.of(pool, family).length}`);
    const failing = families.filter((family) => this.#findIn(family, request) === undefined);
    const detail = failing.map((family) => this.#describeUses(request, this.#known.of(pool, family))).join('; ');
    const message = `there is ${counts.join(', or ')} in ${poolText(pool)} ${condition}`;
    return { code: 'port-taken', message, detail, wouldHelp: { pool, families: failing } };
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

const FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6'];

/** The one that has no name in the configuration has none in messages. */
function poolText(pool: string): string {
  return pool === DEFAULT_POOL ? 'the pool' : `the pool ${pool}`;
}

function firstOf<Item>(items: Iterable<Item>, isWanted: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (isWanted(item)) return item;
  return undefined;
}
