import { sleep } from '@fairlead/control';
import {
  type EndpointSlice,
  endpointSlices,
  namespaces,
  type Service,
  type ServiceSpec,
  services,
} from '@fairlead/kube';
import { describe, expect, it, vi } from 'vitest';
import { OpenStackError } from '../client/index.ts';
import { type KuryrLoadBalancer, kuryrLoadBalancers } from './resource/types.ts';
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

  it.each([
    ['a flavor by no name of one', { 'flavor-id': '..' }, 'FlavorUnknown'],
    ['a port by no name of one', { 'port-id': '.' }, 'PortUnknown'],
    ['a load balancer by no name of one', { 'load-balancer-id': '..' }, 'LoadBalancerUnknown'],
    ['a class that only JavaScript knows', { class: 'constructor' }, 'ClassUnknown'],
    ['an address for a host name', { hostname: '10.0.0.1' }, 'AnnotationInvalid'],
    ['a host name with an empty label', { hostname: 'a..b' }, 'AnnotationInvalid'],
    ['a method of thirty thousand quotes', { 'lb-method': '"'.repeat(30_000) }, 'AnnotationUnsupported'],
  ])('is told at once what is wrong with %s', async (_, annotations, reason) => {
    const world = await new OctaviaWorld().setUp();
    world.openstack.emulator.create('networks', { name: 'other' });
    world.start();
    const service = await tenantServes(world, annotations);
    expect(reasonsOf(service)).toEqual([reason]);
    expect(service?.status?.conditions?.[0]?.message.length).toBeLessThanOrEqual(32_768);
    expect(world.steps).toEqual([]);
  });

  it('chooses nothing by annotations that the configuration forbids, and keeps what it has', async () => {
    const forbiddenAnnotations = ['load-balancer-id', 'flavor-id', 'octavia-provider'];
    const world = await new OctaviaWorld().setUp({ forbiddenAnnotations });
    world.start();
    await world.serve();
    const [id = ''] = world.lbaas.balancers.keys();
    expect(reasonsOf(await tenantServes(world, { 'load-balancer-id': id }))).toEqual(['AnnotationForbidden']);
    const key = { namespace: 'shop', name: 'web' };
    const provider = (value: string | null) => ({
      metadata: { annotations: { 'fairlead.dev/octavia-provider': value } },
    });
    await world.cluster.client.patchMerge<Service>(services, key, provider('amphora'));
    await world.run();
    expect(reasonsOf(await world.cluster.service('web'))).toEqual(['AnnotationForbidden']);
    await world.cluster.client.patchMerge<Service>(services, key, provider(null));
    const annotations = { [`${PREFIX}/flavor-id`]: 'gold', [`${PREFIX}/lb-method`]: 'SOURCE_IP' };
    await world.cluster.client.patchMerge<Service>(services, key, { metadata: { annotations } });
    await world.run();
    expect(reasonsOf(await world.cluster.service('web'))).toEqual(['AnnotationForbidden']);
    expect(world.steps).toEqual(['create-load-balancer']);
    await world.cluster.client.patchMerge<Service>(services, key, {
      metadata: { annotations: { [`${PREFIX}/flavor-id`]: null } },
    });
    await world.run();
    expect(reasonsOf(await world.cluster.service('web'))).toEqual(['Programmed']);
  });

  it('keeps no other Service waiting, nor any from going, when rules of its own are refused', async () => {
    const world = await new OctaviaWorld().setUp();
    const { emulator, project } = world.openstack;
    const group = emulator.create('security-groups', { name: 'pods' }, project);
    world.site = { ...world.site, memberSecurityGroupIds: [group], members: 'pods' };
    world.start();
    await world.serve('first');
    const { neutron } = world.openstack;
    const create = neutron.createSecurityGroupRule.bind(neutron);
    vi.spyOn(neutron, 'createSecurityGroupRule').mockImplementation(async (body, options) => {
      if (body.port_range_min !== 9090) return create(body, options);
      const text =
        '{"NeutronError":{"type":"OverQuota","message":"Quota exceeded for resources: security_group_rule"}}';
      throw new OpenStackError({ what: 'POST' }, { status: 409, headers: {}, text, retryAfterMilliseconds: undefined });
    });
    await world.cluster.putSlice('greedy', 'greedy-1', ['10.1.0.3@node-1'], { port: 9090 });
    await world.cluster.createService('greedy');
    await world.run(60);
    expect(reasonsOf(await world.cluster.service('greedy'))).toEqual(['OverQuota']);
    expect(reasonsOf(await world.serve('second'))).toEqual(['Programmed']);
    await world.cluster.deleteService('first');
    await world.run(60);
    expect(await world.cluster.service('first')).toBeUndefined();
  });
});

describe('a tenant of many ports', () => {
  it('keeps no other Service waiting for all of its rules', async () => {
    const world = await new OctaviaWorld().setUp();
    const { emulator, project, neutron } = world.openstack;
    const group = emulator.create('security-groups', { name: 'pods' }, project);
    world.site = { ...world.site, memberSecurityGroupIds: [group] };
    const create = neutron.createSecurityGroupRule.bind(neutron);
    vi.spyOn(neutron, 'createSecurityGroupRule').mockImplementation(async (body, options) => {
      await sleep(world.cluster.clock, 100);
      return create(body, options);
    });
    world.start();
    // As many as are looked at side by side.
    for (let one = 0; one < 20; one += 1) {
      const name = `greedy-${one}`;
      for (let port = 10_000 + one * 100; port % 100 < 20; port += 1) {
        await world.cluster.putSlice(name, `${name}-${port}`, [`10.1.1.${one}@node-1`], { port });
      }
      await world.cluster.createService(name);
    }
    await world.run(10);
    await world.serve('web');
    await world.run(40);
    expect(reasonsOf(await world.cluster.service('web'))).toEqual(['Programmed']);
    expect(emulator.resources('security-group-rules').length).toBeLessThan(20 * 20 * 3);
  });
});

