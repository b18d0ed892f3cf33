import { type IpAddress, parseIpAddress, parseIpRange, rangeContains } from '@fairlead/control';
import type { AddressPair, Port } from '../client/index.ts';

/** Tells whether a port may send from an address besides its own, by a pair for the address or for a range. */
export function maySendFrom(port: Port): (address: string) => boolean {
  const pairs = port.allowed_address_pairs.filter((pair) => isOwn(port, pair));
  const ranges = pairs.flatMap(({ ip_address }) => parseIpRange(ip_address) ?? []);
  const single = new Set(pairs.flatMap(({ ip_address }) => parseIpAddress(ip_address)?.address ?? []));
  return (text) => {
    const address = parseIpAddress(text)?.address;
    return address !== undefined && (single.has(address) || ranges.some((range) => rangeContains(range, address)));
  };
}

/** The pairs of a port without those that we made for these addresses. */
export function pairsWithout(port: Port, addresses: ReadonlySet<IpAddress>): readonly AddressPair[] {
  return port.allowed_address_pairs.filter((pair) => {
    const address = parseIpAddress(pair.ip_address)?.address;
    return address === undefined || !addresses.has(address) || !isOwn(port, pair);
  });
}

/** We name no MAC address, and Neutron puts the port's own: a pair with another is that of another program. */
function isOwn(port: Port, { mac_address }: AddressPair): boolean {
  return mac_address === undefined || mac_address === port.mac_address;
}
