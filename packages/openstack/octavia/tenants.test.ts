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
});
