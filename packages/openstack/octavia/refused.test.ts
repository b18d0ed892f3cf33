import { type Node, nodes, type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import type { Site } from './drivers/site.ts';
import { OctaviaWorld } from './testing/octavia-world.ts';

const PREFIX = 'loadbalancer.openstack.org';
const key = { namespace: NAMESPACE, name: 'web' };
const reasonsOf = (service: Service | undefined) => service?.status?.conditions?.map(({ reason }) => reason);
const membersIn = ({ lbaas }: OctaviaWorld) =>
  [...lbaas.members.values()].flat().map(({ address, protocol_port }) => `${address}:${protocol_port}`);

/** A Service whose only port has a name. */
async function named(annotations: Readonly<Record<string, string>> = {}): Promise<OctaviaWorld> {
  const world = await new OctaviaWorld().setUp();
  world.start();
  await world.cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1'], { name: 'http', port: 8080 });
  await world.cluster.createService('web', { ports: [{ name: 'http', port: 80, targetPort: 8080 }] }, annotations);
  await world.run();
  expect(membersIn(world)).toEqual(['10.1.0.1:8080']);
  return world;
}

/** Where members are the node ports of two nodes. */
async function withNodes(site: Partial<Site> = {}): Promise<OctaviaWorld> {
  const world = await new OctaviaWorld().setUp({ members: 'node-ports', ...site });
  const status = { conditions: [{ type: 'Ready', status: 'True' }] } as const;
  for (const name of ['node-1', 'node-2'])
    await world.cluster.client.patchMerge<Node>(statusOf(nodes), { name }, { status });
  world.start();
  return world;
}

describe('a Service that was served before it is refused', () => {
  it.each([
    ['gets another name', { name: 'web', port: 80 }],
    ['gets another number', { name: 'http', port: 81 }],
  ])('has its members followed, though its port %s', async (_, port) => {
    const world = await named();
    await world.cluster.editService('web', {
      metadata: { annotations: { [`${PREFIX}/speed`]: 'fast' } },
      spec: { ports: [{ ...port, targetPort: 8080 }] },
    });
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.7@node-1'], { name: port.name, port: 8080 });
    await world.run();
    expect(reasonsOf(await world.cluster.service('web'))).toEqual(['AnnotationUnknown']);
    expect(membersIn(world)).toEqual(['10.1.0.7:8080']);
    expect([...world.lbaas.listeners.values()].map(({ protocol_port }) => protocol_port)).toEqual([80]);
  });

  it('has its members followed, though what it asks for cannot be read', async () => {
    const world = await named();
    const annotations = { 'fairlead.dev/load-balancer-addresses': 'any' };
    await world.cluster.client.patchMerge<Service>(services, key, { metadata: { annotations } });
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.7@node-1'], { name: 'http', port: 8080 });
    await world.run();
    expect((await world.cluster.service('web'))?.status?.conditions).toMatchObject([{ status: 'False' }]);
    expect(membersIn(world)).toEqual(['10.1.0.7:8080']);
  });

  it.each([['octavia-members'], ['node-selector']])('does not choose its members by %s', async (forbidden) => {
    const world = await withNodes({ forbiddenAnnotations: [forbidden] });
    await world.serve();
    const before = membersIn(world);
    expect(before).toHaveLength(2);
    const annotations = { 'fairlead.dev/octavia-members': 'pods', [`${PREFIX}/node-selector`]: 'role=web' };
    const asked = Object.entries(annotations).filter(([name]) => name.endsWith(forbidden));
    await world.cluster.editService('web', { metadata: { annotations: Object.fromEntries(asked) } });
    await world.run();
    expect(reasonsOf(await world.cluster.service('web'))).toEqual(['AnnotationForbidden']);
    expect(membersIn(world)).toEqual(before);
  });

  it('keeps the nodes that it selected', async () => {
    const world = await withNodes();
    await world.cluster.client.patchMerge<Node>(nodes, { name: 'node-1' }, { metadata: { labels: { role: 'web' } } });
    await world.serve('web', {}, { [`${PREFIX}/node-selector`]: 'role=web' });
    const before = membersIn(world);
    expect(before).toHaveLength(1);
    const annotations = { [`${PREFIX}/node-selector`]: null, [`${PREFIX}/speed`]: 'fast' };
    await world.cluster.editService('web', { metadata: { annotations } });
    await world.run();
    expect(membersIn(world)).toEqual(before);
  });
});

describe('a Service is refused', () => {
  it.each([
    ['a selector of nodes that is none', { 'node-selector': 'a=b=c' }, 'AnnotationInvalid'],
    ['nodes among pods', { 'node-selector': 'role=web', 'octavia-members': 'pods' }, 'AnnotationsContradict'],
    ['a subnet of floating IPs without a network', { 'floating-subnet-id': 'some' }, 'AnnotationsContradict'],
    ['a port and a subnet for its VIP', { 'port-id': 'one', 'subnet-id': 'other' }, 'AnnotationsContradict'],
    [
      'a provider of one that it shares',
      { 'load-balancer-id': 'one', 'octavia-provider': 'ovn' },
      'AnnotationsContradict',
    ],
    ['an unknown subnet of members', { 'member-subnet-id': 'none' }, 'SubnetUnknown'],
    ['an availability zone that Octavia has not', { 'availability-zone': 'none' }, 'AvailabilityZoneUnknown'],
    [
      'such a zone, and a flavor besides',
      { 'availability-zone': 'none', 'flavor-id': 'known' },
      'AvailabilityZoneUnknown',
    ],
    ['a flavor that Octavia has not', { 'flavor-id': 'none', 'availability-zone': 'known' }, 'FlavorUnknown'],
    ['a provider that Octavia has not', { 'octavia-provider': 'none' }, 'ProviderUnknown'],
  ])('that asks for %s, and nothing is created', async (_, asked, reason) => {
    const world = await new OctaviaWorld().setUp({ members: 'node-ports' });
    world.lbaas.flavors.add('known');
    world.lbaas.availabilityZones.add('known');
    world.start();
    const annotations = Object.entries(asked).map(([name, value]) => {
      return [name.startsWith('octavia-') ? `fairlead.dev/${name}` : `${PREFIX}/${name}`, value] as const;
    });
    expect(reasonsOf(await world.serve('web', {}, Object.fromEntries(annotations)))).toEqual([reason]);
    expect([world.steps, world.openstack.emulator.resources('ports')]).toEqual([[], []]);
  });

  it('that asks for a subnet of another network, and nothing is created', async () => {
    const world = await new OctaviaWorld().setUp();
    const network = world.openstack.emulator.create('networks', { name: 'edge' }, world.openstack.project);
    world.start();
    const { id = '' } = world.site.vipSubnets.IPv4 ?? {};
    const annotations = { [`${PREFIX}/network-id`]: network, [`${PREFIX}/subnet-id`]: id };
    expect(reasonsOf(await world.serve('web', {}, annotations))).toEqual(['AnnotationsContradict']);
    expect([world.steps, world.openstack.emulator.resources('ports')]).toEqual([[], []]);
  });

  it.each([['which does not exist'], ['of another network']])(
    'that asks for a subnet of floating IPs %s, and nothing is created',
    async (which) => {
      const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
      const before = world.openstack.emulator.resources('ports');
      world.start();
      const subnet = which === 'of another network' ? (world.site.vipSubnets.IPv4?.id ?? '') : 'none';
      const service = await world.serve('web', {}, { [`${PREFIX}/floating-subnet-id`]: subnet });
      expect(reasonsOf(service)).toEqual(['SubnetUnknown']);
      expect([world.steps, world.openstack.emulator.resources('ports')]).toEqual([[], before]);
    },
  );

  it('that asks for another address than the port has which it names, and served when it asks for that', async () => {
    const world = await new OctaviaWorld().setUp();
    const { emulator, project } = world.openstack;
    const { network_id = '', id: subnet_id = '' } = world.site.vipSubnets.IPv4 ?? {};
    const fixed_ips = [{ subnet_id, ip_address: '10.0.0.77' }];
    const port = emulator.create('ports', { network_id, fixed_ips }, project);
    world.start();
    const annotations = { [`${PREFIX}/port-id`]: port };
    const refused = await world.serve('web', { loadBalancerIP: '10.0.0.78' }, annotations);
    expect(reasonsOf(refused)).toEqual(['AddressUnavailable']);
    await world.cluster.editService('web', { spec: { loadBalancerIP: '10.0.0.77' } });
    await world.run();
    expect(reasonsOf(await world.cluster.service('web'))).toEqual(['Programmed']);
  });
});
