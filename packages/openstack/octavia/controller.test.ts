import { findCondition } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { PROGRAMMED } from './resource/types.ts';
import { OctaviaWorld } from './testing/octavia-world.ts';

describe('the three handlers', () => {
  it('make a load balancer in one call, and show its address', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    const service = await world.serve();
    expect(world.steps).toEqual(['create-load-balancer']);
    expect(service?.status?.loadBalancer?.ingress).toEqual([
      { ip: expect.stringMatching(/^10\.0\.0\./), ipMode: 'Proxy' },
    ]);
    const resource = await world.resource();
    expect(resource?.status?.members).toHaveLength(2);
    expect(findCondition(resource ?? { metadata: { name: '' } }, PROGRAMMED)).toMatchObject({ status: 'True' });
    expect([...world.lbaas.members.values()].flat().map(({ subnet_id }) => subnet_id)).toEqual([
      'subnet-pods',
      'subnet-pods',
    ]);
  });

  it('follow the endpoints with one call for each pool', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    await world.serve();
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.2@node-2', '10.1.0.3@node-1', '10.1.0.4@node-1']);
    await world.run();
    expect(world.steps).toEqual(['create-load-balancer', 'set-members']);
    expect([...world.lbaas.members.values()].flat().map(({ address }) => address)).toEqual([
      '10.1.0.2',
      '10.1.0.3',
      '10.1.0.4',
    ]);
  });

  it('leave nothing when the Service is deleted', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    await world.serve();
    await world.cluster.deleteService('web');
    await world.run();
    expect(await world.cluster.service('web')).toBeUndefined();
    expect(await world.resource()).toBeUndefined();
    expect(world.lbaas.balancers.size).toBe(0);
    expect(world.openstack.emulator.resources('ports')).toEqual([]);
  });

  it('do not write into the resource that it could not be written', async () => {
    const world = await new OctaviaWorld().setUp();
    const bodies: string[] = [];
    world.cluster.refuse = ({ method, path, body }) => {
      if (method !== 'PATCH' || !path.includes('/kuryrloadbalancers/web/status')) return undefined;
      bodies.push(body);
      return bodies.length === 1 ? 500 : undefined;
    };
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve();
    await world.run(60);
    expect(bodies.length).toBeGreaterThan(1);
    expect(bodies.filter((body) => body.includes('publish-status'))).toEqual([]);
    expect((await world.resource())?.status?.conditions).toMatchObject([{ status: 'True' }]);
  });

  it('tell of a status that the API server never takes, as there is too much to tell', async () => {
    const world = await new OctaviaWorld().setUp();
    let refusals = 0;
    world.cluster.refuse = ({ path, body }) => {
      if (!path.includes('/kuryrloadbalancers/web/status') || !body.includes('"members":[{')) return undefined;
      refusals += 1;
      return 413;
    };
    world.start({ comparisonIntervalSeconds: 0 });
    const service = await world.serve();
    expect(service?.status?.conditions).toMatchObject([{ status: 'False', reason: 'RequestEntityTooLarge' }]);
    await world.run(600);
    expect(refusals).toBeLessThan(5);
  });

  it('tell the Service of endpoints that the API server never takes', async () => {
    const world = await new OctaviaWorld().setUp();
    world.cluster.refuse = ({ path, body }) => {
      return path.endsWith('/kuryrloadbalancers/web') && body.includes('"endpointSlices"') ? 413 : undefined;
    };
    world.start();
    await world.serve();
    const reasons = (await world.cluster.events('web')).map(({ reason }) => reason);
    expect(reasons).toContain('SyncLoadBalancerFailed');
  });

  it('write nothing in a converged world, and nothing after a restart', async () => {
    const world = await new OctaviaWorld().setUp();
    const first = world.start({ comparisonIntervalSeconds: 60 });
    await world.serve();
    const [kube, lbaas] = [world.cluster.writes.length, world.steps.length];
    await world.run(600);
    await first.stop();
    world.start();
    await world.run(600);
    expect(world.cluster.writes.slice(kube)).toEqual([]);
    expect(world.steps.slice(lbaas)).toEqual([]);
  });
});
