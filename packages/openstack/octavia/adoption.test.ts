import { FairleadError } from '@fairlead/control';
import { type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { type KuryrLoadBalancer, kuryrLoadBalancers } from './resource/types.ts';
import { asImmutable } from './testing/memory-lbaas.ts';
import { OctaviaWorld } from './testing/octavia-world.ts';

const key = { namespace: NAMESPACE, name: 'web' };
const KURYR = 'kuryr.openstack.org/service-finalizer';
const CLOUD_PROVIDER = 'service.kubernetes.io/load-balancer-cleanup';
const KURYR_RESOURCE = 'kuryr.openstack.org/kuryrloadbalancer-finalizers';

const MEMBERS = ['10.1.0.1', '10.1.0.2'].map((address) => ({ address, protocol_port: 8080, subnet_id: 'subnet-pods' }));
const TIMES = {
  timeout_client_data: 50_000,
  timeout_member_connect: 5_000,
  timeout_member_data: 50_000,
  timeout_tcp_inspect: 0,
};
const listener = (name: string) => ({
  name,
  protocol: 'TCP' as const,
  protocol_port: 80,
  connection_limit: -1,
  ...TIMES,
  default_pool: { name, protocol: 'TCP' as const, lb_algorithm: 'ROUND_ROBIN' as const, members: MEMBERS },
});

/** A Service without a class that another program has served. */
async function served(
  finalizer: string,
  balancer: string,
  addresses: readonly string[] = ['10.0.0.99'],
  hasFloatingIps = false,
) {
  const world = await new OctaviaWorld().setUp({}, { hasFloatingIps });
  world.site = { ...world.site, adoptedClusterName: 'kubernetes' };
  await world.lbaas.perform({
    kind: 'create-load-balancer',
    body: { name: balancer, vip_port_id: 'theirs', tags: ['theirs'], listeners: [listener(balancer)] },
  });
  for (const [id, one] of world.lbaas.balancers) world.lbaas.balancers.set(id, { ...one, vip_address: '10.0.0.99' });
  world.lbaas.log.length = 0;
  const metadata = { ...key, finalizers: [finalizer] };
  const spec = { type: 'LoadBalancer', ports: [{ port: 80, targetPort: 8080 }] } as const;
  await world.cluster.client.create<Service>(services, { metadata, spec });
  const status = { loadBalancer: { ingress: addresses.map((ip) => ({ ip })) } };
  await world.cluster.client.patchMerge<Service>(statusOf(services), key, { status });
  await world.cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1', '10.1.0.2@node-2']);
  return world;
}

/** As Kuryr stored it before there were EndpointSlices. */
async function kuryrResource(world: OctaviaWorld): Promise<void> {
  const spec = {
    ip: '10.96.0.1',
    ports: [{ port: 80, protocol: 'TCP', targetPort: '8080' }],
    subsets: [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 8080 }] }],
  } as const;
  const theirs = { metadata: { ...key, finalizers: [KURYR_RESOURCE] }, spec };
  await world.cluster.client.create<KuryrLoadBalancer>(kuryrLoadBalancers, theirs);
}

/** On the VIP of the load balancer that is there, by cloud-provider-openstack; gives its address. */
function putFloatingIp(world: OctaviaWorld): string {
  const { emulator, project } = world.openstack;
  const { id: subnet_id = '', network_id = '' } = world.site.vipSubnets.IPv4 ?? {};
  const port_id = emulator.create('ports', { network_id, fixed_ips: [{ subnet_id }] }, project);
  const description = 'Floating IP for Kubernetes external service shop/web from cluster kubernetes';
  const floating_network_id = world.site.floatingNetworkId ?? '';
  emulator.create('floatingips', { floating_network_id, port_id, description }, project);
  for (const [id, one] of world.lbaas.balancers) world.lbaas.balancers.set(id, { ...one, vip_port_id: port_id });
  const address = emulator.resources('floatingips')[0]?.['floating_ip_address'];
  return typeof address === 'string' ? address : '';
}

const MARKS = ['update-load-balancer', 'set-members', 'update-listener', 'update-pool'];

