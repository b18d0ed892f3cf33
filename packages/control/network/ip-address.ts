import { isIP, isIPv4, isIPv6 } from 'node:net';
import { FairleadError } from '../errors.ts';

export type IpFamily = 'IPv4' | 'IPv6';

/** An address in the one spelling that Fairlead uses for it everywhere, so that two of them compare as text. */
export type IpAddress = string & { readonly brand: 'IpAddress' };

export interface ParsedIpAddress {
  readonly address: IpAddress;
  readonly family: IpFamily;
}

/** A range in CIDR notation. */
export interface IpRange {
  /** Canonical: the network's address and the prefix length. */
  readonly text: string;
  readonly family: IpFamily;
  readonly prefixLength: number;
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * Reads an address in any spelling, or tells by undefined that it is none. An IPv4 address mapped into IPv6
 * (`::ffff:192.0.2.1`) is the IPv4 address: both spellings reach the same host. Zones are refused: they mean
 * nothing on another machine.
 */
export function parseIpAddress(text: string): ParsedIpAddress | undefined {
  if (isIPv4(text)) return { address: canonical(text), family: 'IPv4' };
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const value = ipv6Value(text);
  if (value >> 32n === 0xffffn) return { address: formatIpAddress(value & 0xffff_ffffn, 'IPv4'), family: 'IPv4' };
  return { address: formatIpAddress(value, 'IPv6'), family: 'IPv6' };
}

/** Like `parseIpAddress`, for text that must be an address: throws a terminal error that names it. */
export function requireIpAddress(text: string): IpAddress {
  const parsed = parseIpAddress(text);
  if (parsed === undefined) {
    throw new FairleadError(`${JSON.stringify(text)} is no IP address`, {
      verdict: 'terminal',
      code: 'invalid-address',
    });
  }
  return parsed.address;
}

export function familyOf(address: IpAddress): IpFamily {
  return address.includes(':') ? 'IPv6' : 'IPv4';
}

/** Reads `192.0.2.0/24` or `2001:db8::/32`; bits beyond the prefix are cleared. Undefined when it is no range. */
export function parseIpRange(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  const length = text.slice(slash + 1);
  if (slash < 0 || !/^\d{1,3}$/.test(length)) return undefined;
  const written = text.slice(0, slash);
  const parsed = parseIpAddress(written);
  // A mapped address has 128 bits to count from, its IPv4 form 32: such a range is ambiguous.
  if (parsed === undefined || (parsed.family === 'IPv4' && written.includes(':'))) return undefined;
  const bits = bitsOf(parsed.family);
  const prefixLength = Number(length);
  if (prefixLength > bits) return undefined;
  const size = 1n << BigInt(bits - prefixLength);
  const value = ipAddressValue(parsed.address);
  const first = value - (value % size);
  const network = formatIpAddress(first, parsed.family);
  return { text: `${network}/${prefixLength}`, family: parsed.family, prefixLength, first, last: first + size - 1n };
}

export function rangeContains(range: IpRange, address: IpAddress): boolean {
  if (range.family !== familyOf(address)) return false;
  const value = ipAddressValue(address);
  return range.first <= value && value <= range.last;
}

/** The address as a number: the order of addresses of one family. */
export function ipAddressValue(address: IpAddress): bigint {
  if (familyOf(address) === 'IPv6') return ipv6Value(address);
  return address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/** The address with this number, in canonical spelling. */
export function formatIpAddress(value: bigint, family: IpFamily): IpAddress {
  if (family === 'IPv4') {
    return canonical([24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.'));
  }
  const groups = Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(112 - 16 * index)) & 0xffffn));
  const { start, length } = longestZeroRun(groups);
  const text = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  if (length < 2) return canonical(text(groups));
  return canonical(`${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`);
}

function canonical(text: string): IpAddress {
  if (!isCanonical(text)) throw new RangeError(`${text} is out of range for an IP address`);
  return text;
}

function isCanonical(text: string): text is IpAddress {
  return isIP(text) !== 0;
}

function bitsOf(family: IpFamily): number {
  return family === 'IPv4' ? 32 : 128;
}

/** Expects valid text. */
function ipv6Value(text: string): bigint {
  const [before = '', after] = text.split('::');
  const left = groupsOf(before);
  const right = after === undefined ? [] : groupsOf(after);
  const middle = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return [...left, ...middle, ...right].reduce((value, group) => (value << 16n) | BigInt(group), 0n);
}

function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function longestZeroRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (let index = 0; index <= groups.length; index += 1) {
    if (groups[index] === 0) continue;
    if (index - start > best.length) best = { start, length: index - start };
    start = index + 1;
  }
  return best;
}
