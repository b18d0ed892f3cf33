import { FairleadError, sleep } from '@fairlead/control';
import { type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it, vi } from 'vitest';
import { kuryrLoadBalancers } from './resource/types.ts';
import type { OctaviaWorld } from './testing/octavia-world.ts';
import { worldWithGroup } from './testing/world-with-group.ts';

const PORT_81 = { ports: [{ port: 81, targetPort: 8080 }] };
const addressOf = (service: Service | undefined) => service?.status?.loadBalancer?.ingress?.[0]?.ip;

describe('security groups', () => {
  it('have a rule for each port of members, once for all Services, and none when no Service needs it', async () => {
    const { world, rules } = await worldWithGroup();
    world.start();
    await world.serve('web');
    await world.serve('api');
    expect(rules().map(({ port_range_min, remote_ip_prefix }) => [port_range_min, remote_ip_prefix])).toEqual([
      [8080, '10.0.0.0/24'],
      [8080, 'fd00::/64'],
      [8080, '10.1.0.0/16'],
    ]);
    await world.cluster.putSlice('api', 'api-1', ['10.1.0.3@node-1'], { port: 9090 });
    await world.run();
    const ports = () => rules().map(({ port_range_min }) => port_range_min);
    expect(new Set(ports())).toEqual(new Set([8080, 9090]));
    await world.cluster.deleteService('web');
    await world.run();
    expect(new Set(ports())).toEqual(new Set([9090]));
    await world.cluster.deleteService('api');
    await world.run();
    expect(rules()).toEqual([]);
  });

  it.each([
    ['that the Service names', 'amphora', { 'fairlead.dev/octavia-provider': 'ovn' }],
    ['that Octavia has chosen', 'ovn', {}],
  ])('let clients reach members by a provider that keeps their addresses, %s', async (_, provider, annotations) => {
    const { world, sources } = await worldWithGroup();
    world.lbaas.defaultProvider = provider;
    world.start();
    await world.serve('web', {}, annotations);
    expect(new Set(sources())).toEqual(new Set(['0.0.0.0/0', '::/0']));
  });

  it.each([['subnet-id'], ['member-subnet-id']])(
    'let load balancers reach members from a subnet that a Service chooses by %s, and do so through a restart',
    async (annotation) => {
      const { world, sources } = await worldWithGroup();
      const { emulator, project } = world.openstack;
      const network_id = emulator.create('networks', { name: 'edge' }, project);
      const edge = { network_id, ip_version: 4, cidr: '10.7.0.0/24' };
      const subnet = emulator.create('subnets', edge, project);
      world.start();
      await world.serve('another');
      await world.serve('web', {}, { [`loadbalancer.openstack.org/${annotation}`]: subnet });
      const all = ['10.0.0.0/24', 'fd00::/64', '10.1.0.0/16', '10.7.0.0/24'];
      expect(new Set(sources())).toEqual(new Set(all));
      await world.leader?.stop();
      const deleting = vi.spyOn(world.openstack.neutron, 'deleteSecurityGroupRule');
      const uid = (await world.cluster.service('web'))?.metadata.uid ?? '';
      const listTagged = world.lbaas.listTagged.bind(world.lbaas);
      // The other is looked at first: what this one needs is known only from what is told of it.
      vi.spyOn(world.lbaas, 'listTagged').mockImplementation(async (tags) => {
        if (tags.some((tag) => tag.endsWith(uid))) await sleep(world.cluster.clock, 5_000);
        return listTagged(tags);
      });
      world.start();
      await world.run();
      expect([new Set(sources()), deleting.mock.calls.length]).toEqual([new Set(all), 0]);
      await world.cluster.deleteService('web');
      await world.run(60);
      expect(new Set(sources())).toEqual(new Set(all.slice(0, 3)));
    },
  );

  it('let a load balancer of a user reach members from the subnets of all of its VIPs', async () => {
    const { world, sources } = await worldWithGroup();
    const { emulator, project } = world.openstack;
    const network_id = emulator.create('networks', { name: 'edge' }, project);
    const subnet_id = emulator.create('subnets', { network_id, ip_version: 4, cidr: '10.7.0.0/24' }, project);
    const body = { name: 'by-hand', vip_port_id: 'theirs', additional_vips: [{ subnet_id }] };
    await world.lbaas.perform({ kind: 'create-load-balancer', body });
    const [id = ''] = world.lbaas.balancers.keys();
    world.start();
    await world.serve('web', {}, { 'loadbalancer.openstack.org/load-balancer-id': id });
    expect(sources()).toContain('10.7.0.0/24');
  });

  it('let clients reach a Service where it is served until it is served elsewhere', async () => {
    const { world, sources, rules } = await worldWithGroup();
    world.start();
    await world.serve('first');
    const [id = ''] = world.lbaas.balancers.keys();
    await world.serve('second', {}, { 'fairlead.dev/octavia-provider': 'ovn' });
    const everywhere = ['0.0.0.0/0', '::/0'];
    expect(sources()).toEqual(expect.arrayContaining(everywhere));
    const key = { namespace: NAMESPACE, name: 'second' };
    const annotations = { 'loadbalancer.openstack.org/load-balancer-id': id, 'fairlead.dev/octavia-provider': null };
    await world.cluster.client.patchMerge<Service>(services, key, { metadata: { annotations } });
    await world.run();
    const refused = await world.cluster.service('second');
    expect(refused?.status?.conditions).toMatchObject([{ status: 'False', reason: 'PortTaken' }]);
    expect(sources()).toEqual(expect.arrayContaining(everywhere));
    await world.leader?.stop();
    for (const { id: rule } of rules())
      await world.openstack.neutron.deleteSecurityGroupRule(typeof rule === 'string' ? rule : '');
    world.start();
    await world.run();
    expect(sources()).toEqual(expect.arrayContaining(everywhere));
    const ports = [{ port: 81, targetPort: 8080 }];
    await world.cluster.client.patchMerge<Service>(services, key, { spec: { ports } });
    await world.run(60);
    expect((await world.cluster.service('second'))?.status?.conditions).toMatchObject([{ status: 'True' }]);
    expect([world.lbaas.balancers.size, new Set(sources())]).toEqual([
      1,
      new Set(['10.0.0.0/24', 'fd00::/64', '10.1.0.0/16']),
    ]);
  });

  it('do so while Octavia is at what it takes to be served elsewhere, and the Service shows where it is served', async () => {
    const { world, sources } = await worldWithGroup();
    world.start({ comparisonIntervalSeconds: 0 });
    const address = addressOf(await world.serve('first'));
    const [id = ''] = world.lbaas.balancers.keys();
    const before = addressOf(await world.serve('second', PORT_81, { 'fairlead.dev/octavia-provider': 'ovn' }));
    const perform = world.lbaas.perform.bind(world.lbaas);
    vi.spyOn(world.lbaas, 'perform').mockImplementation(async (step) => {
      await perform(step);
      if (step.kind === 'create-listener') world.lbaas.setStatus(id, 'PENDING_UPDATE');
    });
    const key = { namespace: NAMESPACE, name: 'second' };
    const annotations = { 'loadbalancer.openstack.org/load-balancer-id': id, 'fairlead.dev/octavia-provider': null };
    await world.cluster.client.patchMerge<Service>(services, key, { metadata: { annotations } });
    await world.run(60);
    expect(sources()).toEqual(expect.arrayContaining(['0.0.0.0/0', '::/0']));
    expect(addressOf(await world.cluster.service('second'))).toBe(before);
    await world.leader?.stop();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.run(60);
    expect(sources()).toEqual(expect.arrayContaining(['0.0.0.0/0', '::/0']));
    world.lbaas.setStatus(id, 'ACTIVE');
    await world.run(120);
    expect(addressOf(await world.cluster.service('second'))).toBe(address);
    expect(sources()).not.toContain('0.0.0.0/0');
  });

  it('have no rules for a Service whose load balancer went while they were made', async () => {
    const { world, rules } = await worldWithGroup();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'by-hand', vip_port_id: 'theirs' } });
    const [id = ''] = world.lbaas.balancers.keys();
    vi.spyOn(world.openstack.neutron, 'createSecurityGroupRule').mockImplementationOnce(async () => {
      world.lbaas.balancers.clear();
      throw new FairleadError('away', { verdict: 'retriable', code: 'http-502' });
    });
    const service = await world.serve('web', {}, { 'loadbalancer.openstack.org/load-balancer-id': id });
    expect([service?.status?.conditions?.[0]?.status, rules()]).toEqual(['False', []]);
  });

  it('have no rules for a Service that is refused as the load balancer is gone that it shared', async () => {
    const { world, rules } = await worldWithGroup();
    world.start({ comparisonIntervalSeconds: 60 });
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'by-hand', vip_port_id: 'theirs' } });
    const [id = ''] = world.lbaas.balancers.keys();
    await world.serve('web', {}, { 'loadbalancer.openstack.org/load-balancer-id': id });
    expect(rules()).not.toEqual([]);
    await world.lbaas.perform({ kind: 'delete-load-balancer', id });
    await world.run(120);
    const service = await world.cluster.service('web');
    expect(service?.status?.conditions).toMatchObject([{ status: 'False', reason: 'LoadBalancerUnknown' }]);
    expect(rules()).toEqual([]);
  });

  it('let the load balancer of a Service that is refused reach members from the subnet that it chose', async () => {
    const { world, sources } = await worldWithGroup();
    const { emulator, project } = world.openstack;
    const network_id = emulator.create('networks', { name: 'edge' }, project);
    const subnet = emulator.create('subnets', { network_id, ip_version: 4, cidr: '10.7.0.0/24' }, project);
    world.start();
    await world.serve('web', {}, { 'loadbalancer.openstack.org/subnet-id': subnet });
    await refuse(world, 'web');
    await world.run(60);
    expect(sources()).toContain('10.7.0.0/24');
  });

  it('are gone before a Service is that needed them', async () => {
    const { world, rules } = await worldWithGroup();
    const { neutron } = world.openstack;
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('web');
    const remove = neutron.deleteSecurityGroupRule.bind(neutron);
    vi.spyOn(neutron, 'deleteSecurityGroupRule').mockImplementation(async (...asked) => {
      await sleep(world.cluster.clock, 5_000);
      return remove(...asked);
    });
    await world.cluster.deleteService('web');
    while ((await world.cluster.service('web')) !== undefined) await world.run(1);
    expect(rules()).toEqual([]);
  });

  it('have rules for the members that a Service has which is refused, not for those that it would have', async () => {
    const { world, rules } = await worldWithGroup();
    world.start();
    await world.serve('web');
    const ports = () => [...new Set(rules().map(({ port_range_min }) => port_range_min))];
    const [pool = '', [member] = []] = [...world.lbaas.members].at(0) ?? [];
    if (member !== undefined)
      world.lbaas.members.set(pool, [member, { ...member, id: 'by-hand', protocol_port: 7000, tags: [] }]);
    await refuse(world, 'web');
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1'], { port: 9090 });
    await world.run();
    expect(ports()).toEqual([8080]);
  });

  it('admit clients to a Service that is refused by the provider that it has, and not by that of others', async () => {
    const { world, sources } = await worldWithGroup();
    world.site = { ...world.site, provider: 'amphora' };
    world.start();
    await world.serve('web', {}, { 'fairlead.dev/octavia-provider': 'ovn' });
    await world.cluster.editService('web', {
      metadata: { annotations: { 'fairlead.dev/octavia-provider': 'amphora' } },
    });
    await world.run(60);
    expect((await world.cluster.service('web'))?.status?.conditions).toMatchObject([{ reason: 'Immutable' }]);
    expect(new Set(sources())).toEqual(new Set(['0.0.0.0/0', '::/0']));
  });

  it('have rules for the members that a Service has which is refused, though its status is emptied', async () => {
    const { world, rules } = await worldWithGroup();
    world.start();
    await world.serve('web');
    const before = rules();
    await refuse(world, 'web');
    const key = { namespace: NAMESPACE, name: 'web' };
    await world.cluster.client.patchMerge(statusOf(kuryrLoadBalancers), key, { status: null });
    await world.run(400);
    expect(rules()).toEqual(before);
  });

  it('have no rules for a Service whose load balancer is refused', async () => {
    const { world, rules } = await worldWithGroup();
    world.lbaas.refuse = ({ kind }) =>
      kind === 'create-load-balancer'
        ? new FairleadError('Provider ovn is not enabled.', { verdict: 'terminal', code: 'provider-not-enabled' })
        : undefined;
    const creating = vi.spyOn(world.openstack.neutron, 'createSecurityGroupRule');
    world.start();
    const service = await world.serve('web', {}, { 'fairlead.dev/octavia-provider': 'ovn' });
    expect(service?.status?.conditions).toMatchObject([{ status: 'False', reason: 'ProviderNotEnabled' }]);
    // Not for a moment.
    expect([rules(), creating.mock.calls]).toEqual([[], []]);
  });

  it.each([
    ['now', 'retriable'],
    ['ever', 'terminal'],
  ] as const)(
    'keep nobody waiting for the range of a subnet that Neutron will not tell %s, and are not kept open for ever',
    async (_, verdict) => {
      const { world, sources } = await worldWithGroup();
      const { emulator, neutron, project } = world.openstack;
      const network_id = emulator.create('networks', { name: 'edge' }, project);
      const subnet = emulator.create('subnets', { network_id, ip_version: 4, cidr: '10.7.0.0/24' }, project);
      world.start();
      await world.serve('cursed', {}, { 'loadbalancer.openstack.org/member-subnet-id': subnet });
      expect(sources()).toContain('10.7.0.0/24');
      await world.leader?.stop();
      const findSubnet = neutron.findSubnet.bind(neutron);
      const asking = vi.spyOn(neutron, 'findSubnet').mockImplementation((id, options) => {
        if (id !== subnet) return findSubnet(id, options);
        return Promise.reject(new FairleadError('no', { verdict, code: 'no-range' }));
      });
      world.start();
      expect((await world.serve('web'))?.status?.conditions).toMatchObject([{ status: 'True' }]);
      expect(sources()).toContain('10.7.0.0/24');
      await world.cluster.deleteService('web');
      await world.run(360);
      // What is known of it without Neutron stays.
      expect(new Set(sources())).toEqual(new Set(['10.0.0.0/24', '10.1.0.0/16', 'fd00::/64']));
      asking.mockRestore();
      await world.run(600);
      expect(sources()).toContain('10.7.0.0/24');
      await world.cluster.deleteService('cursed');
      await world.run(60);
      expect(sources()).toEqual([]);
    },
  );
});

/** A load balancer keeps the flavor that it has. */
async function refuse(world: OctaviaWorld, name: string): Promise<void> {
  const annotations = { 'loadbalancer.openstack.org/flavor-id': 'another' };
  await world.cluster.client.patchMerge<Service>(
    services,
    { namespace: NAMESPACE, name },
    { metadata: { annotations } },
  );
  await world.run();
  const service = await world.cluster.service(name);
  expect(service?.status?.conditions).toMatchObject([{ status: 'False', reason: 'Immutable' }]);
}