describe('adoption', () => {
  it('leaves alone what Kuryr and cloud-provider-openstack made, unless it is asked for', async () => {
    for (const finalizer of [KURYR, CLOUD_PROVIDER]) {
      const world = await served(finalizer, 'shop/web');
      world.start();
      await world.run();
      expect([world.steps, world.cluster.writes]).toEqual([[], []]);
    }
  });

  it('takes a load balancer of cloud-provider-openstack over with its address, by nothing but our mark', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web');
    const { listeners, pools } = world.lbaas;
    for (const [id, one] of listeners) listeners.set(id, { ...one, tags: ['theirs'] });
    for (const [id, one] of pools) pools.set(id, { ...one, tags: ['theirs'] });
    world.start({ adopt: {} });
    await world.run(30);
    expect(world.steps).toEqual(MARKS);
    expect([...listeners.values(), ...pools.values()].map(({ tags }) => tags[0])).toEqual(['theirs', 'theirs']);
    expect(await world.cluster.addresses('web')).toEqual(['10.0.0.99']);
    expect([...world.lbaas.balancers.values()].map(({ tags }) => tags[0])).toEqual(['theirs']);
    await world.cluster.deleteService('web');
    await world.run(30);
    expect([await world.cluster.service('web'), world.lbaas.balancers.size]).toEqual([undefined, 0]);
  });

  it('goes on to serve what it took over beside one of another cluster of the same name and VIP', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web');
    world.start({ adopt: {} });
    await world.run(30);
    world.lbaas.vipOf = () => '10.0.0.99';
    const body = { name: 'kube_service_kubernetes_shop_web', vip_port_id: 'of-another' };
    await world.lbaas.perform({ kind: 'create-load-balancer', body });
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.7@node-1']);
    await world.run(30);
    expect((await world.cluster.service('web'))?.status?.conditions).toMatchObject([{ reason: 'Programmed' }]);
    expect(world.steps.at(-1)).toBe('set-members');
  });

  it('serves beside one of another cluster of its name and VIP who shows a floating IP', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web', [], true);
    world.lbaas.vipOf = () => '10.0.0.99';
    world.start({ adopt: {} });
    await world.run(30);
    expect((await world.cluster.service('web'))?.status?.conditions).toMatchObject([{ reason: 'Programmed' }]);
  });

  it('takes nothing for a Service that has their finalizer and no address: a tenant may have written it', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web', []);
    world.start({ adopt: {} });
    await world.run(30);
    expect(world.steps).toEqual(['create-load-balancer']);
    expect(await world.cluster.addresses('web')).not.toContain('10.0.0.99');
    await world.cluster.deleteService('web');
    await world.run(30);
    expect([...world.lbaas.balancers.values()].map(({ name }) => name)).toEqual(['kube_service_kubernetes_shop_web']);
  });

  it('takes only the load balancer at the ClusterIP for a Service of that type', async () => {
    const world = await served(KURYR, 'shop/web');
    const subnet = world.site.vipSubnets.IPv4;
    world.site = { ...world.site, serviceSubnet: subnet };
    const metadata = { namespace: NAMESPACE, name: 'other', finalizers: [KURYR] };
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'shop/other' } });
    await world.cluster.client.create<Service>(services, { metadata, spec: { ports: [{ port: 80 }] } });
    world.lbaas.log.length = 0;
    const labels = { never: 'set' };
    world.start({ adopt: {}, clusterIPServices: { labels, subnet: subnet?.id } });
    await world.run(30);
    const conditions = (await world.cluster.service('other'))?.status?.conditions;
    expect(conditions).toMatchObject([{ reason: 'NameTaken' }]);
  });

  it('takes a load balancer and a resource of the older shape over from Kuryr, whose finalizers end with them', async () => {
    const world = await served(KURYR, 'shop/web');
    await kuryrResource(world);
    world.start({ adopt: {} });
    await world.run(30);
    expect(world.steps).toEqual(MARKS);
    const resource = await world.resource();
    expect(resource?.spec).toMatchObject({ schema_version: 2, adopts: true });
    expect(resource?.spec?.subsets).toBeUndefined();
    expect(await world.cluster.addresses('web')).toEqual(['10.0.0.99']);
    await world.cluster.deleteService('web');
    await world.run(30);
    expect([await world.cluster.service('web'), await world.resource()]).toEqual([undefined, undefined]);
  });

  it('takes down what it was to take over, though the Service is deleted before it got our mark', async () => {
    for (const [finalizer, name] of [
      [KURYR, 'shop/web'],
      [CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web'],
    ] as const) {
      const world = await served(finalizer, name);
      const busy = new FairleadError('later', { verdict: 'retriable', code: 'unavailable' });
      world.lbaas.refuse = ({ kind }) => (kind === 'update-load-balancer' ? busy : undefined);
      world.start({ adopt: {} });
      await world.run(10);
      await world.cluster.deleteService('web');
      await world.run(30);
      expect(await world.cluster.service('web')).toBeDefined();
      world.lbaas.refuse = () => undefined;
      await world.run(120);
      expect([await world.cluster.service('web'), world.lbaas.balancers.size]).toEqual([undefined, 0]);
    }
  });

  it('changes nothing of what it was to take over while Octavia is at a change, and tells whom that holds', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web');
    const [id = ''] = world.lbaas.balancers.keys();
    world.lbaas.setStatus(id, 'PENDING_UPDATE');
    world.start({ adopt: {}, comparisonIntervalSeconds: 0 });
    await world.cluster.deleteService('web');
    await world.run(900);
    expect((await world.cluster.service('web'))?.status?.conditions).toMatchObject([{ reason: 'LoadBalancerStuck' }]);
    expect(world.steps).toEqual([]);
    world.lbaas.setStatus(id, 'ACTIVE');
    await world.run(600);
    expect([await world.cluster.service('web'), world.lbaas.balancers.size]).toEqual([undefined, 0]);
  });

  it('tells whom a load balancer holds that it was to take over, and that takes no mark', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web');
    world.lbaas.refuse = asImmutable;
    world.start({ adopt: {}, comparisonIntervalSeconds: 0 });
    await world.cluster.deleteService('web');
    await world.run(900);
    const told = (await world.cluster.eventLines('web')).filter((line) => line.includes('Failed'));
    expect(told).toEqual([expect.stringMatching(/^web DeleteLoadBalancerFailed: .* for more than five minutes/)]);
    expect((await world.cluster.service('web'))?.status?.conditions).toMatchObject([{ reason: 'LoadBalancerStuck' }]);
    world.lbaas.refuse = () => undefined;
    await world.run(120);
    expect([await world.cluster.service('web'), world.lbaas.balancers.size]).toEqual([undefined, 0]);
  });

  it('takes over what Kuryr made, though what Kuryr stored tells of one that is gone', async () => {
    const world = await served(KURYR, 'shop/web');
    await kuryrResource(world);
    const status = { loadbalancer: { id: 'gone' } };
    await world.cluster.client.patchMerge<KuryrLoadBalancer>(statusOf(kuryrLoadBalancers), key, { status });
    world.start({ adopt: {} });
    await world.run(30);
    expect([world.lbaas.balancers.size, world.steps]).toEqual([1, MARKS]);
  });

  it('takes down what it was to take over, though the Service is deleted before its resource tells of it', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web');
    const uid = (await world.cluster.service('web'))?.metadata.uid ?? '';
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid }];
    const metadata = { ...key, ownerReferences };
    await world.cluster.client.create<KuryrLoadBalancer>(kuryrLoadBalancers, {
      metadata,
      spec: { endpointSlices: [] },
    });
    await world.cluster.deleteService('web');
    world.start({ adopt: {}, comparisonIntervalSeconds: 0 });
    await world.run(60);
    expect([await world.cluster.service('web'), world.lbaas.balancers.size]).toEqual([undefined, 0]);
  });

  it('takes down what it was to take over, though only its floating IP got our mark, by which it is known', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web', [], true);
    const status = { loadBalancer: { ingress: [{ ip: putFloatingIp(world) }] } };
    await world.cluster.client.patchMerge<Service>(statusOf(services), key, { status });
    const busy = new FairleadError('later', { verdict: 'retriable', code: 'unavailable' });
    world.lbaas.refuse = ({ kind }) => (kind === 'update-load-balancer' ? busy : undefined);
    world.start({ adopt: {}, comparisonIntervalSeconds: 0 });
    await world.run(10);
    await world.cluster.deleteService('web');
    await world.run(30);
    world.lbaas.refuse = () => undefined;
    await world.run(120);
    expect([await world.cluster.service('web'), world.lbaas.balancers.size]).toEqual([undefined, 0]);
    expect(world.openstack.emulator.resources('floatingips')).toEqual([]);
  });

  it('takes down what it was to take over, though the Service is deleted before it has a resource', async () => {
    const world = await served(KURYR, 'shop/web');
    const isOfResource = (path: string) => path.includes('/kuryrloadbalancers/');
    world.cluster.refuse = ({ path, method }) => (isOfResource(path) && method === 'PATCH' ? 503 : undefined);
    world.start({ adopt: {}, comparisonIntervalSeconds: 0 });
    await world.run(10);
    expect((await world.cluster.service('web'))?.metadata.finalizers).toContain('fairlead.dev/octavia');
    await world.cluster.deleteService('web');
    await world.run(30);
    expect([await world.cluster.service('web'), world.lbaas.balancers.size]).toEqual([undefined, 0]);
    expect(world.steps).toEqual(['update-load-balancer', 'delete-load-balancer']);
  });

  const PREDECESSORS = [
    [KURYR, 'shop/web'],
    [CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web'],
  ] as const;

  it.each(PREDECESSORS)('ends a Service that was deleted while nothing but %s held it', async (finalizer, name) => {
    const world = await served(finalizer, name);
    await kuryrResource(world);
    await world.cluster.deleteService('web');
    world.start({ adopt: {}, comparisonIntervalSeconds: 0 });
    await world.run(30);
    expect([await world.cluster.service('web'), await world.resource()]).toEqual([undefined, undefined]);
    expect(world.steps).toEqual(['update-load-balancer', 'delete-load-balancer']);
  });

  it.each(PREDECESSORS)('leaves a Service that is being deleted to %s, unless it is asked for', async (...by) => {
    const world = await served(...by);
    await kuryrResource(world);
    await world.cluster.deleteService('web');
    const before = world.cluster.writes.length;
    world.start();
    await world.run(30);
    expect([world.steps, world.cluster.writes.slice(before)]).toEqual([[], []]);
    expect([await world.cluster.service('web'), await world.resource()]).toMatchObject([{}, {}]);
  });

  it('takes no load balancer of another down by a finalizer on a Service that is being deleted', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web', ['10.0.0.98']);
    await world.cluster.deleteService('web');
    world.start({ adopt: {}, comparisonIntervalSeconds: 0 });
    await world.run(30);
    expect([await world.cluster.service('web'), world.steps]).toEqual([undefined, []]);
  });

  it('keeps the floating IP that a Service wants kept, though it is deleted before it has a resource', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web', ['10.0.0.99'], true);
    putFloatingIp(world);
    const annotations = { 'loadbalancer.openstack.org/keep-floatingip': 'true' };
    await world.cluster.client.patchMerge<Service>(services, key, { metadata: { annotations } });
    await world.cluster.deleteService('web');
    world.start({ adopt: {}, comparisonIntervalSeconds: 0 });
    await world.run(30);
    expect([await world.cluster.service('web'), world.lbaas.balancers.size]).toEqual([undefined, 0]);
    expect(world.openstack.emulator.resources('floatingips')).toMatchObject([{ description: '' }]);
  });

  it('takes down what it was to take over, though the Service was refused', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web');
    const annotations = { 'loadbalancer.openstack.org/speed': 'fast' };
    await world.cluster.client.patchMerge<Service>(services, key, { metadata: { annotations } });
    world.start({ adopt: {}, comparisonIntervalSeconds: 0 });
    await world.run(10);
    expect(world.steps).toEqual([]);
    await world.cluster.deleteService('web');
    await world.run(30);
    expect([await world.cluster.service('web'), world.lbaas.balancers.size]).toEqual([undefined, 0]);
  });

  it('takes down what it was to take over, though it is in ERROR, and takes no mark any more', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web');
    for (const id of world.lbaas.balancers.keys()) world.lbaas.setStatus(id, 'ERROR');
    await world.cluster.deleteService('web');
    world.start({ adopt: {}, comparisonIntervalSeconds: 0 });
    await world.run(30);
    expect([await world.cluster.service('web'), world.steps]).toEqual([undefined, ['delete-load-balancer']]);
  });

  it.each([KURYR, CLOUD_PROVIDER])(
    'takes no load balancer of another by a forged finalizer %s, when its own has ended in ERROR',
    async (finalizer) => {
      const world = await served(finalizer, 'kube_service_kubernetes_shop_web', []);
      world.start({ adopt: {}, comparisonIntervalSeconds: 60 });
      await world.run(30);
      const [theirs = '', own = ''] = world.lbaas.balancers.keys();
      world.lbaas.setStatus(own, 'ERROR');
      await world.run(200);
      expect([world.lbaas.balancers.has(theirs), world.lbaas.balancers.has(own)]).toEqual([true, false]);
      expect(world.lbaas.balancers.get(theirs)?.tags).toEqual(['theirs']);
      expect(await world.cluster.addresses('web')).not.toContain('10.0.0.99');
      await world.cluster.deleteService('web');
      await world.run(60);
      expect([...world.lbaas.balancers.keys()]).toEqual([theirs]);
    },
  );

  it('takes away members that are stale, and none that a user adds later', async () => {
    const world = await served(KURYR, 'shop/web');
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.2@node-2']);
    world.start({ adopt: {} });
    await world.run(30);
    expect([...world.lbaas.members.values()].flat().map(({ address }) => address)).toEqual(['10.1.0.2']);
  });

  it('keeps what it has taken over when it is not asked for any more', async () => {
    const world = await served(CLOUD_PROVIDER, 'kube_service_kubernetes_shop_web');
    const first = world.start({ adopt: {} });
    await world.run(30);
    await first.stop();
    world.site = { ...world.site, adoptedClusterName: undefined };
    world.start();
    await world.run(60);
    expect(world.lbaas.balancers.size).toBe(1);
    expect(await world.cluster.addresses('web')).toEqual(['10.0.0.99']);
  });
});
