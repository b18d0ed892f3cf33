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

  findIn(family: IpFamily, request: AllocationRequest): L2Port | undefined {
    const isAsked = request.requestedAddresses.some((address) => familyOf(address) === family);
    const current = isAsked ? undefined : this.current(request, family);
    const mayStay = current?.pool === this.poolFor(request);
    if (current !== undefined && mayStay && this.#fits(current, request)) return current;
    return firstOf(this.candidates(family, request), (l2Port) => this.#fits(l2Port, request));
  }

  /** What we gave it counts before what it was seen with: a cache may not have seen our own write yet. */
  current({ service }: Pick<AllocationRequest, 'service'>, family: IpFamily): L2Port | undefined {
    const current = this.#occupancy.assigned(service)?.l2Ports ?? this.#occupancy.reserved(service);
    return current.find((l2Port) => l2Port.family === family);
  }

  /** Whether it is the ports alone that it waits for. */
  waitsFor(request: AllocationRequest): WaitsFor {
    const hasFreePorts = (l2Port: L2Port) =>
      request.l4Ports.every((l4Port) => this.#occupancy.holderOf(l2Port, l4Port, request.service) === undefined);
    const isThere = (family: IpFamily) => {
      // The search passes over the address that it has, as its ports are taken there: by itself.
      const current = this.current(request, family);
      if (current !== undefined && hasFreePorts(current)) return true;
      return firstOf(this.candidates(family, request), hasFreePorts) !== undefined;
    };
    return request.families.some(isThere) ? 'room' : 'ports';
  }

  /** The L2 ports that may be had, in order, from the first on which all L4 ports may be free. */
  *candidates(family: IpFamily, request: AllocationRequest): Generator<L2Port, undefined> {
    const requested = request.requestedAddresses.find((address) => familyOf(address) === family);
    const pool = this.poolFor(request);
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

  #fits(l2Port: L2Port, { service, l4Ports, exclusive }: AllocationRequest): boolean {
    return (
      l4Ports.every((l4Port) => this.#occupancy.holderOf(l2Port, l4Port, service) === undefined) &&
      this.#occupancy.mayShare(l2Port, service, exclusive) &&
      this.#occupancy.limitOn(service, l2Port, l4Ports, exclusive) === undefined
    );
  }
}

function firstOf<Item>(items: Iterable<Item>, isWanted: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (isWanted(item)) return item;
  return undefined;
}
