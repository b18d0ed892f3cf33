import { namespaces, type Service, type ServiceSpec, services } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { type KuryrLoadBalancer, kuryrLoadBalancers } from './resource/types.ts';
import { OctaviaWorld } from './testing/octavia-world.ts';

/* What a tenant gets who writes the finalizer of Kuryr, where what Kuryr made is taken over. */

const key = { namespace: 'tenant', name: 'web' };

async function adopting() {
  const world = await new OctaviaWorld().setUp();
  const { emulator, project } = world.openstack;
  const network_id = emulator.create('networks', { name: 'services' }, project);
  const [own = '', other = ''] = ['own', 'other'].map((name) =>
    emulator.create('subnets', { network_id, name, ip_version: 4, cidr: '10.96.0.0/12' }, project),
  );
  const serviceSubnet = { id: own, cidr: '10.96.0.0/12', network_id };
  world.site = { ...world.site, serviceSubnet, adoptedClusterName: 'kubernetes' };
  return { world, other };
}

async function written(world: OctaviaWorld, spec: ServiceSpec, annotations = {}): Promise<Service | undefined> {
  await world.cluster.client.create(namespaces, { metadata: { name: key.namespace } });
  const finalizers = ['fairlead.dev/octavia', 'kuryr.openstack.org/service-finalizer'];
  const metadata = { ...key, finalizers, annotations };
  await world.cluster.client.create<Service>(services, { metadata, spec });
  const clusterIPServices = { labels: { never: 'set' }, subnet: 'own' };
  world.start(world.site.serviceSubnet === undefined ? { adopt: {} } : { adopt: {}, clusterIPServices });
  await world.run(30);
  return world.cluster.client.find(services, key);
}

