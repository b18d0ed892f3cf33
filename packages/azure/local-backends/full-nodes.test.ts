import { describe, expect, it } from 'vitest';
import { LocalWorld } from './testing/local-world.ts';

const REASON = 'NodesWithoutRoomForRules';
const ports = (count: number) => ({
  ports: Array.from({ length: count }, (_, index) => ({ name: `p${index}`, port: 1_000 + index })),
});
/** On load balancers of their own, which would have room for both. */
const on = (name: string) => ({ 'service.beta.kubernetes.io/azure-load-balancer-configurations': name });

async function crowdedWorld(): Promise<LocalWorld> {
  const world = await new LocalWorld().setUp();
  await world.createService('large', ports(200), on('one'));
  await world.createService('small', ports(100), on('two'));
  await world.putSlice('large', 'large-1', ['10.244.0.1@a', '10.244.0.3@c']);
  await world.putSlice('small', 'small-1', ['10.244.0.2@a', '10.244.0.4@b']);
  await world.start();
  await world.pass(600);
  return world;
}

describe('a node that more rules would lead to than its network interface takes', () => {
  it('is left out of the pools of the Service with the most, whose owner is told once, and `why` says so', async () => {
    const world = await crowdedWorld();
    expect([world.pools('one'), world.pools('two')]).toEqual([
      { 'shop-large': ['10.0.1.3'] },
      { 'shop-small': ['10.0.1.1', '10.0.1.2'] },
    ]);
    const told = (await world.events('large')).filter(({ reason }) => reason === REASON);
    expect(told.map(({ note }) => note)).toEqual([expect.stringContaining('a: so many rules of other Services')]);
    expect(await world.reasons('small')).not.toContain(REASON);
    const subject = { kind: 'service', namespace: 'shop', name: 'large' };
    const explained = await world.configured().explain(world.readEnvironment, subject);
    expect(explained).toMatchObject({
      state: 'as-wanted',
      wanted: expect.arrayContaining(['not to a, where there is no room for its rules']),
    });
    await world.stop();
  });

  it('costs no write when a new leader starts, nor when everything is compared', async () => {
    const world = await crowdedWorld();
    await world.stop();
    const before = world.writeCount;
    await world.start();
    await world.pass(900);
    expect(world.writeCount).toBe(before);
    await world.stop();
  });

  it('goes into the pool as soon as others make room, and out of it when they need it', async () => {
    const world = await crowdedWorld();
    await world.putSlice('small', 'small-1', ['10.244.0.4@b']);
    await world.pass(120);
    expect([world.pools('one'), world.pools('two')]).toEqual([
      { 'shop-large': ['10.0.1.1', '10.0.1.3'] },
      { 'shop-small': ['10.0.1.2'] },
    ]);
    await world.putSlice('small', 'small-1', ['10.244.0.2@a', '10.244.0.4@b']);
    await world.pass(900);
    expect([world.pools('one'), world.pools('two')]).toEqual([
      { 'shop-large': ['10.0.1.3'] },
      { 'shop-small': ['10.0.1.1', '10.0.1.2'] },
    ]);
    await world.deleteService('small');
    await world.pass(120);
    expect(world.pools('one')).toEqual({ 'shop-large': ['10.0.1.1', '10.0.1.3'] });
    await world.stop();
  });

  it('is no reason for Azure to refuse a Service that comes later, which is served by other nodes', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('large', ports(200), on('one'));
    await world.putSlice('large', 'large-1', ['10.244.0.1@a']);
    await world.start();
    await world.createService('late', ports(120), on('two'));
    await world.putSlice('late', 'late-1', ['10.244.0.2@a', '10.244.0.4@b']);
    await world.pass(10);
    expect(await world.addresses('late')).toHaveLength(1);
    expect(await world.reasons('late')).not.toContain('ServiceQuarantined');
    expect(world.pools('two')['shop-late']).toContain('10.0.1.2');
    await world.pass(900);
    expect(world.pools('two')).toEqual({ 'shop-late': ['10.0.1.1', '10.0.1.2'] });
    expect(world.pools('one')).toEqual({ 'shop-large': [] });
    await world.stop();
  });
});
