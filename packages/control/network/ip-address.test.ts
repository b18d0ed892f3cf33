import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import {
  familyOf,
  formatIpAddress,
  ipAddressValue,
  parseIpAddress,
  parseIpRange,
  rangeContains,
  requireIpAddress,
} from './ip-address.ts';

describe('parseIpAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8::0:1', '2001:db8::1'],
    ['2001:0db8:0000:0001:0000:0000:0000:0001', '2001:db8:0:1::1'],
    ['::', '::'],
    ['::1', '::1'],
    ['fe80::', 'fe80::'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:0201', '192.0.2.1'],
  ])('reads %s as %s', (text, canonical) => {
    expect(parseIpAddress(text)?.address).toBe(canonical);
  });

  it.each(['', 'localhost', '192.0.2', '192.0.2.256', '192.0.02.1', '1::2::3', 'fe80::1%eth0', '192.0.2.1/32', ' ::1'])(
    'refuses %j',
    (text) => {
      expect(parseIpAddress(text)).toBeUndefined();
      expect(() => requireIpAddress(text)).toThrow(`${JSON.stringify(text)} is no IP address`);
    },
  );

  it('gives every spelling of an address the same text', () => {
    const group = fc.oneof(fc.constant(0), fc.nat(0xffff));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.boolean(), (groups, upper) => {
        const long = groups.map((value) => value.toString(16).padStart(4, '0')).join(':');
        const short = groups.map((value) => value.toString(16)).join(':');
        const parsed = parseIpAddress(upper ? long.toUpperCase() : long);
        expect(parsed).toBeDefined();
        expect(parseIpAddress(short)).toEqual(parsed);
        if (parsed === undefined) return;
        expect(parseIpAddress(parsed.address)).toEqual(parsed);
        expect(familyOf(parsed.address)).toBe(parsed.family);
        expect(formatIpAddress(ipAddressValue(parsed.address), parsed.family)).toBe(parsed.address);
      }),
    );
  });
});

describe('beside another implementation', () => {
  const byte = fc.oneof(fc.constant(0), fc.nat(255));
  const bytes = (length: number) => fc.array(byte, { minLength: length, maxLength: length });
  const anyIPv6 = bytes(16)
    .map((list) => new ipaddr.IPv6(list))
    .filter((address) => !address.isIPv4MappedAddress());
  const anyIPv4 = bytes(4).map((list) => new ipaddr.IPv4(list));

  it('spells every IPv6 address the same, however it was written', () => {
    fc.assert(
      fc.property(anyIPv6, (address) => {
        const plain = address.toNormalizedString();
        const dotted = address.toByteArray().slice(12).join('.');
        for (const spelling of [plain, plain.toUpperCase(), address.toString(), plain.replace(/\w+:\w+$/, dotted)]) {
          expect(parseIpAddress(spelling)).toEqual({ address: address.toRFC5952String(), family: 'IPv6' });
        }
      }),
    );
  });

  it('spells every IPv4 address the same, mapped or not', () => {
    fc.assert(
      fc.property(anyIPv4, (address) => {
        const mapped = address.toIPv4MappedAddress();
        for (const spelling of [address.toString(), mapped.toString(), `::ffff:${address.toString()}`]) {
          expect(parseIpAddress(spelling)).toEqual({ address: address.toString(), family: 'IPv4' });
        }
      }),
    );
  });

  it.each([
    ['IPv4', anyIPv4, 32],
    ['IPv6', anyIPv6, 128],
  ])('finds the same %s addresses in a range', (_family, anyAddress, bits) => {
    fc.assert(
      fc.property(anyAddress, anyAddress, fc.nat(bits), (network, address, prefixLength) => {
        const range = parseIpRange(`${network.toString()}/${prefixLength}`);
        if (range === undefined) throw new Error('not parsed');
        const expected = address.kind() === network.kind() && address.match(network, prefixLength);
        expect(rangeContains(range, requireIpAddress(address.toString()))).toBe(expected);
        expect(rangeContains(range, requireIpAddress(network.toString()))).toBe(true);
      }),
    );
  });
});

describe('parseIpRange', () => {
  it('clears the bits beyond the prefix', () => {
    expect(parseIpRange('192.0.2.77/24')).toMatchObject({ text: '192.0.2.0/24', family: 'IPv4', prefixLength: 24 });
    expect(parseIpRange('2001:DB8::1/32')?.text).toBe('2001:db8::/32');
    expect(parseIpRange('0.0.0.0/0')?.prefixLength).toBe(0);
  });

  it.each(['192.0.2.0', '192.0.2.0/33', '192.0.2.0/', '192.0.2.0/-1', '2001:db8::/129', '::ffff:192.0.2.0/120', 'x/8'])(
    'refuses %j',
    (text) => expect(parseIpRange(text)).toBeUndefined(),
  );

  it('contains its first and last address and not their neighbours', () => {
    const range = parseIpRange('192.0.2.8/29');
    if (range === undefined) throw new Error('not parsed');
    const contains = (text: string) => rangeContains(range, requireIpAddress(text));
    expect(['192.0.2.7', '192.0.2.8', '192.0.2.15', '192.0.2.16', '2001:db8::1'].map(contains)).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
  });
});
