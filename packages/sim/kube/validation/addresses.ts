import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type FieldProblem, invalidValue } from './field-problem.ts';

export type Family = 'IPv4' | 'IPv6';

/** The family of an address; undefined for what is not one. */
export function familyOf(address: string): Family | undefined {
  if (isIPv4(address)) return 'IPv4';
  return isIPv6(address) ? 'IPv6' : undefined;
}

/** A block of addresses, numbered from 0. */
export interface AddressRange {
  readonly cidr: string;
  readonly family: Family;
  readonly size: number;
  at(index: number): string;
  contains(address: string): boolean;
}

/** No simulated cluster needs more; the real server, too, looks at no more of a larger block. */
const LARGEST_RANGE_BITS = 20;

export function addressRange(cidr: string): AddressRange {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  const start = toBigInt(network.toByteArray());
  const width = network.toByteArray().length * 8;
  const hostBits = width - bits;
  const size = 2 ** Math.min(hostBits, LARGEST_RANGE_BITS);
  return {
    cidr,
    family: width === 32 ? 'IPv4' : 'IPv6',
    size,
    at: (index) => ipaddr.fromByteArray(toBytes(start + BigInt(index), width / 8)).toString(),
    contains: (address) => {
      const parsed = ipaddr.parse(address);
      if (parsed.toByteArray().length * 8 !== width) return false;
      return toBigInt(parsed.toByteArray()) >> BigInt(hostBits) === start >> BigInt(hostBits);
    },
  };
}

function toBigInt(bytes: readonly number[]): bigint {
  return bytes.reduce((total, byte) => (total << 8n) | BigInt(byte), 0n);
}

function toBytes(value: bigint, length: number): number[] {
  return Array.from({ length }, (_, index) => Number((value >> BigInt(8 * (length - 1 - index))) & 0xffn));
}

/** What is wrong with an address that a user typed. */
export function addressProblems(field: string, address: string): readonly FieldProblem[] {
  if (familyOf(address) !== undefined) return [];
  if (/^\d+(\.\d+){3}$/.test(address) && /(^|\.)0\d/.test(address)) {
    return [invalidValue(field, address, 'must not have leading 0s')];
  }
  return [invalidValue(field, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
}

/** What is unwise about an address: two spellings of one address look like two. */
export function addressWarnings(field: string, address: string): readonly string[] {
  if (familyOf(address) !== 'IPv6') return [];
  const canonical = ipaddr.parse(address).toString();
  if (canonical === address) return [];
  return [`${field}: IPv6 address "${address}" should be in RFC 5952 canonical format ("${canonical}")`];
}

/** What is wrong with a block of addresses that a user typed. */
export function cidrProblems(field: string, cidr: string): readonly FieldProblem[] {
  const malformed = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  const [address = '', bits = '', ...rest] = cidr.split('/');
  if (familyOf(address) === undefined || !/^\d+$/.test(bits) || rest.length > 0) {
    return [invalidValue(field, cidr, malformed)];
  }
  const width = familyOf(address) === 'IPv4' ? 32 : 128;
  if (Number(bits) > width) return [invalidValue(field, cidr, malformed)];
  const hostBits = BigInt(width - Number(bits));
  const value = toBigInt(ipaddr.parse(address).toByteArray());
  if ((value >> hostBits) << hostBits === value) return [];
  return [invalidValue(field, cidr, 'must not have bits set beyond the prefix length')];
}

/** Why an address cannot be an endpoint, although it is an address. */
export function specialAddressProblems(field: string, address: string): readonly FieldProblem[] {
  const range = ipaddr.parse(address).range();
  if (range === 'unspecified') return [invalidValue(field, address, 'may not be unspecified (0.0.0.0 or ::)')];
  if (range === 'loopback') {
    return [invalidValue(field, address, 'may not be in the loopback range (127.0.0.0/8, ::1/128)')];
  }
  if (range === 'linkLocal') {
    return [invalidValue(field, address, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')];
  }
  if (address.startsWith('224.0.0.') || /^ff02:/i.test(address)) {
    const blocks = '(224.0.0.0/24, ff02::/10)';
    return [invalidValue(field, address, `may not be in the link-local multicast range ${blocks}`)];
  }
  return [];
}
