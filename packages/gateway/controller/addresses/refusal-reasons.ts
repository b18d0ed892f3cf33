import type { IpFamily } from '@fairlead/control';
import type { AddressSearch } from './address-search.ts';
import type { AllocationRefusal, AllocationRequest } from './allocation-request.ts';
import { DEFAULT_POOL, type L2Port, l4PortText } from './l2-port.ts';
import type { L2Ports } from './l2-ports.ts';
import type { Occupancy } from './occupancy.ts';

/** Tells why a Service cannot have what it asks for. */
export class RefusalReasons {
  readonly #known: L2Ports;
  readonly #occupancy: Occupancy;
  readonly #search: AddressSearch;

  constructor(known: L2Ports, occupancy: Occupancy, search: AddressSearch) {
    this.#known = known;
    this.#occupancy = occupancy;
    this.#search = search;
  }

  /** Of a Service for which no address was found. */
  of(request: AllocationRequest): AllocationRefusal {
    const pool = this.#search.poolFor(request);
    const families = this.#search.familiesFor(request);
    const missing = families.filter((family) => this.#known.of(pool, family).length === 0);
    if (families.length === 0) return this.#families(request, pool, request.families);
    if (missing.length > 0) return this.#families(request, pool, missing);
    const unknown = request.requestedAddresses.find((address) => this.#known.at(address)?.pool !== pool);
    if (unknown !== undefined) {
      return { code: 'address-unknown', message: `the address ${unknown} it asks for is not in ${poolText(pool)}` };
    }
    return this.#ports(request, families);
  }

  #families(request: AllocationRequest, pool: string, missing: readonly IpFamily[]): AllocationRefusal {
    const wouldHelp = request.requestedAddresses.length > 0 ? {} : { wouldHelp: { pool, families: missing } };
    const isEmpty = FAMILIES.every((family) => this.#known.of(pool, family).length === 0);
    if (isEmpty) return { code: 'pool-empty', message: `${poolText(pool)} has no addresses at all`, ...wouldHelp };
    const message = `${poolText(pool)} has no ${missing.join(' and no ')} address, and the Service needs one`;
    return { code: 'family-missing', message, ...wouldHelp };
  }

  /** Which of several families fails may change with every change of others: the message is about all of them. */
  #ports(request: AllocationRequest, families: readonly IpFamily[]): AllocationRefusal {
    const limit = this.#limitOf(request, families);
    if (limit !== undefined) return { code: 'namespace-limit', message: `its namespace ${limit}` };
    const wanted = request.l4Ports.map(l4PortText).join(', ');
    const condition = request.exclusive ? 'that no other Service is on' : `that has ${wanted} free and may be shared`;
    if (request.requestedAddresses.length > 0) {
      const asked = request.requestedAddresses.join(' and ');
      const detail = this.#describeUses(
        request,
        request.requestedAddresses.flatMap((address) => this.#known.at(address) ?? []),
      );
      return { code: 'address-taken', message: `it asks for ${asked}, and for one ${condition}`, detail };
    }
    const pool = this.#search.poolFor(request);
    const counts = families.map((family) => `no ${family} address of the ${this.#known.of(pool, family).length}`);
    const failing = families.filter((family) => this.#search.findIn(family, request) === undefined);
    const detail = failing.map((family) => this.#describeUses(request, this.#known.of(pool, family))).join('; ');
    const message = `there is ${counts.join(', or ')} in ${poolText(pool)} ${condition}`;
    return { code: 'port-taken', message, detail, wouldHelp: { pool, families: failing } };
  }

  /** The limit without which it would have fitted. */
  #limitOf(request: AllocationRequest, families: readonly IpFamily[]): string | undefined {
    const { service, l4Ports, exclusive } = request;
    for (const family of families) {
      if (this.#search.findIn(family, request) !== undefined) continue;
      for (const l2Port of this.#search.candidates(family, request)) {
        const isFree = l4Ports.every((one) => this.#occupancy.holderOf(l2Port, one, service) === undefined);
        if (isFree && this.#occupancy.mayShare(l2Port, service, exclusive)) {
          return this.#occupancy.limitOn(service, l2Port, l4Ports, exclusive);
        }
      }
    }
    return undefined;
  }

  #describeUses(request: AllocationRequest, l2Ports: readonly L2Port[]): string {
    const shown = l2Ports
      .slice(0, MOST_NAMED)
      .map((l2Port) => `${l2Port.address}: ${this.#describeUse(l2Port, request)}`);
    const more = l2Ports.length > shown.length ? [`and ${l2Ports.length - shown.length} more`] : [];
    return [...shown, ...more].join('; ');
  }

  #describeUse(l2Port: L2Port, { service, l4Ports }: AllocationRequest): string {
    for (const l4Port of l4Ports) {
      const holder = this.#occupancy.holderOf(l2Port, l4Port, service);
      if (holder !== undefined) return `${l4PortText(l4Port)} belongs to ${holder}`;
    }
    const tenants = this.#occupancy.tenants(l2Port);
    const count = tenants.size - (tenants.has(service) ? 1 : 0);
    if (count === 0) return 'free';
    const named: string[] = [];
    for (const tenant of tenants.keys()) if (tenant !== service && named.push(tenant) === MOST_NAMED) break;
    if (count > MOST_NAMED) named.push(`${count - MOST_NAMED} more`);
    return `${named.join(', ')} ${count > 1 ? 'are' : 'is'} on it`;
  }
}

const FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6'];
/** Of the addresses of a pool, and of the Services on one. */
const MOST_NAMED = 3;

/** The one that has no name in the configuration has none in messages. */
function poolText(pool: string): string {
  return pool === DEFAULT_POOL ? 'the pool' : `the pool ${pool}`;
}
