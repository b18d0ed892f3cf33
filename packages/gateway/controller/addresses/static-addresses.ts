import {
  FairleadError,
  familyOf,
  formatIpAddress,
  type IpAddress,
  ipAddressValue,
  parseIpAddress,
  parseIpRange,
} from '@fairlead/control';
import type { AddressProvider } from './address-provider.ts';
import { DEFAULT_POOL, isL2PortId, type L2Port } from './l2-port.ts';

/** More than this is a mistyped prefix, not a pool: a /64 would never end. */
const LARGEST_POOL = 65_536;

/** What a pool was configured with. */
export interface AddressList {
  readonly name: string;
  readonly addresses?: readonly string[] | undefined;
}

/** Gives out fixed lists of addresses; each is its own L2 port, named by the address. */
export function staticAddresses(pools: readonly AddressList[]): AddressProvider {
  const l2Ports = pools.flatMap(({ name, addresses = [] }) =>
    expandAddresses(addresses).flatMap((address) => l2PortAt(address, name) ?? []),
  );
  return { list: async () => l2Ports, [Symbol.asyncDispose]: async () => {} };
}

/** The addresses of a list of single ones, ranges (`first-last`) and CIDRs: in the list's order, each once. */
export function expandAddresses(entries: readonly string[]): readonly IpAddress[] {
  const addresses = new Set<IpAddress>();
  for (const entry of entries) {
    for (const address of expandEntry(entry)) addresses.add(address);
    if (addresses.size > LARGEST_POOL) throw invalid(entry, `makes the pool larger than ${LARGEST_POOL} addresses`);
  }
  return [...addresses];
}

function expandEntry(entry: string): Iterable<IpAddress> {
  const text = entry.trim();
  const single = parseIpAddress(text);
  if (single !== undefined) return [single.address];
  const range = parseIpRange(text);
  if (range !== undefined) {
    checkHostBits(text, range.first, range.family);
    return between(entry, range.first, range.last, range.family);
  }
  const [first, last, ...more] = text.split('-').map((piece) => parseIpAddress(piece.trim()));
  if (first === undefined || last === undefined || more.length > 0 || first.family !== last.family) {
    throw invalid(entry, 'is neither an address, nor a CIDR, nor a range such as 192.0.2.10-192.0.2.20');
  }
  return between(entry, ipAddressValue(first.address), ipAddressValue(last.address), first.family);
}

/** `192.0.2.77/24` may mean one address, or 256 of which most were not meant. */
function checkHostBits(text: string, first: bigint, family: 'IPv4' | 'IPv6'): void {
  const [address = '', prefix] = text.split('/');
  const given = parseIpAddress(address);
  if (given === undefined || ipAddressValue(given.address) === first) return;
  const network = `${formatIpAddress(first, family)}/${prefix}`;
  throw invalid(
    text,
    `has bits set behind its prefix: write ${network} for the network, or ${address} for the address`,
  );
}

function* between(entry: string, first: bigint, last: bigint, family: 'IPv4' | 'IPv6'): Generator<IpAddress> {
  if (last < first) throw invalid(entry, 'ends before it begins');
  if (last - first >= BigInt(LARGEST_POOL)) throw invalid(entry, `has more than ${LARGEST_POOL} addresses`);
  for (let value = first; value <= last; value += 1n) yield formatIpAddress(value, family);
}

/** An L2 port that is its own address. */
export function l2PortAt(address: IpAddress, pool = DEFAULT_POOL): L2Port | undefined {
  const id: string = address;
  return isL2PortId(id) ? { id, pool, address, ingress: address, family: familyOf(address) } : undefined;
}

function invalid(entry: string, problem: string): FairleadError {
  return new FairleadError(`${JSON.stringify(entry)} ${problem}`, { verdict: 'terminal', code: 'invalid-pool' });
}
