import { type EndpointSlice, endpointSlices, type Node, nodes, type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { type KuryrLoadBalancer, kuryrLoadBalancers } from './resource/types.ts';
import { OctaviaWorld } from './testing/octavia-world.ts';

const key = { namespace: NAMESPACE, name: 'web' };
const reasonOf = (service: Service | undefined) => service?.status?.conditions?.[0]?.reason;
const creations = (world: OctaviaWorld) => world.steps.filter((kind) => kind === 'create-load-balancer').length;

/** Has the load balancer of the Service looked at. */
async function lookAgain(world: OctaviaWorld): Promise<void> {
  await world.cluster.client.patchMerge<KuryrLoadBalancer>(statusOf(kuryrLoadBalancers), key, { status: null });
  await world.run(5);
}

describe('a load balancer that ends in ERROR', () => {
  it('is made anew at once when the one before was as it should be', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve();
    for (const times of [2, 3]) {
      for (const id of world.lbaas.balancers.keys()) world.lbaas.setStatus(id, 'ERROR');
      await lookAgain(world);
      expect(creations(world)).toBe(times);
    }
  });

  it('is made anew every half an hour at the least', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    world.lbaas.status = 'ERROR';
    await world.serve();
    await world.run(6 * 3_600);
    expect(creations(world)).toBeGreaterThan(14);
  });
});

describe('a load balancer that is made twice, as the first request was not answered', () => {
  it('is there once in the end, with the floating IP that leads to it', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 0 });
    const before = (await world.serve())?.status?.loadBalancer;
    const made = world.lbaas.log.find((step) => step.kind === 'create-load-balancer');
    if (made !== undefined) await world.lbaas.perform(made);
    expect(world.lbaas.balancers.size).toBe(2);
    const floatingIps = () => world.openstack.emulator.resources('floatingips').map(({ id }) => id);
    const [floatingIp] = floatingIps();
    await lookAgain(world);
    await world.run(60);
    expect([world.lbaas.balancers.size, floatingIps()]).toEqual([1, [floatingIp]]);
    expect((await world.cluster.service('web'))?.status?.loadBalancer).toEqual(before);
  });
});

describe('a Service that is served', () => {
  it('stays told so while Octavia is at a change', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve();
    const [id = ''] = world.lbaas.balancers.keys();
    world.lbaas.setStatus(id, 'PENDING_UPDATE');
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.7@node-1']);
    await world.run(60);
    expect(reasonOf(await world.cluster.service('web'))).toBe('Programmed');
    expect((await world.resource())?.status?.conditions).toMatchObject([{ status: 'True' }]);
  });

  it('gets a load balancer beside one of its name that is of another cluster', async () => {
    const world = await new OctaviaWorld().setUp();
    const tags = ['fairlead-cluster=other', 'fairlead-part=octavia', 'fairlead-service=1'];
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'shop/web', tags } });
    world.start();
    expect(reasonOf(await world.serve())).toBe('Programmed');
    expect(world.lbaas.balancers.size).toBe(2);
  });

  it('gets no floating IP of a network that is not external', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start();
    const network = world.site.vipSubnets.IPv4?.network_id ?? '';
    const service = await world.serve('web', {}, { 'loadbalancer.openstack.org/floating-network-id': network });
    expect([reasonOf(service), world.steps]).toEqual(['NetworkUnknown', []]);
  });

  it('keeps the floating IP that it asks to keep, also when it was forced away', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    const first = world.start();
    await world.serve('web', {}, { 'loadbalancer.openstack.org/keep-floatingip': 'true' });
    await first.stop();
    await world.cluster.forceDeleteService('web');
    world.start();
    await world.run(60);
    expect(world.lbaas.balancers.size).toBe(0);
    expect(world.openstack.emulator.resources('floatingips')).toMatchObject([{ description: '', port_id: null }]);
  });
});

describe('what a load balancer is made of', () => {
  it.each([['availability-zone'], ['flavor-id']])('never changes: another %s is refused', async (annotation) => {
    const world = await new OctaviaWorld().setUp();
    world.lbaas.flavors.add('first').add('second');
    world.lbaas.availabilityZones.add('first').add('second');
    world.start();
    await world.serve('web', {}, { [`loadbalancer.openstack.org/${annotation}`]: 'first' });
    const annotations = { [`loadbalancer.openstack.org/${annotation}`]: 'second' };
    await world.cluster.client.patchMerge<Service>(services, key, { metadata: { annotations } });
    await world.run();
    expect([reasonOf(await world.cluster.service('web')), world.steps]).toEqual([
      'Immutable',
      ['create-load-balancer'],
    ]);
  });
});

describe('a field within what the Service asks for', () => {
  it('goes when another has written it', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    await world.serve('web', {}, { 'loadbalancer.openstack.org/connection-limit': '5' });
    const spec = { traffic: { timeout_tcp_inspect: 9 } };
    await world.cluster.client.patchMerge<KuryrLoadBalancer>(kuryrLoadBalancers, key, { spec });
    await world.run();
    expect((await world.resource())?.spec?.traffic).toEqual({ connection_limit: 5 });
  });
});

describe('members', () => {
  it('are of the families of the Service', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    await world.cluster.client.create<EndpointSlice>(endpointSlices, {
      metadata: { namespace: NAMESPACE, name: 'web-6', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv6',
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
      endpoints: [{ addresses: ['fd00:1::1'], conditions: { ready: true } }],
    });
    await world.serve('web', { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
    const addresses = [...world.lbaas.members.values()].flat().map(({ address }) => address);
    expect(addresses).toEqual(['10.1.0.1', '10.1.0.2']);
  });

  it('are the nodes that have the labels which the Service names, and their values', async () => {
    const world = await new OctaviaWorld().setUp({ members: 'node-ports' });
    world.start();
    const status = { conditions: [{ type: 'Ready', status: 'True' }] } as const;
    for (const [name, role] of [
      ['node-1', 'web'],
      ['node-2', 'db'],
    ] as const) {
      await world.cluster.client.patchMerge<Node>(nodes, { name }, { metadata: { labels: { role } } });
      await world.cluster.client.patchMerge<Node>(statusOf(nodes), { name }, { status });
    }
    await world.serve('web', {}, { 'loadbalancer.openstack.org/node-selector': 'role=web' });
    expect([...world.lbaas.members.values()].flat().map(({ address }) => address)).toEqual(['10.0.0.11']);
    await world.serve('none', {}, { 'loadbalancer.openstack.org/node-selector': 'constructor' });
    expect([...world.lbaas.members.values()].flat()).toHaveLength(1);
  });
});

describe('a resource that a newer Fairlead wrote', () => {
  it('is left as it is, and so is what it stands for', async () => {
    const world = await new OctaviaWorld().setUp();
    const first = world.start();
    await world.serve();
    await first.stop();
    const spec = { schema_version: 3, traffic: { connection_limit: 7 } };
    await world.cluster.client.patchMerge<KuryrLoadBalancer>(kuryrLoadBalancers, key, { spec });
    const before = await world.resource();
    const steps = world.steps.length;
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.7@node-1']);
    await world.cluster.client.patchMerge<Service>(services, key, {
      metadata: { annotations: { 'loadbalancer.openstack.org/connection-limit': '9' } },
    });
    world.start();
    await world.run(60);
    expect([await world.resource(), world.steps.length]).toEqual([before, steps]);
  });
});