describe('a tenant who is refused', () => {
  it('has no timeout by the words of Kuryr that the operator forbids', async () => {
    const world = await new OctaviaWorld().setUp({ forbiddenAnnotations: ['timeout-client-data'] });
    world.start();
    const service = await world.serve('web', {}, { 'openstack.org/kuryr-timeout-client-data': '60000' });
    expect(reasonsOf(service)).toEqual(['AnnotationForbidden']);
    expect(world.steps).toEqual([]);
  });

  it('has no clients of others admitted to the ports of its members', async () => {
    const world = await new OctaviaWorld().setUp();
    const { emulator, project } = world.openstack;
    const group = emulator.create('security-groups', { name: 'pods' }, project);
    world.site = { ...world.site, memberSecurityGroupIds: [group] };
    world.start();
    await world.serve('web', {}, { 'fairlead.dev/octavia-provider': 'ovn' });
    const [id = ''] = world.lbaas.balancers.keys();
    await withTenant(world);
    await world.cluster.client.create<EndpointSlice>(endpointSlices, {
      metadata: { namespace: TENANT, name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 22, protocol: 'TCP' }],
      endpoints: [{ addresses: ['10.1.0.9'], conditions: { ready: true } }],
    });
    expect(reasonsOf(await tenantServes(world, { 'load-balancer-id': id }))).toEqual(['LoadBalancerUnavailable']);
    const ports = emulator.resources('security-group-rules').map(({ port_range_min }) => port_range_min);
    expect(ports).not.toContain(22);
  });

  it('gets not the address of the gateway of a subnet for its second VIP', async () => {
    const world = await new OctaviaWorld().setUp();
    const { emulator } = world.openstack;
    const [{ gateway_ip } = {}] = emulator.resources('subnets').filter(({ ip_version }) => ip_version === 6);
    expect(textOf(gateway_ip)).not.toBe('');
    world.start();
    const ipFamilies = ['IPv4', 'IPv6'] as const;
    const spec = { ipFamilies, ipFamilyPolicy: 'RequireDualStack', loadBalancerIP: textOf(gateway_ip) } as const;
    expect(reasonsOf(await tenantServes(world, {}, spec))).toEqual(['AddressUnavailable']);
    expect(emulator.resources('ports')).toEqual([]);
  });

  it.each([['load-balancer-id'], ['member-subnet-id'], ['floating-network-id'], ['floating-subnet-id'], ['flavor-id']])(
    'is told so at once where %s is longer than OpenStack takes',
    async (annotation) => {
      const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
      world.start();
      expect(reasonsOf(await tenantServes(world, { [annotation]: 'x'.repeat(256) }))).toEqual(['AnnotationInvalid']);
      expect(world.steps).toEqual([]);
    },
  );

  it.each([['timeout-client-data'], ['timeout-member-connect'], ['connection-limit'], ['health-monitor-delay']])(
    'is told so at once where %s is more than Octavia takes',
    async (annotation) => {
      const world = await new OctaviaWorld().setUp();
      world.start();
      const annotations = { [annotation]: '999999999999', 'enable-health-monitor': 'true' };
      expect(reasonsOf(await tenantServes(world, annotations))).toEqual(['AnnotationInvalid']);
      expect(world.steps).toEqual([]);
    },
  );
});

describe('a tenant who can write KuryrLoadBalancers', () => {
  it('changes and takes down nothing of a Service of another namespace by its UID', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 60 });
    const service = await world.serve();
    const before = [world.steps, [...world.lbaas.members.values()].flat()];
    const owner = { apiVersion: 'v1', kind: 'Service', name: 'web', uid: service?.metadata.uid ?? '' };
    const spec = { type: 'LoadBalancer', schema_version: 2, ports: [], endpointSlices: [] };
    const forged = { namespace: TENANT, name: 'web', ownerReferences: [owner], finalizers: ['fairlead.dev/octavia'] };
    await withTenant(world);
    await world.cluster.client.create<KuryrLoadBalancer>(kuryrLoadBalancers, { metadata: forged, spec });
    await world.run(120);
    expect([world.steps, [...world.lbaas.members.values()].flat()]).toEqual(before);
    expect(await world.cluster.client.find(kuryrLoadBalancers, forged)).toBeUndefined();
  });

  it('has rules made in the security groups of the configuration only', async () => {
    const world = await new OctaviaWorld().setUp();
    const { emulator, project } = world.openstack;
    const [pods = '', other = ''] = ['pods', 'other'].map((name) =>
      emulator.create('security-groups', { name }, project),
    );
    world.site = { ...world.site, memberSecurityGroupIds: [pods] };
    world.start();
    await world.serve();
    world.cluster.refuse = ({ method, body }) =>
      method === 'PATCH' && body.includes('security_groups_ids') ? 503 : undefined;
    const creating = vi.spyOn(world.openstack.neutron, 'createSecurityGroupRule');
    const spec = { security_groups_ids: [other] };
    const key = { namespace: 'shop', name: 'web' };
    await world.cluster.client.patchMerge<KuryrLoadBalancer>(kuryrLoadBalancers, key, { spec });
    await world.run();
    expect(creating.mock.calls.map(([{ security_group_id }]) => security_group_id)).not.toContain(other);
    const rules = emulator.resources('security-group-rules');
    expect(new Set(rules.map(({ security_group_id }) => security_group_id))).toContain(pods);
  });
});
