import { type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { kuryrLoadBalancers } from './resource/types.ts';
import { OctaviaWorld } from './testing/octavia-world.ts';

const PREFIX = 'loadbalancer.openstack.org';
const key = { namespace: NAMESPACE, name: 'web' };

describe('a load balancer in ERROR, which takes no change any more', () => {
  it('holds a Service that shared it and leaves, until nothing of the Service is there', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    const id = await sharedByHand(world);
    world.lbaas.setStatus(id, 'ERROR');
    await world.cluster.deleteService('web');
    await world.run(120);
    expect([world.lbaas.listeners.size, await world.cluster.service('web')]).toEqual([1, expect.anything()]);
    world.lbaas.setStatus(id, 'ACTIVE');
    await world.run(60);
    expect([world.lbaas.listeners.size, await world.cluster.service('web')]).toEqual([0, undefined]);
  });

  it('keeps no Service waiting that shared it and asks for its own, and loses what is left there later', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 60 });
    const id = await sharedByHand(world);
    world.lbaas.setStatus(id, 'ERROR');
    const annotations = { [`${PREFIX}/load-balancer-id`]: null };
    await world.cluster.client.patchMerge<Service>(services, key, { metadata: { annotations } });
    await world.run(400);
    expect(await world.cluster.service('web')).toMatchObject({ status: { conditions: [{ reason: 'Programmed' }] } });
    expect([world.lbaas.balancers.size, world.lbaas.listeners.size]).toEqual([2, 2]);
    world.lbaas.setStatus(id, 'ACTIVE');
    await world.run(120);
    expect(world.lbaas.listeners.size).toBe(1);
  });

  it('is not made anew for a Service that asks for it by its id, but for one that asks for its own', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 60 });
    const address = (await world.serve())?.status?.loadBalancer;
    const [id = ''] = world.lbaas.balancers.keys();
    const ask = (value: string | null) =>
      world.cluster.client.patchMerge<Service>(services, key, {
        metadata: { annotations: { [`${PREFIX}/load-balancer-id`]: value } },
      });
    await ask(id);
    world.lbaas.setStatus(id, 'ERROR');
    await world.run(400);
    const message = `Refused: the load balancer ${id}, which it asks for by its id, is in ERROR.`;
    const [told] = (await world.cluster.service('web'))?.status?.conditions ?? [];
    expect([told?.reason, told?.message]).toEqual(['LoadBalancerInError', message]);
    expect(world.steps).toEqual(['create-load-balancer']);
    await ask(null);
    await world.run(120);
    expect(world.steps).toEqual(['create-load-balancer', 'delete-load-balancer', 'create-load-balancer']);
    expect((await world.cluster.service('web'))?.status?.loadBalancer).toEqual(address);
  });

  it('is told to all who share it, whoever finds it so', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    const id = await sharedByHand(world);
    const ports = [{ port: 81, targetPort: 8080 }];
    await world.serve('api', { ports }, { [`${PREFIX}/load-balancer-id`]: id });
    world.lbaas.setStatus(id, 'ERROR');
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    await world.run(30);
    for (const name of ['web', 'api']) {
      const service = await world.cluster.service(name);
      expect([name, service?.status?.conditions]).toMatchObject([name, [{ reason: 'LoadBalancerInError' }]]);
    }
  });

  it('is made anew for its owner when one who shares it finds it so, who is told that it is gone', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('web');
    const [id = ''] = world.lbaas.balancers.keys();
    const ports = [{ port: 81, targetPort: 8080 }];
    await world.serve('api', { ports }, { [`${PREFIX}/load-balancer-id`]: id });
    world.lbaas.setStatus(id, 'ERROR');
    await world.cluster.putSlice('api', 'api-1', ['10.1.0.1@node-1']);
    await world.run(30);
    expect(world.steps.slice(-2)).toEqual(['delete-load-balancer', 'create-load-balancer']);
    expect(await world.cluster.service('web')).toMatchObject({ status: { conditions: [{ reason: 'Programmed' }] } });
    const [told] = (await world.cluster.service('api'))?.status?.conditions ?? [];
    expect([told?.status, told?.message]).toEqual(['False', expect.stringContaining('does not exist')]);
  });
});