describe('a tenant', () => {
  it('gets no address of the subnet of Services for one that has none', async () => {
    const { world } = await adopting();
    const service = await written(world, { type: 'ExternalName', externalName: 'example.com' });
    expect([service?.status?.conditions, world.steps, world.openstack.emulator.resources('ports')]).toEqual([
      undefined,
      [],
      [],
    ]);
  });

  it('gets no load balancer of another cluster by choosing the ClusterIP that it has there', async () => {
    const { world, other } = await adopting();
    world.lbaas.vipOf = (portId) => (portId === 'theirs' ? '10.96.0.77' : '10.96.0.78');
    world.lbaas.subnetOf = (portId) => (portId === 'theirs' ? other : undefined);
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'tenant/web', vip_port_id: 'theirs' } });
    world.lbaas.log.length = 0;
    const service = await written(world, { clusterIP: '10.96.0.77', ports: [{ port: 80 }] });
    expect(service?.spec.clusterIP).toBe('10.96.0.77');
    expect(service?.status?.conditions).toMatchObject([{ reason: 'NameTaken' }]);
    expect(world.steps).toEqual([]);
  });

  it('has none taken down at its ClusterIP where no subnet of these is configured', async () => {
    const { world } = await adopting();
    world.site = { ...world.site, serviceSubnet: undefined };
    world.lbaas.vipOf = () => '10.96.0.77';
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'tenant/web', vip_port_id: 'theirs' } });
    await written(world, { clusterIP: '10.96.0.77', ports: [{ port: 80 }] });
    await world.cluster.client.delete(services, key);
    await world.run(60);
    expect([...world.lbaas.balancers.values()]).toMatchObject([{ vip_port_id: 'theirs', tags: [] }]);
    expect(await world.cluster.client.find(services, key)).toBeUndefined();
  });

  it('gets no listener of another cluster by sharing a load balancer that has the name of its Service', async () => {
    const { world, other } = await adopting();
    world.lbaas.vipOf = (portId) => (portId === 'theirs' ? '10.96.0.77' : '10.96.0.78');
    world.lbaas.subnetOf = (portId) => (portId === 'theirs' ? other : undefined);
    const listener = { name: 'theirs', protocol: 'TCP', protocol_port: 80 } as const;
    const body = { name: 'tenant/web', vip_port_id: 'theirs', listeners: [listener] };
    await world.lbaas.perform({ kind: 'create-load-balancer', body });
    world.lbaas.log.length = 0;
    const [id = ''] = world.lbaas.balancers.keys();
    const annotations = { 'loadbalancer.openstack.org/load-balancer-id': id };
    const service = await written(world, { ports: [{ port: 80 }] }, annotations);
    expect(service?.status?.conditions).toMatchObject([{ reason: 'PortTaken' }]);
    expect(world.steps).toEqual([]);
  });

  /* Another cluster of the project has a Service of the same name, which cloud-provider-openstack serves. */
  async function besideAnother(hasFloatingIps = false): Promise<OctaviaWorld> {
    const world = await new OctaviaWorld().setUp({ adoptedClusterName: 'kubernetes' }, { hasFloatingIps });
    const { vipOf } = world.lbaas;
    world.lbaas.vipOf = (portId) => (portId === 'theirs' ? '10.0.0.99' : vipOf(portId));
    const body = { name: 'kube_service_kubernetes_tenant_web', vip_port_id: 'theirs' };
    await world.lbaas.perform({ kind: 'create-load-balancer', body });
    await world.cluster.client.create(namespaces, { metadata: { name: key.namespace } });
    world.start({ adopt: {} });
    return world;
  }

  const finalizers = ['service.kubernetes.io/load-balancer-cleanup'];
  const ports = [{ port: 80, targetPort: 8080 }];

  /* To the load balancer of the other cluster. */
  function giveFloatingIp(world: OctaviaWorld): { readonly id: string; readonly port_id: string } {
    const { emulator, project } = world.openstack;
    const { id: subnet_id = '', network_id = '' } = world.site.vipSubnets.IPv4 ?? {};
    const port_id = emulator.create('ports', { network_id, fixed_ips: [{ subnet_id }] }, project);
    emulator.create('floatingips', { floating_network_id: world.site.floatingNetworkId ?? '', port_id }, project);
    const [[id, theirs] = []] = world.lbaas.balancers;
    if (id === undefined || theirs === undefined) throw new Error('there is none');
    world.lbaas.balancers.set(id, { ...theirs, vip_port_id: port_id });
    return { id, port_id };
  }

  async function shared(world: OctaviaWorld, id: string): Promise<Service['status']> {
    const annotations = { 'loadbalancer.openstack.org/load-balancer-id': id };
    const spec = { type: 'LoadBalancer', ports } as const;
    await world.cluster.client.create<Service>(services, { metadata: { ...key, finalizers, annotations }, spec });
    await world.run(30);
    return (await world.cluster.client.find(services, key))?.status;
  }

  it('has no load balancer of another cluster taken down by a host name that begins with its address', async () => {
    const world = await besideAnother();
    const annotations = { 'loadbalancer.openstack.org/hostname': '10.0.0.99.nip.io' };
    await world.cluster.client.create<Service>(services, {
      metadata: { ...key, finalizers, annotations },
      spec: { type: 'LoadBalancer', ports },
    });
    await world.run(30);
    const service = await world.cluster.client.find(services, key);
    expect(service?.status?.conditions).toMatchObject([{ reason: 'AnnotationInvalid' }]);
    await world.cluster.client.delete(services, key);
    await world.run(60);
    expect(world.lbaas.balancers.size).toBe(1);
  });

  it('has no load balancer of another cluster taken down by asking for its address in another network', async () => {
    const world = await besideAnother();
    await world.cluster.client.create<Service>(services, {
      metadata: { ...key, finalizers },
      spec: { type: 'LoadBalancer', ports, loadBalancerIP: '10.0.0.99' },
    });
    await world.run(30);
    const service = await world.cluster.client.find(services, key);
    expect(service?.status?.conditions).toMatchObject([{ reason: 'NameTaken' }]);
    await world.cluster.client.delete(services, key);
    await world.run(60);
    expect(world.lbaas.balancers.size).toBe(1);
  });

  it('has no load balancer of another cluster taken down by sharing it, and so showing its address', async () => {
    const world = await besideAnother();
    const [id = ''] = world.lbaas.balancers.keys();
    expect(await shared(world, id)).toMatchObject({ conditions: [{ reason: 'NameTaken' }] });
    await world.cluster.client.delete(services, key);
    await world.run(60);
    expect([...world.lbaas.balancers.values()]).toMatchObject([{ vip_port_id: 'theirs', tags: [] }]);
  });

  it('has none taken down by sharing it, and so showing the floating IP that leads to it', async () => {
    const world = await besideAnother(true);
    const { id, port_id } = giveFloatingIp(world);
    expect(await shared(world, id)).toMatchObject({ conditions: [{ reason: 'NameTaken' }] });
    await world.cluster.client.delete(services, key);
    await world.run(60);
    expect([...world.lbaas.balancers.values()]).toMatchObject([{ vip_port_id: port_id, tags: [] }]);
  });

  it('has none taken down that has the address of its own, which is gone', async () => {
    const world = await besideAnother();
    const [[id, theirs] = []] = world.lbaas.balancers;
    if (id === undefined || theirs === undefined) throw new Error('there is none');
    const spec = { type: 'LoadBalancer', ports } as const;
    await world.cluster.client.create<Service>(services, { metadata: { ...key, finalizers }, spec });
    await world.run(30);
    const [, own = ''] = world.lbaas.balancers.keys();
    const vip_address = world.lbaas.balancers.get(own)?.vip_address ?? '';
    world.lbaas.balancers.delete(own);
    world.lbaas.balancers.set(id, { ...theirs, vip_address });
    await world.cluster.client.delete(services, key);
    await world.run(60);
    expect([...world.lbaas.balancers.values()]).toMatchObject([{ id, vip_address, tags: [] }]);
  });

  it('shows no address that another has in another network by a port that has it', async () => {
    const world = await besideAnother();
    const { emulator, project } = world.openstack;
    const { id: subnet_id = '', network_id = '' } = world.site.vipSubnets.IPv4 ?? {};
    const fixed_ips = [{ subnet_id, ip_address: '10.0.0.99' }];
    const port = emulator.create('ports', { network_id, fixed_ips }, project);
    const annotations = { 'loadbalancer.openstack.org/port-id': port };
    const spec = { type: 'LoadBalancer', ports } as const;
    await world.cluster.client.create<Service>(services, { metadata: { ...key, finalizers, annotations }, spec });
    await world.run(30);
    const service = await world.cluster.client.find(services, key);
    expect(service?.status?.conditions).toMatchObject([{ reason: 'NameTaken' }]);
    expect(service?.status?.loadBalancer?.ingress ?? []).toEqual([]);
  });

  it('shows no address that another has by sharing one that has it as a further VIP', async () => {
    const world = await besideAnother();
    await world.lbaas.perform({
      kind: 'create-load-balancer',
      body: { name: 'by-hand', vip_port_id: 'same', additional_vips: [{ subnet_id: 's', ip_address: '10.0.0.99' }] },
    });
    const [, id = ''] = world.lbaas.balancers.keys();
    expect(await shared(world, id)).toMatchObject({ conditions: [{ reason: 'NameTaken' }] });
  });

  it('is served with a floating IP of its own beside another cluster that has one for the same name', async () => {
    const world = await besideAnother(true);
    giveFloatingIp(world);
    const spec = { type: 'LoadBalancer', ports } as const;
    await world.cluster.client.create<Service>(services, { metadata: { ...key, finalizers }, spec });
    await world.run(30);
    const service = await world.cluster.client.find(services, key);
    expect(service?.status?.conditions).toMatchObject([{ reason: 'Programmed' }]);
  });

  it.each([
    ['when the Service leaves', undefined],
    ['by sharing it then', 'loadbalancer.openstack.org/load-balancer-id'],
  ])('has none taken down that gets the address which its Service shows already, %s', async (_, annotation) => {
    const world = await besideAnother();
    const [[id, theirs] = []] = world.lbaas.balancers;
    if (id === undefined || theirs === undefined) throw new Error('there is none');
    const spec = { type: 'LoadBalancer', ports } as const;
    await world.cluster.client.create<Service>(services, { metadata: { ...key, finalizers }, spec });
    await world.run(30);
    const service = await world.cluster.client.find(services, key);
    const vip_address = service?.status?.loadBalancer?.ingress?.[0]?.ip ?? '';
    world.lbaas.balancers.set(id, { ...theirs, vip_address });
    const patch = { metadata: { annotations: annotation === undefined ? {} : { [annotation]: id } } };
    await world.cluster.client.patchMerge<Service>(services, key, patch);
    await world.run(30);
    await world.cluster.client.delete(services, key);
    await world.run(60);
    expect([...world.lbaas.balancers.values()]).toMatchObject([{ id, vip_address, tags: [] }]);
    expect(await world.cluster.client.find(services, key)).toBeUndefined();
  });

  it('has none taken down by sharing another that has its address in another network', async () => {
    const world = await besideAnother();
    const { vipOf } = world.lbaas;
    world.lbaas.vipOf = (portId) => (portId === 'same' ? '10.0.0.99' : vipOf(portId));
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'by-hand', vip_port_id: 'same' } });
    const [, id = ''] = world.lbaas.balancers.keys();
    const annotation = 'loadbalancer.openstack.org/load-balancer-id';
    await world.cluster.client.create<Service>(services, {
      metadata: { ...key, finalizers, annotations: { [annotation]: id } },
      spec: { type: 'LoadBalancer', ports },
    });
    await world.run(30);
    const service = await world.cluster.client.find(services, key);
    expect(service?.status?.conditions).toMatchObject([{ reason: 'NameTaken' }]);
    const patch = { metadata: { annotations: { [annotation]: null } } };
    await world.cluster.client.patchMerge<Service>(services, key, patch);
    await world.run(30);
    await world.cluster.client.delete(services, key);
    await world.run(60);
    const left = [...world.lbaas.balancers.values()].map(({ vip_port_id, tags }) => [vip_port_id, tags]);
    expect(left).toEqual([
      ['theirs', []],
      ['same', []],
    ]);
  });

  it.each([
    ['served', {}],
    ['refused', { 'loadbalancer.openstack.org/nonsense': 'x' }],
  ])('has none taken over by what it writes into the resource of a Service that is %s', async (_, annotations) => {
    const world = await besideAnother();
    await world.cluster.client.create<Service>(services, {
      metadata: { ...key, annotations },
      spec: { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/octavia', ports },
    });
    const uid = (await world.cluster.client.find(services, key))?.metadata.uid ?? '';
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: key.name, uid }];
    const adopted = { adopts: true, adopted_addresses: ['10.0.0.99'] };
    await world.cluster.client.create<KuryrLoadBalancer>(kuryrLoadBalancers, {
      metadata: { ...key, ownerReferences },
      spec: { schema_version: 2, type: 'LoadBalancer', ports: [], endpointSlices: [], ...adopted },
    });
    await world.run(30);
    await world.cluster.client.delete(services, key);
    await world.run(60);
    const left = [...world.lbaas.balancers.values()].map(({ vip_port_id, tags }) => [vip_port_id, tags]);
    expect(left).toEqual([['theirs', []]]);
  });
});
