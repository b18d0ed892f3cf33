import { describe, expect, it } from 'vitest';
import { expandAddresses, staticAddresses } from './static-addresses.ts';

describe('expandAddresses', () => {
  it('takes single addresses, ranges and CIDRs, each address once and in order', () => {
    const entries = ['192.0.2.9', '192.0.2.8/31', '192.0.2.10 - 192.0.2.11', '2001:DB8::1', '2001:db8:0::1'];
    expect(expandAddresses(entries)).toEqual(['192.0.2.9', '192.0.2.8', '192.0.2.10', '192.0.2.11', '2001:db8::1']);
  });

  it.each([
    ['web.example', 'is neither an address'],
    ['192.0.2.9-2001:db8::1', 'is neither an address'],
    ['192.0.2.9-192.0.2.1', 'ends before it begins'],
    ['2001:db8::/64', 'has more than 65536 addresses'],
    ['192.0.2.77/24', 'has bits set behind its prefix: write 192.0.2.0/24 for the network, or 192.0.2.77 for'],
    ['10.0.0.0/8', 'has more than 65536 addresses'],
  ])('refuses %s', (entry, problem) => {
    expect(() => expandAddresses([entry])).toThrow(`"${entry}" ${problem}`);
  });

  it('refuses a pool that becomes too large in sum', () => {
    expect(() => expandAddresses(['10.0.0.0/16', '192.0.2.1'])).toThrow('makes the pool larger than 65536');
  });
});

describe('staticAddresses', () => {
  it('names each L2 port by its address', async () => {
    const pools = [{ name: 'public', addresses: ['2001:DB8::1'] }];
    expect(await staticAddresses(pools).list(new AbortController().signal)).toEqual([
      { id: '2001:db8::1', pool: 'public', address: '2001:db8::1', ingress: '2001:db8::1', family: 'IPv6' },
    ]);
  });
});
