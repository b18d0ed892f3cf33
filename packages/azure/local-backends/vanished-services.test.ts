import { describe, expect, it } from 'vitest';
import { LocalWorld } from './testing/local-world.ts';

const NEVER_COMPARED = { comparisonIntervalSeconds: 0 };
const STRIPPED = { metadata: { finalizers: null } };
/** Nothing makes it ours any more. */
const ANOTHERS = {
  ...STRIPPED,
  spec: {
    type: 'ClusterIP',
    loadBalancerClass: null,
    externalTrafficPolicy: null,
    allocateLoadBalancerNodePorts: null,
    healthCheckNodePort: null,
  },
} as const;
const refused = { kind: 'refuse', status: 400, code: 'No' } as const;

async function served(): Promise<LocalWorld> {
  const world = await new LocalWorld().setUp();
  await world.createService('web');
  await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
  await world.start(NEVER_COMPARED);
  await world.pass(60);
  return world;
}

/** Whoever may edit it takes our finalizer off and deletes it. */
async function vanish(world: LocalWorld): Promise<void> {
  await world.editService('web', STRIPPED);
  if ((await world.service('web')) !== undefined) await world.deleteService('web');
  await world.pass(60);
}

describe('a Service that vanishes without having been let go', () => {
  it('leaves nothing, although it has never been served whole', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    world.azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, refused, 1_000);
    await world.start(NEVER_COMPARED);
    expect([await world.addresses('web'), world.publicIps.length]).toEqual([[], 1]);
    await world.editService('web', ANOTHERS);
    await world.pass(60);
    expect([world.publicIps, world.securityRules]).toEqual([[], []]);
    await world.stop();
  });

  it('leaves nothing, although it was about to be let go and Azure refused that', async () => {
    const world = await served();
    world.azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, refused, 1_000);
    await world.deleteService('web');
    await world.pass(10);
    expect((await world.reasons('web')).at(-1)).toBe('DeleteLoadBalancerFailed');
    world.azure.faults.clear();
    await vanish(world);
    expect([world.publicIps, world.securityRules]).toEqual([[], []]);
    await world.stop();
  });

  it('leaves nothing, although it asked at last for what cannot be honoured', async () => {
    const world = await served();
    await world.editService('web', { spec: { externalTrafficPolicy: 'Cluster', healthCheckNodePort: null } });
    await world.pass(60);
    expect((await world.reasons('web')).at(-1)).toBe('LoadBalancerRefused');
    expect(world.publicIps).toHaveLength(1);
    await vanish(world);
    expect(world.publicIps).toEqual([]);
    await world.stop();
  });

  it('is looked for again later when Azure keeps what is left of it, also where nothing is compared', async () => {
    const world = await served();
    world.azure.faults.next({ method: 'DELETE', kind: 'publicIPAddresses' }, refused);
    await vanish(world);
    expect(world.publicIps).toHaveLength(1);
    await world.pass(600);
    expect(world.publicIps).toEqual([]);
    await world.stop();
  });

  it('is looked for once, however often what is in its place is changed', async () => {
    const world = await served();
    await world.editService('web', ANOTHERS);
    await world.pass(120);
    expect(world.publicIps).toEqual([]);
    world.paths.length = 0;
    for (let time = 0; time < 5; time += 1) {
      await world.editService('web', { metadata: { labels: { time: `${time}` } } });
      await world.pass(60);
    }
    expect(world.paths).toEqual([]);
    await world.stop();
  });

  it('has its pool left alone from then on', async () => {
    const world = await served();
    await world.editService('web', ANOTHERS);
    await world.pass(0.1);
    world.paths.length = 0;
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(60);
    expect(world.paths.filter((path) => path.includes('/backendAddressPools/'))).toEqual([]);
    await world.stop();
  });
});

describe('a Service that is on its way out', () => {
  it('has its pool left alone, although Azure does not let it go', async () => {
    const world = await served();
    world.azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, refused, 1_000);
    await world.editService('web', { spec: ANOTHERS.spec });
    await world.pass(5);
    world.paths.length = 0;
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(60);
    expect(world.paths.filter((path) => path.includes('/backendAddressPools/'))).toEqual([]);
    await world.stop();
  });
});
