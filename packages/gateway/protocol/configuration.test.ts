import { describe, expect, it } from 'vitest';
import { configurationRequest, isAfter } from './configuration.ts';

const web = {
  address: '192.0.2.10',
  protocol: 'TCP',
  port: 80,
  service: 'default/web',
  backends: [{ address: '10.0.0.1', port: 8_080 }],
  preservesClientAddress: false,
};
const whole = (virtualServer: object) => ({
  kind: 'whole',
  generation: { epoch: 1, number: 1 },
  virtualServers: [virtualServer],
});

describe('a configuration for the agents', () => {
  it('is read when it is well-formed', () => {
    expect(configurationRequest.safeParse(whole(web)).success).toBe(true);
  });

  it.each([
    ['an address that ends a statement of nft', { address: '192.0.2.10; flush ruleset' }],
    ['an address in another than its shortest form', { address: '192.0.2.010' }],
    ['an address with a zone', { address: 'fe80::1%eth0' }],
    ['a port that is none', { port: 65_536 }],
    ['a protocol that is none', { protocol: 'tcp' }],
    ['a source range with a line break', { sourceRanges: ['192.0.2.0/24\n'] }],
    ['a backend without a port', { backends: [{ address: '10.0.0.1' }] }],
    ['a key that is not known', { comment: '"' }],
  ])('is refused with %s', (_, changed) => {
    expect(configurationRequest.safeParse(whole({ ...web, ...changed })).success).toBe(false);
  });

  it('comes after another by its epoch first, then by its number', () => {
    expect(isAfter({ epoch: 2, number: 0 }, { epoch: 1, number: 9 })).toBe(true);
    expect(isAfter({ epoch: 1, number: 9 }, { epoch: 2, number: 0 })).toBe(false);
    expect(isAfter({ epoch: 1, number: 2 }, { epoch: 1, number: 1 })).toBe(true);
    expect(isAfter({ epoch: 1, number: 1 }, { epoch: 1, number: 1 })).toBe(false);
  });
});
