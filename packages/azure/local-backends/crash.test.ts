import { describe, expect, it } from 'vitest';
import { LocalWorld } from './testing/local-world.ts';

/** What happens in the life of a Service; each part of it may be interrupted anywhere. */
const LIVES: Readonly<Record<string, (world: LocalWorld) => Promise<void>>> = {
  'is created': async (world) => {
    await world.createService('web', { loadBalancerSourceRanges: ['192.0.2.0/24'] });
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
  },
  'changes its endpoints': async (world) => {
    await world.createService('web');
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
    await world.start();
    await world.stop();
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
  },
  'moves to another load balancer': async (world) => {
    await world.createService('web');
    await world.start();
    await world.stop();
    const annotation = 'service.beta.kubernetes.io/azure-load-balancer-configurations';
    await world.editService('web', { metadata: { annotations: { [annotation]: 'two' } } });
  },
  'becomes internal': async (world) => {
    await world.createService('web');
    await world.start();
    await world.stop();
    const annotation = 'service.beta.kubernetes.io/azure-load-balancer-internal';
    await world.editService('web', { metadata: { annotations: { [annotation]: 'true' } } });
  },
  'loses its load balancer': async (world) => {
    await world.createService('web');
    await world.start();
    await world.stop();
  },
  'is deleted': async (world) => {
    await world.createService('web', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] });
    await world.start();
    await world.stop();
    await world.deleteService('web');
  },
};

/** Configurations that the Service meets afterwards, where they are not the one it began with. */
const SECTIONS: Readonly<Record<string, object>> = {
  'loses its load balancer': { loadBalancers: [{ name: 'two' }] },
};

/** Everything that is there in the end, marks and etags aside. */
async function ending(world: LocalWorld) {
  return {
    addresses: await world.addresses('web'),
    annotations: (await world.service('web'))?.metadata.annotations,
    finalizers: (await world.service('web'))?.metadata.finalizers,
    one: [world.parts('one'), world.pools('one')],
    two: [world.parts('two'), world.pools('two')],
    inside: [world.parts('inside'), world.pools('inside')],
    publicIps: world.publicIps.length,
    securityRules: world.securityRules.map(({ properties }) => [properties.access, properties.priority]),
  };
}

describe.each(Object.entries(LIVES))('a Service that %s', (life, prepare) => {
  const section = SECTIONS[life] ?? {};

  it('ends up the same whichever of its writes the leader dies after, with nothing leaked', async () => {
    const whole = await new LocalWorld().setUp();
    await prepare(whole);
    const before = whole.writeCount;
    await whole.start(section);
    await whole.stop();
    const writes = whole.writeCount - before;
    expect(writes).toBeGreaterThan(0);
    for (let died = 1; died <= writes; died += 1) {
      for (const side of ['before', 'after'] as const) {
        const world = await new LocalWorld().setUp();
        await prepare(world);
        await world.startAndDie(died, side, section);
        await world.start(section, 60);
        expect([died, side, await ending(world)]).toEqual([died, side, await ending(whole)]);
        world.azure.assertConsistent();
        await world.stop();
      }
    }
  });
});
