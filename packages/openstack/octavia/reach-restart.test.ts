import { FairleadError, sleep } from '@fairlead/control';
import { type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it, vi } from 'vitest';
import { kuryrLoadBalancers } from './resource/types.ts';
import type { OctaviaWorld } from './testing/octavia-world.ts';
import { worldWithGroup } from './testing/world-with-group.ts';

const key = { namespace: NAMESPACE, name: 'web' };

describe('after a restart, the rules in security groups', () => {
  it.each([
    ['whose status was emptied', (world: OctaviaWorld) => emptyStatus(world)],
    [
      'that has other members than it asks for',
      (world: OctaviaWorld) => world.cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1'], { port: 9090 }),
    ],
  ])('stay for a refused Service %s, though others are looked at before it', async (_, change) => {
    const { world, rules } = await worldWithGroup();
    world.start();
    await world.serve('web');
    await world.serve('another');
    await world.cluster.putSlice('another', 'another-1', ['10.1.0.3@node-1'], { port: 7070 });
    // A load balancer keeps the flavor that it has.
    const annotations = { 'loadbalancer.openstack.org/flavor-id': 'another' };
    await world.cluster.client.patchMerge<Service>(services, key, { metadata: { annotations } });
    await world.run();
    await change(world);
    await world.run();
    await world.leader?.stop();
    const before = rules();
    expect(new Set(before.map(({ port_range_min }) => port_range_min))).toEqual(new Set([7070, 8080]));
    const deleting = vi.spyOn(world.openstack.neutron, 'deleteSecurityGroupRule');
    await whenLookedAt(world, () => sleep(world.cluster.clock, 5_000));
    world.start();
    await world.run(60);
    expect([rules(), deleting.mock.calls]).toEqual([before, []]);
  });

  it('that nobody needs go, though one Service cannot be looked at, and those stay that its status tells of', async () => {
    const { world, rules, sources } = await worldWithGroup();
    const { emulator, project } = world.openstack;
    const network_id = emulator.create('networks', { name: 'edge' }, project);
    const subnet = emulator.create('subnets', { network_id, ip_version: 4, cidr: '10.7.0.0/24' }, project);
    const ports = () => new Set(rules().map(({ port_range_min }) => port_range_min));
    world.start({ comparisonIntervalSeconds: 60 });
    await world.serve('web', {}, { 'loadbalancer.openstack.org/subnet-id': subnet });
    await world.serve('another');
    await world.cluster.putSlice('another', 'another-1', ['10.1.0.3@node-1'], { port: 7070 });
    await world.run();
    await world.leader?.stop();
    await world.cluster.putSlice('another', 'another-1', ['10.1.0.3@node-1'], { port: 6060 });
    const away = new FairleadError('away', { verdict: 'retriable', code: 'http-502' });
    await whenLookedAt(world, () => Promise.reject(away));
    world.start({ comparisonIntervalSeconds: 60 });
    await world.run(240);
    expect(ports()).toEqual(new Set([8080, 7070, 6060]));
    await world.run(240);
    expect(ports()).toEqual(new Set([8080, 6060]));
    expect(sources()).toContain('10.7.0.0/24');
  });
});

async function emptyStatus({ cluster }: OctaviaWorld): Promise<void> {
  await cluster.client.patchMerge(statusOf(kuryrLoadBalancers), key, { status: null });
}

/** What happens first whenever the Service web is looked at in Octavia. */
async function whenLookedAt(world: OctaviaWorld, first: () => Promise<void>): Promise<void> {
  const uid = (await world.cluster.service('web'))?.metadata.uid ?? '';
  const listTagged = world.lbaas.listTagged.bind(world.lbaas);
  vi.spyOn(world.lbaas, 'listTagged').mockImplementation(async (tags) => {
    if (tags.some((tag) => tag.endsWith(uid))) await first();
    return listTagged(tags);
  });
}
