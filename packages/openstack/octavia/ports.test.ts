import { sleep } from '@fairlead/control';
import { namespaces, type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it, vi } from 'vitest';
import { type KuryrLoadBalancer, kuryrLoadBalancers } from './resource/types.ts';
import { OctaviaWorld } from './testing/octavia-world.ts';

/* Octavia leaves a port that it is given as it is: nothing there tells that a load balancer has it. */

const PORT = 'loadbalancer.openstack.org/port-id';

/** The reason that a Service of another namespace hears which asks for the port. */
async function askedByTenant(world: OctaviaWorld, portId: string): Promise<string | undefined> {
  const key = { namespace: 'tenant', name: 'web' };
  await world.cluster.client.create(namespaces, { metadata: { name: 'tenant' } });
  const ports = [{ port: 81, targetPort: 8080 }];
  await world.cluster.client.create<Service>(services, {
    metadata: { ...key, annotations: { [PORT]: portId } },
    spec: { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/octavia', ports },
  });
  await world.run(30);
  return (await world.cluster.client.find(services, key))?.status?.conditions?.[0]?.reason;
}

describe('a port of the user', () => {
  it('that the load balancer of a Service has is not given to another', async () => {
    const { world, portId } = await served({});
    expect([await askedByTenant(world, portId), world.lbaas.balancers.size]).toEqual(['PortUnavailable', 1]);
  });

  it.each([
    ['that a Service is served on', false],
    ['that has the floating IP of a Service whose status was emptied', true],
  ])('%s is not given to another while its load balancer is made anew', async (_, hasFloatingIps) => {
    const { world, portId } = await served({ hasFloatingIps });
    world.lbaas.refuse = ({ kind }) => (kind === 'create-load-balancer' ? new Error('not now') : undefined);
    for (const id of world.lbaas.balancers.keys()) world.lbaas.setStatus(id, 'ERROR');
    await world.run(90);
    if (hasFloatingIps) {
      const key = { namespace: NAMESPACE, name: 'web' };
      await world.cluster.client.patchMerge<KuryrLoadBalancer>(statusOf(kuryrLoadBalancers), key, { status: null });
    }
    expect([await askedByTenant(world, portId), world.lbaas.balancers.size]).toEqual(['PortUnavailable', 0]);
    world.lbaas.refuse = () => undefined;
    await world.run(300);
    expect([...world.lbaas.balancers.values()]).toMatchObject([{ vip_port_id: portId, name: `${NAMESPACE}/web` }]);
  });

  it('is not given to another who writes its id in capitals, which Neutron takes for small letters', async () => {
    const { world, portId } = await served({});
    world.lbaas.refuse = ({ kind }) => (kind === 'create-load-balancer' ? new Error('not now') : undefined);
    for (const id of world.lbaas.balancers.keys()) world.lbaas.setStatus(id, 'ERROR');
    await world.run(90);
    const { emulator } = world.openstack;
    const send = emulator.send.bind(emulator);
    const inSmall = (text: string) => text.replaceAll(portId.toUpperCase(), portId);
    vi.spyOn(emulator, 'send').mockImplementation((request) => send({ ...request, url: inSmall(request.url) }));
    expect([await askedByTenant(world, portId.toUpperCase()), world.lbaas.balancers.size]).toEqual(['PortUnknown', 0]);
  });

  it('is given to one of two that ask for it at the same moment', async () => {
    const { world, portId } = await withPort({});
    await world.cluster.client.create(namespaces, { metadata: { name: 'tenant' } });
    for (const namespace of [NAMESPACE, 'tenant']) {
      const ports = [{ port: 80, targetPort: 8080 }];
      await world.cluster.client.create<Service>(services, {
        metadata: { namespace, name: 'web', annotations: { [PORT]: portId } },
        spec: { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/octavia', ports },
      });
    }
    await world.run(30);
    const both = await Promise.all(
      [NAMESPACE, 'tenant'].map((namespace) => world.cluster.client.find(services, { namespace, name: 'web' })),
    );
    const reasons = new Set(both.map((service) => service?.status?.conditions?.[0]?.reason));
    expect(reasons).toEqual(new Set(['PortUnavailable', 'Programmed']));
    expect(world.lbaas.balancers.size).toBe(1);
  });

  it('keeps nobody waiting who asks for none, though many ask for it at the same moment', async () => {
    const { world, portId } = await withPort({}, 0);
    const perform = world.lbaas.perform.bind(world.lbaas);
    vi.spyOn(world.lbaas, 'perform').mockImplementation(async (step) => {
      if (step.kind === 'create-load-balancer' && step.body.vip_port_id === portId) {
        await sleep(world.openstack.clock, 60_000);
      }
      return perform(step);
    });
    for (let index = 0; index < 25; index += 1) await world.cluster.createService(`s${index}`, {}, { [PORT]: portId });
    await world.run(5);
    const other = await world.serve('other');
    expect(other?.status?.conditions).toMatchObject([{ reason: 'Programmed' }]);
    await world.run(120);
    const all = await Promise.all(Array.from({ length: 25 }, (_, index) => world.cluster.service(`s${index}`)));
    const reasons = all.map((service) => service?.status?.conditions?.[0]?.reason ?? '');
    const counts = [...Map.groupBy(reasons, (reason) => reason)].map(([reason, those]) => [reason, those.length]);
    expect(Object.fromEntries(counts)).toEqual({ Programmed: 1, PortUnavailable: 24 });
  });

  it('that another program has, by whatever it says so, is not taken', async () => {
    const world = await new OctaviaWorld().setUp();
    const { emulator, project } = world.openstack;
    const network_id = world.site.vipSubnets.IPv4?.network_id ?? '';
    const portId = emulator.create('ports', { network_id, device_owner: 'ovn-lb-vip:distributed' }, project);
    world.start();
    expect([await askedByTenant(world, portId), world.steps]).toEqual(['PortUnavailable', []]);
  });
});

async function withPort(how: { readonly hasFloatingIps?: boolean }, comparisonIntervalSeconds = 60) {
  const world = await new OctaviaWorld().setUp({}, how);
  const { emulator, project } = world.openstack;
  const network_id = world.site.vipSubnets.IPv4?.network_id ?? '';
  const subnet_id = world.site.vipSubnets.IPv4?.id ?? '';
  const portId = emulator.create('ports', { network_id, fixed_ips: [{ subnet_id }] }, project);
  world.start({ comparisonIntervalSeconds });
  return { world, portId };
}

/** A Service on a port of a user's. */
async function served(how: { readonly hasFloatingIps?: boolean }) {
  const { world, portId } = await withPort(how);
  await world.serve('web', {}, { [PORT]: portId });
  return { world, portId };
}
