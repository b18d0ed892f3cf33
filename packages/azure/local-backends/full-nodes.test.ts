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

  it('is told of to the owner of a Service that was made anew', async () => {
    const world = await crowdedWorld();
    await world.deleteService('large');
    await world.pass(120);
    await world.createService('large', ports(200), on('one'));
    await world.pass(600);
    const told = (await world.events('large')).filter(({ reason }) => reason === REASON);
    expect(told).toHaveLength(2);
    await world.stop();
  });

  it('is full of the rules of both families', async () => {
    const world = await new LocalWorld().setUp();
    const dualStack = { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] } as const;
    await world.createService('dual', { ...ports(70), ...dualStack }, on('one'));
    await world.createService('single', ports(120), on('two'));
    await world.putSlice('dual', 'dual-1', ['10.244.0.1@a']);
    await world.putSlice('single', 'single-1', ['10.244.0.2@a']);
    await world.start();
    await world.pass(600);
    expect(world.pools('one')['shop-dual']).toEqual([]);
    expect(world.pools('two')).toEqual({ 'shop-single': ['10.0.1.1'] });
    await world.stop();
  });

  it('is full also of the rules that a Service has which can no longer be served', async () => {
    const world = await crowdedWorld();
    await world.stop();
    const unknown = { 'service.beta.kubernetes.io/azure-pls-create': 'true' };
    await world.editService('large', { metadata: { annotations: unknown } });
    await world.start();
    await world.pass(600);
    expect(await world.reasons('large')).toContain('LoadBalancerRefused');
    expect([world.pools('one'), world.pools('two')]).toEqual([
      { 'shop-large': ['10.0.1.3'] },
      { 'shop-small': ['10.0.1.1', '10.0.1.2'] },
    ]);
    await world.stop();
  });

  it('is said to be full of them by `why`, too', async () => {
    const world = await crowdedWorld();
    const unknown = { 'service.beta.kubernetes.io/azure-pls-create': 'true' };
    await world.editService('small', { metadata: { annotations: unknown } });
    await world.pass(60);
    const subject = { kind: 'service', namespace: 'shop', name: 'large' };
    const explained = await world.configured().explain(world.readEnvironment, subject);
    expect(explained).toMatchObject({
      state: 'as-wanted',
      wanted: expect.arrayContaining(['not to a, where there is no room for its rules']),
    });
    await world.stop();
  });

  it('is not full of the rules of a Service that Azure refuses', async () => {
    const world = await new LocalWorld().setUp();
    const internal = { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' };
    await world.createService('bad', { ...ports(100), loadBalancerIP: '10.9.9.9' }, internal);
    await world.putSlice('bad', 'bad-1', ['10.244.0.1@a']);
    await world.start();
    expect(await world.reasons('bad')).toContain('ServiceQuarantined');
    world.takeWrites();
    await world.createService('web', ports(200), on('one'));
    await world.putSlice('web', 'web-1', ['10.244.0.2@a']);
    await world.pass(5);
    expect(world.pools('one')).toEqual({ 'shop-web': ['10.0.1.1'] });
    // Had it been left out at first, the pool would have been written once more.
    expect(world.takeWrites().filter((line) => line.includes('backendAddressPools'))).toEqual([]);
    await world.stop();
  });

  it('is named with four others at most, and the rest is counted', async () => {
    const world = await new LocalWorld().setUp();
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const [index, name] of names.entries()) await world.putNode(name, `10.0.1.${index + 1}`);
    const everywhere = names.map((name, index) => `10.244.0.${index + 1}@${name}`);
    await world.createService('large', ports(200), on('one'));
    await world.createService('small', ports(100), on('two'));
    for (const name of ['large', 'small']) await world.putSlice(name, `${name}-1`, everywhere);
    await world.start();
    await world.pass(600);
    const told = (await world.events('large')).findLast(({ reason }) => reason === REASON);
    expect(told?.note).toContain('a, b, c, d, e and 2 more: so many rules');
    await world.stop();
  });
});
