import { requireIpAddress } from '@fairlead/control';
import { GoldenFolder } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { gatewayAgentConfiguration } from '../configuration.ts';
import { renderKeepalived } from './render.ts';

const input = z.strictObject({ addresses: z.array(z.string()), vrrp: gatewayAgentConfiguration.shape.vrrp.unwrap() });

describe('what keepalived is given', () => {
  const folder = new GoldenFolder(new URL('testdata/', import.meta.url));

  it.each(folder.names)('%s', async (name) => {
    const { actual, expected } = await folder.pair(name, ([document]) => {
      const { addresses, vrrp } = input.parse(document);
      const render = (own: string) =>
        renderKeepalived(addresses.map(requireIpAddress), { ...vrrp, address: requireIpAddress(own) }, '/run/health');
      return Object.fromEntries(vrrp.gateways.map((gateway) => [gateway, render(gateway)]));
    });
    expect(actual).toBe(expected);
  });

  it('has each gateway be the first choice for as many groups as another', () => {
    const gateways = ['198.51.100.1', '198.51.100.2', '198.51.100.3'].map(requireIpAddress);
    const vrrp = gatewayAgentConfiguration.shape.vrrp
      .unwrap()
      .parse({ interface: 'eth0', address: gateways[0], gateways, instances: 6 });
    const priorities = gateways.map((own) =>
      [...renderKeepalived([], { ...vrrp, address: own }, '/run/health').matchAll(/priority (\d+)/g)].map(
        ([, number]) => Number(number),
      ),
    );
    for (const ofOne of priorities) expect(ofOne.filter((priority) => priority === 200)).toHaveLength(2);
    for (const index of [0, 1, 2, 3, 4, 5]) {
      expect(new Set(priorities.map((ofOne) => ofOne[index])).size).toBe(3);
    }
  });
});
