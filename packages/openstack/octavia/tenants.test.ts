import { namespaces, type Service, type ServiceSpec, services } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { OctaviaWorld } from './testing/octavia-world.ts';

/*
 * What a tenant may do who can write Services in one namespace, and what not: Services of others are in another.
 */

const PREFIX = 'loadbalancer.openstack.org';
const TENANT = 'tenant';

async function withTenant({ cluster: { client } }: OctaviaWorld): Promise<void> {
  const found = await client.find(namespaces, { name: TENANT });
  if (found === undefined) await client.create(namespaces, { metadata: { name: TENANT } });
}

async function tenantServes(
  world: OctaviaWorld,
  annotations: Readonly<Record<string, string>>,
  spec: Partial<ServiceSpec> = {},
): Promise<Service | undefined> {
  const about = Object.fromEntries(Object.entries(annotations).map(([name, value]) => [`${PREFIX}/${name}`, value]));
  await withTenant(world);
  await world.cluster.client.create<Service>(services, {
    metadata: { namespace: TENANT, name: 'web', annotations: about },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: 'fairlead.dev/octavia',
      ports: [{ port: 81, targetPort: 8080 }],
      ...spec,
    },
  });
  await world.run(30);
  return world.cluster.client.find(services, { namespace: TENANT, name: 'web' });
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const reasonsOf = (service: Service | undefined) => service?.status?.conditions?.map(({ reason }) => reason);

describe('a tenant', () => {
  it('puts no listeners on the load balancer of a Service in another namespace, and does not inherit it', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start();
    await world.serve();
    const [id = ''] = world.lbaas.balancers.keys();
    expect(reasonsOf(await tenantServes(world, { 'load-balancer-id': id }))).toEqual(['LoadBalancerUnavailable']);
    expect([...world.lbaas.listeners.values()].map(({ protocol_port }) => protocol_port)).toEqual([80]);
    await world.cluster.deleteService('web');
    await world.run(60);
    expect([world.lbaas.balancers.size, world.openstack.emulator.resources('floatingips')]).toEqual([0, []]);
  });

  it('inherits no load balancer that it had listeners on before it was taken over for a Service of another', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    await world.serve();
    const [id = '', balancer] = [...world.lbaas.balancers][0] ?? [];
    if (balancer === undefined) throw new TypeError('there is no load balancer');
    world.lbaas.balancers.set(id, { ...balancer, tags: [], description: '' });
    await tenantServes(world, { 'load-balancer-id': id });
    expect(world.lbaas.listeners.size).toBe(2);
    world.lbaas.balancers.set(id, balancer);
    await world.cluster.deleteService('web');
    await world.run(60);
    expect(world.lbaas.balancers.has(id)).toBe(false);
  });

  it('puts no listeners on a load balancer of another cluster', async () => {
    const world = await new OctaviaWorld().setUp();
    const tags = ['fairlead-cluster=other', 'fairlead-part=octavia', 'fairlead-service=1'];
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'tenant/theirs', tags } });
    world.start();
    const [id = ''] = world.lbaas.balancers.keys();
    expect(reasonsOf(await tenantServes(world, { 'load-balancer-id': id }))).toEqual(['LoadBalancerUnavailable']);
    expect(world.lbaas.listeners.size).toBe(0);
  });

  it('gets no port for a VIP that a machine has, or that is of another Service', async () => {
    const world = await new OctaviaWorld().setUp();
    const { emulator, project } = world.openstack;
    const network_id = world.site.vipSubnets.IPv4?.network_id ?? '';
    const device = { device_id: 'node-1', device_owner: 'compute:nova' };
    const ofNode = emulator.create('ports', { network_id, ...device }, project);
    const description = '[fairlead-cluster=cluster-1 fairlead-part=gateway] pool default';
    const ofGateway = emulator.create('ports', { network_id, description }, project);
    world.start();
    for (const id of [ofNode, ofGateway]) {
      expect(reasonsOf(await tenantServes(world, { 'port-id': id }))).toEqual(['PortUnavailable']);
      await world.cluster.client.delete(services, { namespace: TENANT, name: 'web' });
      await world.run();
    }
    const free = emulator.create('ports', { network_id }, project);
    expect(reasonsOf(await tenantServes(world, { 'port-id': free }))).toEqual(['Programmed']);
    expect(world.steps).toEqual(['create-load-balancer']);
  });

  it('gets no floating IP that was made for another, though it is on no port', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start();
    const { emulator, project } = world.openstack;
    const description = '[fairlead-cluster=cluster-1 fairlead-part=gateway] pool default';
    const floating_network_id = world.site.floatingNetworkId ?? '';
    const id = emulator.create('floatingips', { floating_network_id, description }, project);
    const found = emulator.resources('floatingips').find((one) => one['id'] === id);
    const loadBalancerIP = textOf(found?.['floating_ip_address']);
    expect(reasonsOf(await tenantServes(world, {}, { loadBalancerIP }))).toEqual(['AddressUnavailable']);
    expect(emulator.resources('floatingips').map(({ port_id }) => port_id)).toEqual([null]);
  });

  it('gets not the address of the gateway of a subnet for a VIP', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    const [{ gateway_ip } = {}] = world.openstack.emulator
      .resources('subnets')
      .filter(({ ip_version }) => ip_version === 4);
    const loadBalancerIP = textOf(gateway_ip);
    expect(reasonsOf(await tenantServes(world, {}, { loadBalancerIP }))).toEqual(['AddressUnavailable']);
    expect(world.openstack.emulator.resources('ports')).toEqual([]);
  });
});
