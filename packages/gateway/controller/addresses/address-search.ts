import { familyOf, type IpFamily } from '@fairlead/control';
import type { AllocationRequest } from './allocation-request.ts';
import type { L2Port } from './l2-port.ts';
import type { L2Ports } from './l2-ports.ts';
import type { Occupancy } from './occupancy.ts';
import type { WaitsFor } from './waiting-services.ts';

/** Finds the address for a Service: the one it has if it fits, else the first that does. */
export class AddressSearch {
  readonly #known: L2Ports;
  readonly #occupancy: Occupancy;

  constructor(known: L2Ports, occupancy: Occupancy) {
    this.#known = known;
    this.#occupancy = occupancy;
  }

  /** That of the address it asks for, unless it names another or may not be on that one. */
  poolFor({ pool, isPoolAsked, requestedAddresses: [asked], permittedPools }: AllocationRequest): string {
    const its = asked === undefined || isPoolAsked ? undefined : this.#known.at(asked)?.pool;
    return its !== undefined && permittedPools.includes(its) ? its : pool;
  }

  /** An address of each family that it is to have; undefined where one is missing. */
  find(request: AllocationRequest): readonly L2Port[] | undefined {
    const pool = this.poolFor(request);
    const families = this.familiesFor(request);
    if (families.length === 0) return undefined;
    if (request.requestedAddresses.some((address) => this.#known.at(address)?.pool !== pool)) return undefined;
    const found = families.flatMap((family) => this.findIn(family, request) ?? []);
    return found.length === families.length ? found : undefined;
  }

  /** Those that it is to have an address of. */
  familiesFor(request: AllocationRequest): readonly IpFamily[] {
    if (request.everyFamilyRequired) return request.families;
    const pool = this.poolFor(request);
    return request.families.filter((family) => this.#known.offers(pool, family));
  }

  findIn(family: IpFamily, request: AllocationRequest): L2Port | undefined {
    const isAsked = request.requestedAddresses.some((address) => familyOf(address) === family);
    const current = isAsked ? undefined : this.current(request, family);
    const mayStay = current?.pool === this.poolFor(request);
    if (current !== undefined && mayStay && this.fits(current, request)) return current;
    return firstOf(this.#withRoom(family, request), (l2Port) => this.fits(l2Port, request));
  }

  /** What we gave it counts before what it was seen with: a cache may not have seen our own write yet. */
  current({ service }: Pick<AllocationRequest, 'service'>, family: IpFamily): L2Port | undefined {
    const current = this.#occupancy.assigned(service)?.l2Ports ?? this.#occupancy.reserved(service);
    return current.find((l2Port) => l2Port.family === family);
  }

  /** Whether it is the ports alone that it waits for. */
  waitsFor(request: AllocationRequest): WaitsFor {
    const isThere = (family: IpFamily) => {
      // The search passes over the address that it has, as its ports are taken there: by itself.
      const current = this.current(request, family);
      if (current !== undefined && this.hasFreePorts(current, request)) return true;
      return firstOf(this.candidates(family, request), (l2Port) => this.hasFreePorts(l2Port, request)) !== undefined;
    };
    return request.families.some(isThere) ? 'room' : 'ports';
  }

  /** Whether it is one of those that the Service may be on at all. */
  isCandidate(l2Port: L2Port, request: AllocationRequest): boolean {
    const { family, pool, ingress } = l2Port;
    const requested = request.requestedAddresses.find((address) => familyOf(address) === family);
    if (requested !== undefined && requested !== ingress) return false;
    return request.families.includes(family) && pool === this.poolFor(request);
  }

  hasFreePorts(l2Port: L2Port, { service, l4Ports }: AllocationRequest): boolean {
    return l4Ports.every((l4Port) => this.#occupancy.holderOf(l2Port, l4Port, service) === undefined);
  }

  fits(l2Port: L2Port, request: AllocationRequest): boolean {
    const { service, l4Ports, exclusive } = request;
    return (
      this.hasFreePorts(l2Port, request) &&
      this.#occupancy.mayShare(l2Port, service, exclusive) &&
      this.#occupancy.limitOn(service, l2Port, l4Ports, exclusive) === undefined
    );
  }

  /** The L2 ports that may be had, in order, from the first on which all L4 ports may be free. */
  candidates(family: IpFamily, request: AllocationRequest): Iterable<L2Port> {
    const { l4Ports } = request;
    return this.#from(family, request, (pool) => this.#occupancy.freePortsFrom(pool, family, l4Ports));
  }

  /** Of those, the ones that others may let it in on, and the limits of its namespace. */
  #withRoom(family: IpFamily, request: AllocationRequest): Iterable<L2Port> {
    const { service, l4Ports, exclusive } = request;
    const confined = this.#occupancy.confinedTo(service, l4Ports, exclusive);
    if (confined !== undefined) return this.#inOrder(family, request, confined);
    // One that it was on before is passed over for its own sake.
    const own = this.#occupancy.reserved(service).map(({ id }) => id);
    const before = own.length === 0 ? [] : this.#inOrder(family, request, own);
    const all = this.#from(family, request, (pool) => this.#occupancy.roomFrom(pool, family, l4Ports, exclusive));
    return before.length === 0 ? all : [...before, ...all];
  }

  #inOrder(family: IpFamily, request: AllocationRequest, ids: Iterable<string>): readonly L2Port[] {
    return [...ids]
      .flatMap((id) => this.#known.byId(id) ?? [])
      .filter((l2Port) => l2Port.family === family && this.isCandidate(l2Port, request))
      .toSorted((one, other) => this.#known.placeOf(one) - this.#known.placeOf(other));
  }

  *#from(family: IpFamily, request: AllocationRequest, begin: (pool: string) => number): Generator<L2Port, undefined> {
    const requested = request.requestedAddresses.find((address) => familyOf(address) === family);
    const pool = this.poolFor(request);
    if (requested !== undefined) {
      const l2Port = this.#known.at(requested);
      if (l2Port?.pool === pool) yield l2Port;
      return;
    }
    const l2Ports = this.#known.of(pool, family);
    for (let place = begin(pool); place < l2Ports.length; place += 1) {
      const l2Port = l2Ports[place];
      if (l2Port !== undefined) yield l2Port;
    }
  }
}

function firstOf<Item>(items: Iterable<Item>, isWanted: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (isWanted(item)) return item;
  return undefined;
}
