import { sleep } from '@fairlead/control';
import { type Service, services } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it, vi } from 'vitest';
import { OctaviaWorld } from './testing/octavia-world.ts';

const SHARES = 'loadbalancer.openstack.org/load-balancer-id';
const addressOf = (service: Service | undefined) => service?.status?.loadBalancer?.ingress?.[0]?.ip;

/** Three Services on the load balancer of the first of them, and what it is made of. */
async function threeSharers() {
  const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
  world.start({ comparisonIntervalSeconds: 0 });
  const address = addressOf(await world.serve('first'));
  const [id = '', balancer] = [...world.lbaas.balancers][0] ?? [];
  await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }, { [SHARES]: id });
  await world.serve('third', { ports: [{ port: 82, targetPort: 8080 }] }, { [SHARES]: id });
  return { world, address, id, portId: balancer?.vip_port_id ?? '' };
}

const LEAVES: Readonly<Record<string, (world: OctaviaWorld, name: string) => Promise<unknown>>> = {
  'is deleted': (world, name) => world.cluster.deleteService(name),
  'asks for its own': (world, name) => ask(world, name, null),
  'asks for that of a user': async (world, name) => {
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'by-hand', vip_port_id: 'theirs' } });
    const [id = ''] = [...world.lbaas.balancers.values()].flatMap((one) => (one.name === 'by-hand' ? [one.id] : []));
    await ask(world, name, id);
  },
};

function ask(world: OctaviaWorld, name: string, id: string | null): Promise<unknown> {
  const metadata = { annotations: { [SHARES]: id } };
  return world.cluster.client.patchMerge<Service>(services, { namespace: NAMESPACE, name }, { metadata });
}

/** The heir leaves when something was handed to it, and before the next thing is; its name, and that of who is left. */
function leavingAfter(world: OctaviaWorld, handed: string, leave: (typeof LEAVES)[string]) {
  const { neutron } = world.openstack;
  const { clock } = world.cluster;
  const who = { heir: '', survivor: '' };
  const left = async (kind: string, { description = '' }: { readonly description?: string }) => {
    if (who.heir !== '' || kind !== handed) return;
    who.heir = description.endsWith('second') ? 'second' : 'third';
    who.survivor = who.heir === 'second' ? 'third' : 'second';
    await leave(world, who.heir);
    await sleep(clock, 5_000);
  };
  const [updateFloatingIp, updatePort] = [neutron.updateFloatingIp.bind(neutron), neutron.updatePort.bind(neutron)];
  vi.spyOn(neutron, 'updateFloatingIp').mockImplementation(async (id, changes, options) => {
    const updated = await updateFloatingIp(id, changes, options);
    await left('the floating IP', changes);
    return updated;
  });
  vi.spyOn(neutron, 'updatePort').mockImplementation(async (id, changes, options) => {
    const updated = await updatePort(id, changes, options);
    await left('the port of the VIP', changes);
    return updated;
  });
  return who;
}

const CASES = ['the floating IP', 'the port of the VIP'].flatMap((handed) =>
  Object.entries(LEAVES).map(([how, leave]) => ({ handed, how, leave })),
);

describe('a load balancer of three that share it', () => {
  it.each(CASES)(
    'keeps its address for the third when the heir $how between getting $handed and the rest from the first',
    async ({ handed, leave }) => {
      const { world, address, id, portId } = await threeSharers();
      const { emulator } = world.openstack;
      const who = leavingAfter(world, handed, leave);
      await world.cluster.deleteService('first');
      await world.run(120);
      const marked = expect.stringContaining(`Service shop/${who.survivor}`);
      expect(await world.cluster.service('first')).toBeUndefined();
      expect(world.lbaas.balancers.get(id)).toMatchObject({ vip_port_id: portId, description: marked });
      const ports = emulator.resources('ports').filter(({ name }) => JSON.stringify(name).startsWith('"fairlead'));
      expect(ports.filter((port) => port['id'] === portId)).toMatchObject([{ description: marked }]);
      const floatingIps = emulator.resources('floatingips');
      expect(floatingIps.filter((one) => one['port_id'] === portId)).toMatchObject([
        { floating_ip_address: address, description: marked },
      ]);
      expect(addressOf(await world.cluster.service(who.survivor))).toBe(address);
      // And nothing is left over: one of each for every load balancer that we made.
      const made = [...world.lbaas.balancers.values()].filter(({ name }) => name.startsWith(NAMESPACE)).length;
      expect([ports.length, floatingIps.length]).toEqual([made, made]);
    },
  );
});

