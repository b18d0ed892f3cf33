import { type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { idOf, portsWorld, TAGS } from './testing/ports-world.ts';

const FORMER = 'cah-loadbalancer.k8s.cloudandheat.com';
const MANAGED = `${FORMER}/managed`;

/** A port and a floating IP as ch-k8s-lbaas makes them, and a Service on them as it leaves it. */
async function servedBefore({ tag = MANAGED } = {}) {
  const world = await portsWorld();
  const { cluster, emulator, project, external, network_id, subnet_id, floatingIps, ports } = world;
  const description = 'Managed by cah-loadbalancer';
  const port = emulator.create('ports', { network_id, description, fixed_ips: [{ subnet_id }] }, project);
  const floating = { floating_network_id: external, port_id: port, description };
  const floatingIp = emulator.create('floatingips', floating, project);
  for (const path of [`/ports/${port}/tags`, `/floatingips/${floatingIp}/tags`])
    emulator.byHand({ method: 'PUT', path, body: { tags: [tag] }, project });
  const asMade = { ports: ports(), floatingIps: floatingIps() };
  const { floating_ip_address: shown } = floatingIps()[0] ?? {};
  const address = typeof shown === 'string' ? shown : '';
  const create = async (name: string, ip = address) => {
    await cluster.createService(name, {}, { [MANAGED]: 'true', [`${FORMER}/inbound-port`]: port });
    if (ip === '') return;
    const status = { loadBalancer: { ingress: [{ ip }] } };
    await cluster.client.patchMerge<Service>(statusOf(services), { namespace: NAMESPACE, name }, { status });
  };
  return { ...world, port, address, asMade, create };
}

describe('a port of ch-k8s-lbaas', () => {
  it('is adopted with our tags for the Service that names it, with its floating IP, and gone with it', async () => {
    const { cluster, lead, pass, port, address, ports, floatingIps, pairs, create } = await servedBefore();
    await create('web');
    const leader = lead();
    await pass(30);
    expect(await cluster.addresses('web')).toEqual([address]);
    expect((await cluster.service('web'))?.metadata.annotations).toMatchObject({
      'gateway.fairlead.dev/l2-ports': port,
    });
    const tags = expect.arrayContaining([MANAGED, ...TAGS]);
    expect(ports()).toMatchObject([{ id: port, tags }]);
    expect(floatingIps()).toMatchObject([{ port_id: port, tags }]);
    await cluster.deleteService('web');
    await pass(60);
    expect([ports(), floatingIps(), pairs()]).toEqual([[], [], []]);
    await leader.stop();
  });

  it('if interrupted, is adopted by the next leader', async () => {
    const { cluster, emulator, lead, pass, address, create, ports } = await servedBefore();
    await create('web');
    emulator.faults.next({ method: 'PUT', kind: 'tags' }, { kind: 'lose-response' });
    emulator.faults.next({ method: 'PUT', kind: 'tags' }, { kind: 'hang' }, 5);
    const first = lead();
    await pass(5);
    await first.stop();
    emulator.faults.clear();
    const second = lead();
    await pass(30);
    expect(await cluster.addresses('web')).toEqual([address]);
    expect(ports()).toHaveLength(1);
    await second.stop();
  });

  it('is counted as ours by a plan, which writes nothing', async () => {
    const { configured, look, create, neutronWrites, address } = await servedBefore();
    await create('web');
    const { changes } = await configured.plan(look);
    const change = changes.find(({ subject }) => subject === 'Service shop/web');
    expect(change?.detail).toContain(address);
    expect(neutronWrites()).toEqual([]);
  });

  it('stays as it is where no Service of ours names it', async () => {
    const { cluster, lead, pass, asMade, ports, floatingIps } = await servedBefore();
    await cluster.createService('web');
    const leader = lead();
    await pass(30);
    await cluster.deleteService('web');
    await pass(60);
    expect({ ports: ports(), floatingIps: floatingIps() }).toEqual(asMade);
    await leader.stop();
  });

  it.each([
    ['shows nothing', ''],
    ['shows another address', '203.0.112.77'],
  ])('stays as it is where the Service that names it %s: it may be that of another cluster', async (_, shown) => {
    const { cluster, lead, pass, port, asMade, ports, floatingIps, create } = await servedBefore();
    await create('web', shown);
    const leader = lead();
    await pass(30);
    expect((await cluster.service('web'))?.metadata.annotations).toMatchObject({
      'gateway.fairlead.dev/l2-ports': idOf(ports().filter(({ id }) => id !== port)),
    });
    await cluster.deleteService('web');
    await pass(60);
    expect({ ports: ports(), floatingIps: floatingIps() }).toEqual(asMade);
    await leader.stop();
  });

  it('is adopted where it has no floating IP, and the Service shows its own address', async () => {
    const { cluster, emulator, lead, pass, port, ports, floatingIps, create } = await servedBefore();
    emulator.byHand({ method: 'DELETE', path: `/floatingips/${idOf(floatingIps())}` });
    const [fixed] = z.object({ fixed_ips: z.array(z.object({ ip_address: z.string() })) }).parse(ports()[0]).fixed_ips;
    await create('web', fixed?.ip_address);
    const leader = lead();
    await pass(30);
    expect(ports()).toMatchObject([{ id: port, tags: expect.arrayContaining(TAGS) }]);
    expect(await cluster.addresses('web')).toHaveLength(1);
    await leader.stop();
  });

  it.each([['another tag'], ['fairlead-cluster=cluster-2']])(
    'is not what has the tag %s, whichever Service names it',
    async (tag) => {
      const { cluster, lead, pass, port, asMade, ports, floatingIps, create } = await servedBefore({ tag });
      await create('web');
      const leader = lead();
      await pass(30);
      expect((await cluster.service('web'))?.metadata.annotations).toMatchObject({
        'gateway.fairlead.dev/l2-ports': idOf(ports().filter(({ id }) => id !== port)),
      });
      await cluster.deleteService('web');
      await pass(60);
      expect({ ports: ports(), floatingIps: floatingIps() }).toEqual(asMade);
      await leader.stop();
    },
  );
});
