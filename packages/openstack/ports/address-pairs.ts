import { type IpAddress, parseIpAddress, parseIpRange, rangeContains } from '@fairlead/control';
import type { AddressPair, Port } from '../client/index.ts';

/** The addresses that a port may send from besides its own, one by one: `has` also counts those in a range. */
export function addressesOf(port: Port): { has(address: string): boolean } {
  const ranges = port.allowed_address_pairs.flatMap(({ ip_address }) => parseIpRange(ip_address) ?? []);
  const single = new Set(port.allowed_address_pairs.flatMap(({ ip_address }) => singleAddress(ip_address) ?? []));
  return {
    has(text) {
      const address = parseIpAddress(text)?.address;
      return address !== undefined && (single.has(address) || ranges.some((range) => rangeContains(range, address)));
    },
  };
}

/** The pairs of a port without those that we made for these addresses: one with a MAC address of its own is another's. */
export function pairsWithout(port: Port, addresses: ReadonlySet<IpAddress>): readonly AddressPair[] {
  return port.allowed_address_pairs.filter(({ ip_address, mac_address }) => {
    const address = singleAddress(ip_address);
    const isOurs = mac_address === undefined || mac_address === port.mac_address;
    return address === undefined || !addresses.has(address) || !isOurs;
  });
}

function singleAddress(text: string): IpAddress | undefined {
  return parseIpAddress(text)?.address;
}