describe('a floating IP that passes to another', () => {
  it('is kept when that one leaves, if it asks for that', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 0 });
    const address = addressOf(await world.serve('first'));
    const [id = ''] = world.lbaas.balancers.keys();
    const annotations = { [SHARES]: id, 'loadbalancer.openstack.org/keep-floatingip': 'true' };
    await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }, annotations);
    for (const name of ['first', 'second']) {
      await world.cluster.deleteService(name);
      await world.run(30);
    }
    expect(world.lbaas.balancers.size).toBe(0);
    expect(world.openstack.emulator.resources('floatingips')).toMatchObject([
      { floating_ip_address: address, description: '', port_id: null },
    ]);
  });
});

describe('a load balancer on the port of a user', () => {
  it('passes with its floating IP, which is not found by the port later, from one that goes elsewhere', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    const { emulator, project } = world.openstack;
    const portId = emulator.create('ports', { network_id: world.site.vipSubnets.IPv4?.network_id ?? '' }, project);
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('first', {}, { 'loadbalancer.openstack.org/port-id': portId });
    const [id = ''] = world.lbaas.balancers.keys();
    await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }, { [SHARES]: id });
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'by-hand', vip_port_id: 'theirs' } });
    const [, other = ''] = world.lbaas.balancers.keys();
    const annotations = { [SHARES]: other, 'loadbalancer.openstack.org/port-id': null };
    const first = { namespace: NAMESPACE, name: 'first' };
    await world.cluster.client.patchMerge<Service>(services, first, { metadata: { annotations } });
    await world.run(60);
    const marked = expect.stringContaining('Service shop/second');
    expect(world.lbaas.balancers.get(id)).toMatchObject({ description: marked });
    expect(emulator.resources('floatingips')).toMatchObject([{ port_id: portId, description: marked }]);
  });
});

describe('a load balancer that goes', () => {
  it('has its floating IP until then: another may come to share it before', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('first');
    const { neutron, emulator } = world.openstack;
    const left: number[] = [];
    const deleteFloatingIp = neutron.deleteFloatingIp.bind(neutron);
    vi.spyOn(neutron, 'deleteFloatingIp').mockImplementation((...call) => {
      left.push(world.lbaas.balancers.size);
      return deleteFloatingIp(...call);
    });
    await world.cluster.deleteService('first');
    await world.run(30);
    expect([left, emulator.resources('floatingips')]).toEqual([[0], []]);
  });
});

describe('the floating IP of an heir that moves on to another load balancer', () => {
  it.each([
    ['goes', {}, []],
    [
      'is the user’s from then on, where it is to be kept,',
      { 'loadbalancer.openstack.org/keep-floatingip': 'true' },
      [{ description: '', port_id: null }],
    ],
  ])('%s with the load balancer that it inherited', async (_, kept, left) => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('first');
    const [id = ''] = world.lbaas.balancers.keys();
    await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }, { [SHARES]: id, ...kept });
    await world.cluster.deleteService('first');
    await world.run(30);
    expect(world.openstack.emulator.resources('floatingips')).toMatchObject([
      { description: expect.stringContaining('shop/second') },
    ]);
    await LEAVES['asks for that of a user']?.(world, 'second');
    await world.run(60);
    expect([...world.lbaas.balancers.values()].map(({ name }) => name)).toEqual(['by-hand']);
    expect(world.openstack.emulator.resources('floatingips')).toMatchObject(left);
    expect(world.openstack.emulator.resources('floatingips')).toHaveLength(left.length);
  });

  it('goes with the load balancer that it was to inherit, though Octavia is at a change of the other', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('first');
    const [id = ''] = world.lbaas.balancers.keys();
    await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }, { [SHARES]: id });
    leavingAfter(world, 'the floating IP', async (_, name) => {
      world.lbaas.status = 'PENDING_UPDATE';
      await LEAVES['asks for that of a user']?.(world, name);
    });
    await world.cluster.deleteService('first');
    await world.run(120);
    expect(await world.cluster.service('first')).toBeUndefined();
    const [other = ''] = world.lbaas.balancers.keys();
    world.lbaas.setStatus(other, 'ACTIVE');
    await world.run(120);
    expect([...world.lbaas.balancers.keys()]).toEqual([other]);
    expect(world.openstack.emulator.resources('floatingips')).toEqual([]);
  });
});
