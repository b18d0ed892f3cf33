import { describe, expect, it } from 'vitest';
import { endpointProgrammingSeconds, operationsTotal } from './metrics.ts';
import { LocalWorld } from './testing/local-world.ts';

const LEADING = { leadingEdge: true };
const SEED_TIMING = { leadingEdge: false };

async function served(section: object): Promise<LocalWorld> {
  const world = await new LocalWorld().setUp();
  await world.createService('web');
  await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
  await world.start(section);
  world.takeWrites();
  return world;
}
const pool = (world: LocalWorld) => world.pools('one')['shop-web'];

describe('the pool of a Service', () => {
  it('follows pods that come and go, at once while it is quiet', async () => {
    const world = await served(LEADING);
    await world.putSlice('web', 'web-1', ['10.244.0.1@a', '10.244.0.2@b']);
    await world.pass(1);
    expect(pool(world)).toEqual(['10.0.1.1', '10.0.1.2']);
    await world.pass(60);
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(1);
    expect(pool(world)).toEqual(['10.0.1.2']);
    expect(world.azure.log.writes.map(({ kind }) => kind)).toEqual(['backendAddressPools', 'backendAddressPools']);
    expect(await world.reasons('web')).toContain('LoadBalancerBackendPoolUpdated');
    expect(world.metrics.lines(operationsTotal)).toEqual(['services_local update_backend_pool succeeded 2']);
    const [bothTogether] = world.metrics.lines(endpointProgrammingSeconds);
    expect(Number(bothTogether)).toBeLessThan(2);
    await world.stop();
  });

  it('follows on the tick, every 30 s, when the leading edge is off', async () => {
    const world = await served(SEED_TIMING);
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(9);
    expect(pool(world)).toEqual(['10.0.1.1']);
    await world.pass(1);
    expect(pool(world)).toEqual(['10.0.1.2']);
    await world.stop();
  });

  it('follows slices that are added, split, merged and deleted, and writes only when nodes change', async () => {
    const world = await served(LEADING);
    await world.putSlice('web', 'web-2', ['10.244.0.2@b']);
    await world.pass(60);
    expect(pool(world)).toEqual(['10.0.1.1', '10.0.1.2']);
    world.takeWrites();
    // The second slice takes over what was in the first, which goes.
    await world.putSlice('web', 'web-2', ['10.244.0.1@a', '10.244.0.2@b']);
    await world.deleteSlice('web-1');
    await world.pass(60);
    expect([world.takeWrites(), pool(world)]).toEqual([[], ['10.0.1.1', '10.0.1.2']]);
    await world.deleteSlice('web-2');
    await world.pass(60);
    expect(pool(world)).toEqual([]);
    await world.stop();
  });

  it('follows readiness', async () => {
    const world = await served(LEADING);
    await world.putSlice('web', 'web-1', ['10.244.0.1@a', '!10.244.0.2@b']);
    await world.pass(60);
    expect(pool(world)).toEqual(['10.0.1.1']);
    await world.putSlice('web', 'web-1', ['!10.244.0.1@a', '10.244.0.2@b']);
    await world.pass(60);
    expect(pool(world)).toEqual(['10.0.1.2']);
    await world.stop();
  });

  it('follows the addresses of nodes', async () => {
    const world = await served(LEADING);
    await world.putNode('a', '10.0.1.77');
    await world.pass(60);
    expect(pool(world)).toEqual(['10.0.1.77']);
    await world.stop();
  });

  it('is right after a leader that was away, although it saw no change happen', async () => {
    const world = await served(LEADING);
    await world.stop();
    await world.putSlice('web', 'web-1', ['10.244.0.3@c']);
    await world.start(LEADING);
    expect(pool(world)).toEqual(['10.0.1.3']);
    await world.stop();
  });

  it('follows under a new leader also while a second address is awaited', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
    await world.start({ comparisonIntervalSeconds: 0 });
    await world.stop();
    world.azure.behave({ addressDelay: { minimum: 3_600_000, maximum: 3_600_000 } });
    await world.editService('web', { spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] } });
    await world.start({ comparisonIntervalSeconds: 0 }, 60);
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(600);
    expect(world.pools('one')).toEqual({ 'shop-web': ['10.0.1.2'] });
    await world.stop();
  });

  it('is left alone from the moment its Service is being deleted, also while it is parked', async () => {
    const world = await served(LEADING);
    world.azure.faults.next(
      { method: 'PUT', kind: 'backendAddressPools' },
      { kind: 'refuse', status: 429, code: 'TooManyRequests', headers: { 'retry-after': '300' } },
    );
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(5);
    expect((await world.reasons('web')).at(-1)).toBe('LoadBalancerBackendPoolUpdateRetrying');
    world.takeWrites();
    await world.deleteService('web');
    await world.pass(600);
    expect(world.takeWrites().filter((line) => line.includes('backendAddressPools'))).toEqual([]);
    expect(await world.service('web')).toBeUndefined();
    expect([world.publicIps, world.loadBalancer('one'), world.securityRules]).toEqual([[], undefined, []]);
    const updates = (await world.reasons('web')).filter((reason) => reason.startsWith('LoadBalancerBackendPool'));
    expect(updates).toEqual(['LoadBalancerBackendPoolUpdateRetrying']);
    expect(world.metrics.lines(operationsTotal)).toEqual([]);
    await world.stop();
  });

  it('is put right by the next comparison after its retries were used up', async () => {
    const world = await served({ ...SEED_TIMING, comparisonIntervalSeconds: 200 });
    const conflict = { kind: 'refuse', status: 409, code: 'Conflict' } as const;
    world.azure.faults.next({ method: 'PUT', kind: 'backendAddressPools' }, conflict, 4);
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(130);
    expect((await world.reasons('web')).filter((reason) => reason.endsWith('UpdateFailed'))).toHaveLength(1);
    expect(pool(world)).toEqual(['10.0.1.1']);
    await world.pass(150);
    expect(pool(world)).toEqual(['10.0.1.2']);
    expect(world.metrics.lines(operationsTotal)).toEqual([
      'services_local update_backend_pool failed 1',
      'services_local update_backend_pool succeeded 1',
    ]);
    await world.stop();
  });

  it('stays as it is after its retries were used up when nothing is compared, until something changes', async () => {
    const world = await served({ ...SEED_TIMING, comparisonIntervalSeconds: 0 });
    const conflict = { kind: 'refuse', status: 409, code: 'Conflict' } as const;
    world.azure.faults.next({ method: 'PUT', kind: 'backendAddressPools' }, conflict, 4);
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(3_600);
    expect(pool(world)).toEqual(['10.0.1.1']);
    await world.putSlice('web', 'web-1', ['10.244.0.2@b', '10.244.0.3@c']);
    await world.pass(30);
    expect(pool(world)).toEqual(['10.0.1.2', '10.0.1.3']);
    await world.stop();
  });

  it('is left alone once the Service left, also when its load balancer was just being written', async () => {
    const world = await new LocalWorld().setUp();
    world.azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, { kind: 'delay', milliseconds: 5_000 });
    await world.createService('web');
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
    await world.start(LEADING, 3);
    // Another of the same name takes its place, with other endpoints, and has to wait for its own load balancer.
    world.azure.faults.next({ method: 'GET', kind: 'networkSecurityGroups' }, { kind: 'refuse', status: 400 });
    await world.deleteService('web');
    await world.editService('web', { metadata: { finalizers: null } });
    await world.createService('web');
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(600);
    expect(await world.addresses('web')).toHaveLength(1);
    expect(world.azure.log.calls.filter(({ kind }) => kind === 'backendAddressPools')).toEqual([]);
    await world.stop();
  });
});
