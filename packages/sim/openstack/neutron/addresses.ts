import {
  familyOf,
  formatIpAddress,
  type IpAddress,
  ipAddressValue,
  parseIpAddress,
  parseIpRange,
  type Random,
  randomPick,
  rangeContains,
  requireIpAddress,
} from '@fairlead/control';
import { type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import { badRequest } from '../refusal.ts';

/** Addresses are drawn from so many that are free, as Neutron does to keep concurrent requests apart. */
const WINDOW = 10;

/** Which addresses of which subnets are taken. */
export class SubnetAddresses {
  readonly #random: Random;
  readonly #taken = new Map<string, Set<string>>();

  constructor(random: Random) {
    this.#random = random;
  }

  isTaken(subnetId: string, address: string): boolean {
    return this.#of(subnetId).has(address);
  }

  take(subnetId: string, address: string): void {
    this.#of(subnetId).add(address);
  }

  release(subnetId: string, address: string): void {
    this.#of(subnetId).delete(address);
  }

  /** A free address of the subnet's pools; undefined when there is none left. */
  draw(subnet: JsonObject): IpAddress | undefined {
    const taken = this.#of(textOf(subnet['id']));
    const free: IpAddress[] = [];
    for (const { first, last } of poolsOf(subnet)) {
      const family = familyOf(first);
      const end = ipAddressValue(last);
      for (let value = ipAddressValue(first); value <= end && free.length < WINDOW; value += 1n) {
        const address = formatIpAddress(value, family);
        if (!taken.has(address)) free.push(address);
      }
    }
    return free.length === 0 ? undefined : randomPick(this.#random, free);
  }

  #of(subnetId: string): Set<string> {
    const known = this.#taken.get(subnetId) ?? new Set<string>();
    this.#taken.set(subnetId, known);
    return known;
  }
}

function poolsOf(subnet: JsonObject): readonly { readonly first: IpAddress; readonly last: IpAddress }[] {
  return listOf(subnet['allocation_pools']).map((pool) => {
    const { start, end } = objectOf(pool);
    return { first: requireIpAddress(textOf(start)), last: requireIpAddress(textOf(end)) };
  });
}

/** As Neutron spells it, or undefined when it is no address. */
export function spelled(text: string): IpAddress | undefined {
  return parseIpAddress(text)?.address;
}

export function isInSubnet(subnet: JsonObject, address: IpAddress): boolean {
  const range = parseIpRange(textOf(subnet['cidr']));
  return range !== undefined && rangeContains(range, address);
}

/** Gateway and pool of a new subnet: the first address, and all others but the last. */
export function layoutOf(cidr: string): { readonly gateway: string; readonly start: string; readonly end: string } {
  const [base = '', prefix = ''] = cidr.split('/');
  const address = parseIpAddress(base)?.address;
  if (address === undefined) throw badRequest(`Invalid input for cidr. Reason: '${cidr}' is not a valid IP subnet.`);
  const family = familyOf(address);
  const first = ipAddressValue(address);
  const size = 1n << BigInt((family === 'IPv4' ? 32 : 128) - Number(prefix));
  const at = (offset: bigint) => formatIpAddress(first + offset, family);
  // In IPv6 the gateway may have the address of the network, and no address is for broadcasts.
  if (family === 'IPv6') return { gateway: at(0n), start: at(1n), end: at(size - 1n) };
  return { gateway: at(1n), start: at(2n), end: at(size - 2n) };
}
