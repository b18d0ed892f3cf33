import { seededRandom, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../behaviour.ts';
import { bodies, emulated, ids, updateLocations, withInbound } from '../testing/samples.ts';
import { ArmWorld } from '../world.ts';
import { inconsistencies } from './consistency.ts';

function emptyWorld(): ArmWorld {
  return new ArmWorld({
    clock: new VirtualClock(),
    random: seededRandom(1),
    groups: [],
    behaviour: DEFAULT_BEHAVIOUR,
  });
}

describe('consistency', () => {
  it('holds in a world that Azure itself would allow', () => {
    const { emulator } = emulated({ defaultOutbound: true });
    withInbound(emulator, 'web');
    updateLocations(emulator, { '10.0.0.1': { '10.1.0.1': ['web'] } });
    expect(() => emulator.assertConsistent()).not.toThrow();
  });

  it('names a reference that leads nowhere', () => {
    const world = emptyWorld();
    world.store.put('loadBalancers', ids.loadBalancer('web'), 'web', bodies.loadBalancer('web'), 'Succeeded');
    const frontend = `${ids.loadBalancer('web')}/frontendIPConfigurations/frontend`;
    const address = ids.publicIp('web').toLowerCase();
    expect(inconsistencies(world)).toEqual([`${frontend} refers to ${address}, which is not there`]);
  });

  it('names an address that two use', () => {
    const world = emptyWorld();
    world.store.put('serviceGateways', ids.gateway, 'sgw', {}, 'Succeeded');
    world.store.put('publicIPAddresses', ids.publicIp('web'), 'web-pip', bodies.publicIp, 'Succeeded');
    world.store.put('loadBalancers', ids.loadBalancer('web'), 'web', bodies.loadBalancer('web'), 'Succeeded');
    world.store.put('natGateways', ids.natGateway('web'), 'web', bodies.natGateway('web'), 'Succeeded');
    expect(inconsistencies(world)).toEqual([expect.stringMatching(/web-pip is used by .* and /)]);
  });

  it('names a service that lost its load balancer, and an address that lost its service', () => {
    const world = emptyWorld();
    world.store.put('serviceGateways', ids.gateway, 'sgw', {}, 'Succeeded');
    const service = { serviceType: 'Inbound', isDefault: false, natGatewayId: undefined, owner: 'client' } as const;
    const tables = world.tables(ids.gateway);
    tables.putService({ ...service, name: 'web', pools: [{ id: ids.pool('web') }] });
    tables.putService({ ...service, name: 'gone', pools: [] });
    const addresses = [{ address: '10.1.0.1', services: ['gone'] }];
    tables.updateAddressLocations({
      action: 'PartialUpdate',
      addressLocations: [{ addressLocation: '10.0.0.1', addresses }],
    });
    tables.forgetService('gone');
    expect(inconsistencies(world)).toEqual([
      '10.1.0.1 at 10.0.0.1 names service gone, which is not there',
      `service web names ${ids.pool('web')}, which is not there`,
    ]);
  });
});
