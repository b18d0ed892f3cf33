import { describe, expect, it } from 'vitest';
import { LocalWorld } from './testing/local-world.ts';

/** Services of all shapes on public and internal load balancers, served, on an Azure with the times it really takes. */
async function newConvergedWorld(): Promise<LocalWorld> {
  const world = await new LocalWorld({ behaviour: { operationTime: { minimum: 1_000, maximum: 4_000 } } }).setUp();
  await world.createService('web', { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] });
  await world.createService('closed', { loadBalancerSourceRanges: ['192.0.2.0/24'], sessionAffinity: 'ClientIP' });
  await world.createService('dns', { ports: [{ port: 53, protocol: 'UDP' }] });
  for (const name of ['web', 'closed', 'dns'])
    await world.putSlice(name, `${name}-1`, ['10.244.0.1@a', '10.244.0.2@b']);
  await world.start({}, 120);
  expect(world.readiness).toEqual({ ready: true });
  world.takeWrites();
  world.writes.length = 0;
  return world;
}

describe.each(['as-written', 'its-own'] as const)('a converged world that Azure spells %s', (spelling) => {
  it('stays at 0 writes while it is compared, and when a new leader takes over', async () => {
    const world = await newConvergedWorld();
    world.azure.behave({ spelling });
    await world.pass(1_500);
    await world.stop();
    await world.start({ comparisonIntervalSeconds: 60 }, 600);
    expect(world.azure.log.count('GET', 'loadBalancers')).toBeGreaterThan(9);
    expect([world.takeWrites(), world.writes]).toEqual([[], []]);
    await world.stop();
  });
});
