import { FairleadError, sleep } from '@fairlead/control';
import { type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it, vi } from 'vitest';
import { clusterText } from './balancer/marks.ts';
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

  it('stay for a Service of which Neutron tells late', async () => {
    const { world, rules } = await worldWithGroup();
    const { emulator, project, neutron } = world.openstack;
    const network_id = emulator.create('networks', { name: 'edge' }, project);
    const subnet = emulator.create('subnets', { network_id, ip_version: 4, cidr: '10.7.0.0/24' }, project);
    world.start();
    await world.serve('web', {}, { 'loadbalancer.openstack.org/subnet-id': subnet });
    await world.serve('another');
    await world.leader?.stop();
    const before = rules();
    const find = neutron.findSubnet.bind(neutron);
    vi.spyOn(neutron, 'findSubnet').mockImplementation(async (...asked) => {
      await sleep(world.cluster.clock, 30_000);
      return find(...asked);
    });
    const deleting = vi.spyOn(neutron, 'deleteSecurityGroupRule');
    world.start();
    await world.run(300);
    expect([rules(), deleting.mock.calls]).toEqual([before, []]);
  });

  it('stay for a Service whose resource is gone, though others are looked at before it', async () => {
    const { world, rules } = await worldWithGroup();
    world.start();
    await world.serve('web');
    await world.serve('another');
    await world.cluster.putSlice('another', 'another-1', ['10.1.0.3@node-1'], { port: 7070 });
    await world.run();
    await world.leader?.stop();
    const before = rules();
    await world.cluster.client.patchMerge(kuryrLoadBalancers, key, { metadata: { finalizers: null } });
    await world.cluster.client.delete(kuryrLoadBalancers, key);
    const deleting = vi.spyOn(world.openstack.neutron, 'deleteSecurityGroupRule');
    await whenLookedAt(world, () => sleep(world.cluster.clock, 5_000));
    world.start();
    await world.run(60);
    expect([rules(), deleting.mock.calls]).toEqual([before, []]);
  });

  it('stay for what a Service has on a load balancer that holds it, and keep no others meanwhile', async () => {
    const { world, rules } = await worldWithGroup();
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'by-hand', vip_port_id: 'theirs' } });
    const [id = ''] = world.lbaas.balancers.keys();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('web', {}, { 'loadbalancer.openstack.org/load-balancer-id': id });
    world.lbaas.setStatus(id, 'ERROR');
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1'], { port: 9090 });
    await world.run(60);
    await world.cluster.deleteService('web');
    await world.run(60);
    await world.leader?.stop();
    leaveRules(world, 7070);
    const ports = () => new Set(rules().map(({ port_range_min }) => port_range_min));
    expect(ports()).toEqual(new Set([8080, 7070]));
    world.start({ comparisonIntervalSeconds: 0 });
    await world.run(60);
    expect([(await world.cluster.service('web'))?.metadata.name, ports()]).toEqual(['web', new Set([8080])]);
    await world.run(600);
    expect(ports()).toEqual(new Set([8080]));
    world.lbaas.setStatus(id, 'ACTIVE');
    await world.run(120);
    expect([await world.cluster.service('web'), rules()]).toEqual([undefined, []]);
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

  it('that nobody needs go, however many, when the Service that was waited for is the last to leave', async () => {
    const { world, rules } = await worldWithGroup();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('web');
    const others = Array.from({ length: 16 }, (_, index) => `other-${index}`);
    for (const [index, name] of others.entries()) {
      await world.cluster.createService(name);
      await world.cluster.putSlice(name, `${name}-1`, ['10.1.0.3@node-1'], { port: 7000 + index });
    }
    await world.run(60);
    expect(rules().length).toBe(51);
    await world.leader?.stop();
    await whenLookedAt(world, () => sleep(world.cluster.clock, 30_000));
    world.start({ comparisonIntervalSeconds: 0 });
    await world.run();
    for (const name of [...others, 'web']) await world.cluster.deleteService(name);
    await world.run(600);
    expect([await world.cluster.service('web'), rules()]).toEqual([undefined, []]);
  });

  it('that nobody needs go, though the only Service can never be looked at', async () => {
    const { world, rules } = await worldWithGroup();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('web');
    await world.leader?.stop();
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1'], { port: 9090 });
    leaveRules(world, 7070);
    const away = new FairleadError('away', { verdict: 'retriable', code: 'http-502' });
    await whenLookedAt(world, () => Promise.reject(away));
    world.start({ comparisonIntervalSeconds: 0 });
    const ports = () => new Set(rules().map(({ port_range_min }) => port_range_min));
    await world.run(240);
    expect(ports()).toEqual(new Set([8080, 7070]));
    await world.run(240);
    expect(ports()).not.toContain(7070);
  });

  it('that a forged resource tells of go, though its Service is refused', async () => {
    const { world, rules } = await worldWithGroup();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('web');
    const annotations = { 'loadbalancer.openstack.org/unheard-of': 'yes' };
    await world.cluster.client.patchMerge<Service>(services, key, { metadata: { annotations } });
    await world.run();
    await world.leader?.stop();
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'another' }];
    const ports = [{ port: 7070, protocol: 'TCP' } as const];
    const endpointSlices = [{ endpoints: [{ addresses: ['10.1.0.1'] }], ports }];
    const forged = { metadata: { ownerReferences }, spec: { endpointSlices } };
    await world.cluster.client.patchMerge(kuryrLoadBalancers, key, forged);
    leaveRules(world, 7070);
    world.start({ comparisonIntervalSeconds: 0 });
    await world.run(600);
    expect(rules().map(({ port_range_min }) => port_range_min)).not.toContain(7070);
  });

  it('that nobody needs go, though there is no Service any more', async () => {
    const { world, rules } = await worldWithGroup();
    leaveRules(world, ...Array.from({ length: 25 }, (_, index) => 7000 + index));
    expect(rules().length).toBe(25);
    world.start({ comparisonIntervalSeconds: 0 });
    await world.run(60);
    expect(rules()).toEqual([]);
  });

  it('that nobody needs go, though Neutron fails at first', async () => {
    const { world, rules } = await worldWithGroup();
    leaveRules(world, 7000);
    vi.spyOn(world.openstack.neutron, 'deleteSecurityGroupRule').mockRejectedValueOnce(new Error('not now'));
    world.start({ comparisonIntervalSeconds: 0 });
    await world.run(360);
    expect(rules()).toEqual([]);
  });
});

/** As a leader leaves them that ends before it has taken them away. */
function leaveRules({ openstack, site }: OctaviaWorld, ...ports: readonly number[]): void {
  const [security_group_id = ''] = site.memberSecurityGroupIds;
  const description = clusterText(site.cluster, 'load balancers reach their members');
  for (const port of ports) {
    const range = { port_range_min: port, port_range_max: port, remote_ip_prefix: '10.0.0.0/24' };
    const rule = { security_group_id, direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp', ...range, description };
    openstack.emulator.create('security-group-rules', rule, openstack.project);
  }
}

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
