import { FairleadError, sleep } from '@fairlead/control';
import { type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it, vi } from 'vitest';
import { type KuryrLoadBalancer, kuryrLoadBalancers } from './resource/types.ts';
import { OctaviaWorld } from './testing/octavia-world.ts';

const PREFIX = 'loadbalancer.openstack.org';
const addressOf = (service: Service | undefined) => service?.status?.loadBalancer?.ingress?.[0]?.ip;

describe('a load balancer that Services share', () => {
  it('outlives the first of them, and goes with the last', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start();
    const address = addressOf(await world.serve('first'));
    const [id = ''] = world.lbaas.balancers.keys();
    const shares = { [`${PREFIX}/load-balancer-id`]: id };
    expect(addressOf(await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }, shares))).toBe(address);
    await world.cluster.deleteService('first');
    await world.run(20);
    expect([...world.lbaas.balancers.keys()]).toEqual([id]);
    expect([...world.lbaas.listeners.values()].map(({ protocol_port }) => protocol_port)).toEqual([81]);
    expect(addressOf(await world.cluster.service('second'))).toBe(address);
    const { emulator } = world.openstack;
    const vipPort = world.lbaas.balancers.get(id)?.vip_port_id ?? '';
    const marked = expect.stringContaining('Service shop/second');
    expect(emulator.resources('floatingips')).toMatchObject([
      { floating_ip_address: address, port_id: vipPort, description: marked },
    ]);
    expect(emulator.resources('ports').find((port) => port['id'] === vipPort)).toMatchObject({ description: marked });
    await world.cluster.deleteService('second');
    await world.run(20);
    expect([world.lbaas.balancers.size, world.openstack.emulator.resources('floatingips')]).toEqual([0, []]);
    expect(
      world.openstack.emulator.resources('ports').filter(({ name }) => JSON.stringify(name).startsWith('"fairlead')),
    ).toEqual([]);
  });

  it.each([false, true])('is told as its own by the one that gets it (the answer is lost: %s)', async (isLost) => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('first');
    const [id = ''] = world.lbaas.balancers.keys();
    await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }, { [`${PREFIX}/load-balancer-id`]: id });
    expect((await world.resource('second'))?.status?.service_pub_ip_info).toMatchObject({ alloc_method: 'user' });
    const { neutron } = world.openstack;
    const update = neutron.updateFloatingIp.bind(neutron);
    vi.spyOn(neutron, 'updateFloatingIp').mockImplementation(async (...call) => {
      const updated = await update(...call);
      if (isLost) throw new FairleadError('lost', { verdict: 'retriable', code: 'connection-lost' });
      return updated;
    });
    await world.cluster.deleteService('first');
    await world.run(30);
    expect((await world.resource('second'))?.status?.service_pub_ip_info).toMatchObject({ alloc_method: 'pool' });
  });

  it('has its address told by all who share it when its owner gets another', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('first');
    const [id = ''] = world.lbaas.balancers.keys();
    await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }, { [`${PREFIX}/load-balancer-id`]: id });
    const { address } = await world.floatingIp();
    const spec = { loadBalancerIP: address };
    await world.cluster.client.patchMerge<Service>(services, { namespace: NAMESPACE, name: 'first' }, { spec });
    await world.run(30);
    const told = await Promise.all(
      ['first', 'second'].map(async (name) => addressOf(await world.cluster.service(name))),
    );
    expect(told).toEqual([address, address]);
  });

  it('costs a Service nothing of its own that asks for that again before it is taken down', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('first');
    const [id = ''] = world.lbaas.balancers.keys();
    const address = addressOf(await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }));
    const own = [...world.lbaas.balancers.keys()];
    const ask = (asked: string | null) => {
      const metadata = { annotations: { [`${PREFIX}/load-balancer-id`]: asked } };
      return world.cluster.client.patchMerge<Service>(services, { namespace: NAMESPACE, name: 'second' }, { metadata });
    };
    const { neutron, clock } = world.openstack;
    const list = neutron.listPorts.bind(neutron);
    const listing = vi.spyOn(neutron, 'listPorts').mockImplementationOnce(async (...call) => {
      const found = await list(...call);
      await ask(null);
      await sleep(clock, 5_000);
      return found;
    });
    await ask(id);
    await world.run(60);
    expect(listing).toHaveBeenCalled();
    expect([...world.lbaas.balancers.keys()]).toEqual(own);
    expect(addressOf(await world.cluster.service('second'))).toBe(address);
    const ports = [...world.lbaas.listeners.values()].map(({ protocol_port }) => protocol_port);
    expect(ports.toSorted((left, right) => left - right)).toEqual([80, 81]);
  });

  it('is told as its own by one that was being looked at while it got it', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('first');
    const [id = ''] = world.lbaas.balancers.keys();
    await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }, { [`${PREFIX}/load-balancer-id`]: id });
    const { neutron, clock } = world.openstack;
    const list = neutron.listFloatingIps.bind(neutron);
    const listing = vi.spyOn(neutron, 'listFloatingIps').mockImplementationOnce(async (...call) => {
      const found = await list(...call);
      await sleep(clock, 60_000);
      return found;
    });
    const second = { namespace: NAMESPACE, name: 'second' };
    const emptied = { status: { members: null } };
    await world.cluster.client.patchMerge<KuryrLoadBalancer>(statusOf(kuryrLoadBalancers), second, emptied);
    await world.run(5);
    expect(listing).toHaveBeenCalledOnce();
    await world.cluster.deleteService('first');
    await world.run(120);
    expect((await world.resource('second'))?.status?.service_pub_ip_info).toMatchObject({ alloc_method: 'pool' });
  });

  it('passes to none that has asked for its own again, whose old listeners are still there', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('first');
    const [id = ''] = world.lbaas.balancers.keys();
    const shares = `${PREFIX}/load-balancer-id`;
    await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }, { [shares]: id });
    world.lbaas.status = 'PENDING_CREATE';
    const second = { namespace: NAMESPACE, name: 'second' };
    await world.cluster.client.patchMerge<Service>(services, second, { metadata: { annotations: { [shares]: null } } });
    await world.run(10);
    const [own = ''] = [...world.lbaas.balancers.keys()].filter((one) => one !== id);
    expect([own === '', world.lbaas.listeners.size]).toEqual([false, 3]);
    await world.cluster.deleteService('first');
    await world.run(30);
    expect([await world.cluster.service('first'), [...world.lbaas.balancers.keys()]]).toEqual([undefined, [own]]);
    world.lbaas.setStatus(own, 'ACTIVE');
    await world.run(60);
    expect([...world.lbaas.balancers.keys()]).toEqual([own]);
    expect(world.steps.filter((kind) => kind === 'create-load-balancer')).toHaveLength(2);
    const floatingIps = world.openstack.emulator.resources('floatingips');
    expect(floatingIps.map((one) => one['floating_ip_address'])).toEqual([
      addressOf(await world.cluster.service('second')),
    ]);
  });

  it('is kept by one that asks for its own while it gets it, and makes no other beside it', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 0 });
    const address = addressOf(await world.serve('first'));
    const [id = ''] = world.lbaas.balancers.keys();
    const shares = `${PREFIX}/load-balancer-id`;
    await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }, { [shares]: id });
    const createPort = vi.spyOn(world.openstack.neutron, 'createPort');
    const perform = world.lbaas.perform.bind(world.lbaas);
    vi.spyOn(world.lbaas, 'perform').mockImplementation(async (step) => {
      if (step.kind === 'update-load-balancer') {
        const second = { namespace: NAMESPACE, name: 'second' };
        const patch = { metadata: { annotations: { [shares]: null } } };
        await world.cluster.client.patchMerge<Service>(services, second, patch);
        await sleep(world.cluster.clock, 20_000);
      }
      return perform(step);
    });
    await world.cluster.deleteService('first');
    await world.run(120);
    expect([...world.lbaas.balancers.keys()]).toEqual([id]);
    expect(world.steps.filter((kind) => kind === 'create-load-balancer')).toHaveLength(1);
    expect(createPort).not.toHaveBeenCalled();
    expect(addressOf(await world.cluster.service('second'))).toBe(address);
  });

  it.each(['update-load-balancer', 'hand-over-floating-ip', 'hand-over-vip-port'])(
    'goes with both when the second is deleted while it gets it from the first by %s',
    async (handsOver) => {
      const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
      world.start({ comparisonIntervalSeconds: 0 });
      await world.serve('first');
      const [id = ''] = world.lbaas.balancers.keys();
      await world.serve('second', { ports: [{ port: 81, targetPort: 8080 }] }, { [`${PREFIX}/load-balancer-id`]: id });
      const { emulator, neutron } = world.openstack;
      /** The call is under way for so long that the second would be gone before it is done. */
      const deleteSecond = async (kind: string) => {
        if (kind !== handsOver) return;
        await world.cluster.deleteService('second');
        await sleep(world.cluster.clock, 20_000);
      };
      const [perform, updateFloatingIp, updatePort] = [
        world.lbaas.perform.bind(world.lbaas),
        neutron.updateFloatingIp.bind(neutron),
        neutron.updatePort.bind(neutron),
      ];
      vi.spyOn(world.lbaas, 'perform').mockImplementation(async (step) => {
        await deleteSecond(step.kind);
        return perform(step);
      });
      vi.spyOn(neutron, 'updateFloatingIp').mockImplementation(async (...call) => {
        await deleteSecond('hand-over-floating-ip');
        return updateFloatingIp(...call);
      });
      vi.spyOn(neutron, 'updatePort').mockImplementation(async (...call) => {
        await deleteSecond('hand-over-vip-port');
        return updatePort(...call);
      });
      await world.cluster.deleteService('first');
      await world.run(120);
      expect([await world.cluster.service('first'), await world.cluster.service('second')]).toEqual([
        undefined,
        undefined,
      ]);
      expect([world.lbaas.balancers.size, emulator.resources('floatingips')]).toEqual([0, []]);
      const ports = emulator.resources('ports').filter(({ name }) => JSON.stringify(name).startsWith('"fairlead'));
      expect(ports).toEqual([]);
    },
  );

  it('is asked for what its own provider has, whatever the configuration names', async () => {
    const world = await new OctaviaWorld().setUp({ provider: 'amphora' });
    world.start();
    await world.serve('first', {}, { 'fairlead.dev/octavia-provider': 'ovn' });
    const [id = ''] = world.lbaas.balancers.keys();
    const shares = { [`${PREFIX}/load-balancer-id`]: id };
    const ports = [{ port: 81, targetPort: 8080 }];
    expect(addressOf(await world.serve('second', { ports }, shares))).toBeDefined();
    expect([...world.lbaas.pools.values()].map(({ lb_algorithm }) => lb_algorithm)).toEqual([
      'SOURCE_IP_PORT',
      'SOURCE_IP_PORT',
    ]);
    const limited = { ports: [{ port: 82, targetPort: 8080 }], loadBalancerSourceRanges: ['198.51.100.0/24'] };
    const refused = await world.serve('third', limited, shares);
    expect(refused?.status?.conditions).toMatchObject([{ status: 'False', reason: 'ProviderUnsupported' }]);
    expect(world.lbaas.listeners.size).toBe(2);
  });

  it('of a user stays when the last Service goes, with what the user has there', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    await world.lbaas.perform({
      kind: 'create-load-balancer',
      body: {
        name: 'by-hand',
        vip_port_id: 'theirs',
        listeners: [{ name: 'theirs', protocol: 'TCP', protocol_port: 443 }],
      },
    });
    const [id = ''] = world.lbaas.balancers.keys();
    await world.serve('web', {}, { [`${PREFIX}/load-balancer-id`]: id });
    expect(world.lbaas.listeners.size).toBe(2);
    await world.cluster.deleteService('web');
    await world.run(20);
    expect([...world.lbaas.listeners.values()].map(({ name }) => name)).toEqual(['theirs']);
    expect([world.lbaas.balancers.size, world.lbaas.pools.size]).toEqual([1, 0]);
  });
});
