import { describe, expect, it } from 'vitest';
import { LocalWorld } from './testing/local-world.ts';

describe('a local Service', () => {
  it('gets a public address, a place on a load balancer, and a pool with the nodes that serve it', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    await world.putSlice('web', 'web-1', ['10.244.0.1@a', '10.244.0.2@b']);
    await world.start();
    expect(world.takeWrites()).toEqual([
      'PUT publicIPAddresses/shop-web 201',
      'PUT networkSecurityGroups/nodes 200',
      'PUT loadBalancers/one 201',
    ]);
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    expect(world.pools('one')).toEqual({ 'shop-web': ['10.0.1.1', '10.0.1.2'] });
    await world.stop();
  });
});