describe('a Service that leaves a load balancer which takes no change', () => {
  it.each([
    ['is in ERROR', 'ERROR', 60, 'LoadBalancerInError', 'in ERROR'],
    ['stays PENDING', 'PENDING_UPDATE', 600, 'LoadBalancerStuck', 'for more than five minutes'],
  ])(
    'as it %s is told once why it is held, by an Event, by its resource and by its condition',
    async (_, status, wait, reason, why) => {
      const world = await new OctaviaWorld().setUp();
      world.start({ comparisonIntervalSeconds: 0 });
      const id = await sharedByHand(world);
      world.lbaas.setStatus(id, status);
      await world.cluster.deleteService('web');
      await world.run(wait);
      const told = async () =>
        (await world.cluster.eventLines('web')).filter((line) => line.includes('DeleteLoadBalancerFailed'));
      expect(await told()).toEqual([expect.stringContaining(`the load balancer ${id}`)]);
      expect(await told()).toEqual([expect.stringContaining(why)]);
      const message = expect.stringMatching(`^It is held: .*${why}`);
      expect((await world.resource())?.status?.conditions).toMatchObject([{ status: 'False', reason, message }]);
      const held = await world.cluster.service('web');
      expect(held?.status?.conditions).toMatchObject([{ status: 'False', reason, message }]);
      await world.run(1_800);
      expect(await told()).toHaveLength(1);
      expect(await repeated(world)).toEqual([]);
      expect((await world.cluster.service('web'))?.metadata.resourceVersion).toBe(held?.metadata.resourceVersion);
      world.lbaas.setStatus(id, 'ACTIVE');
      await world.run(120);
      expect(await world.cluster.service('web')).toBeUndefined();
    },
  );

  it('is told by its condition, though it has no resource any more', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    const id = await sharedByHand(world);
    world.lbaas.setStatus(id, 'ERROR');
    await world.cluster.deleteService('web');
    await world.leader?.stop();
    await world.cluster.client.patchMerge(kuryrLoadBalancers, key, { metadata: { finalizers: null } });
    await world.cluster.client.patchMerge(statusOf(services), key, { status: { conditions: null } });
    world.start({ comparisonIntervalSeconds: 0 });
    await world.run(60);
    const held = await world.cluster.service('web');
    expect([await world.resource(), held?.status?.conditions]).toMatchObject([
      undefined,
      [{ status: 'False', reason: 'LoadBalancerInError' }],
    ]);
    const told = async () =>
      (await world.cluster.eventLines('web')).filter((line) => line.includes('DeleteLoadBalancerFailed'));
    const before = await told();
    expect(before.at(-1)).toContain(`the load balancer ${id}`);
    await world.run(1_800);
    expect([await told(), await repeated(world)]).toEqual([before, []]);
    expect((await world.cluster.service('web'))?.metadata.resourceVersion).toBe(held?.metadata.resourceVersion);
  });

  it('does not say that it is served while its resource alone leaves', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    const id = await sharedByHand(world);
    world.lbaas.setStatus(id, 'PENDING_UPDATE');
    await world.cluster.client.delete(kuryrLoadBalancers, key);
    await world.run(60);
    expect((await world.resource())?.status?.conditions).toMatchObject([{ reason: 'Programmed' }]);
    const service = await world.cluster.service('web');
    expect(service?.status?.conditions).toMatchObject([{ status: 'False', reason: 'LoadBalancerPending' }]);
  });

  it('is told by its condition, though it is the resource alone that leaves', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    const id = await sharedByHand(world);
    world.lbaas.setStatus(id, 'ERROR');
    await world.cluster.client.delete(kuryrLoadBalancers, key);
    await world.run(60);
    const told = async () => (await world.cluster.service('web'))?.status?.conditions;
    expect(await told()).toMatchObject([
      { reason: 'LoadBalancerInError', message: expect.stringMatching('^It is held') },
    ]);
    world.lbaas.setStatus(id, 'ACTIVE');
    await world.run(120);
    expect(await told()).toMatchObject([{ status: 'True', reason: 'Programmed' }]);
  });

  it('keeps what was said of it before it is known to be held', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    const id = await sharedByHand(world);
    const annotations = { [`${PREFIX}/unheard-of`]: 'yes' };
    await world.cluster.client.patchMerge<Service>(services, key, { metadata: { annotations } });
    await world.run();
    const before = (await world.cluster.service('web'))?.status;
    expect(before?.conditions).toMatchObject([{ message: expect.stringMatching('^Refused') }]);
    world.lbaas.setStatus(id, 'PENDING_UPDATE');
    await world.cluster.deleteService('web');
    await world.run(240);
    expect((await world.cluster.service('web'))?.status).toEqual(before);
  });

  it('is not told while Octavia is at a change for as long as changes take', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    const id = await sharedByHand(world);
    world.lbaas.setStatus(id, 'PENDING_UPDATE');
    await world.cluster.deleteService('web');
    await world.run(240);
    world.lbaas.setStatus(id, 'ACTIVE');
    await world.run(120);
    expect(await world.cluster.service('web')).toBeUndefined();
    expect((await world.cluster.eventLines('web')).filter((line) => line.includes('Failed'))).toEqual([]);
  });
});

/** The Service web on a load balancer that a user made; its id. */
async function sharedByHand(world: OctaviaWorld): Promise<string> {
  await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'by-hand', vip_port_id: 'theirs' } });
  const [id = ''] = world.lbaas.balancers.keys();
  await world.serve('web', {}, { [`${PREFIX}/load-balancer-id`]: id });
  return id;
}

/** The Events that were told more than once. */
async function repeated(world: OctaviaWorld): Promise<readonly string[]> {
  const all = await world.cluster.events('web');
  return all.filter(({ series }) => series !== undefined).map(({ reason }) => reason);
}
