import { describe, expect, it } from 'vitest';
import { idOf, portsWorld, TAGS } from './testing/ports-world.ts';

type World = Awaited<ReturnType<typeof portsWorld>>;

describe('a port that a user made and the pool names', () => {
  const setUp = async () => {
    const world = await portsWorld();
    const { emulator, project, network_id, subnet_id } = world;
    const made = emulator.create('ports', { network_id, name: 'mine', fixed_ips: [{ subnet_id }] }, project);
    const mine = () => world.ports().find(({ id }) => id === made);
    return { ...world, lead: () => world.lead({ ports: [made] }), mine, asMade: mine() };
  };

  it('is given first, attached, and never changed or deleted', async () => {
    const { cluster, lead, pass, mine, asMade, ports, floatingIps, pairs } = await setUp();
    await cluster.createService('web');
    const leader = lead();
    await pass(30);
    const [{ ip_address: address } = {}] = fixedOf(asMade);
    expect(await cluster.addresses('web')).toEqual([address]);
    expect((await cluster.service('web'))?.metadata.annotations).toMatchObject({
      'gateway.fairlead.dev/l2-ports': asMade?.['id'],
    });
    expect(pairs()).toMatchObject([{ ip_address: address }]);
    await cluster.createService('shop');
    await pass(30);
    expect([ports().length, floatingIps().length]).toEqual([2, 1]);
    await cluster.deleteService('web');
    await cluster.deleteService('shop');
    await pass(60);
    expect(await cluster.service('web')).toBeUndefined();
    expect([ports(), floatingIps()]).toEqual([[asMade], []]);
    expect(mine()).toEqual(asMade);
    await cluster.createService('again');
    await pass(30);
    expect(await cluster.addresses('again')).toEqual([address]);
    await leader.stop();
  });

  it('causes no write when a leader starts, be it used or not', async () => {
    const { cluster, lead, pass, neutronWrites } = await setUp();
    const first = lead();
    await pass(30);
    await first.stop();
    const before = neutronWrites().length;
    const second = lead();
    await pass(600);
    await cluster.createService('web');
    await pass(30);
    expect(neutronWrites()).toHaveLength(before);
    await second.stop();
  });

  it('is told of where it is not there, while Services get others', async () => {
    const { cluster, lead, pass } = await portsWorld();
    await cluster.createService('web');
    const leader = lead({ ports: ['nowhere'] });
    await pass(30);
    expect(await cluster.addresses('web')).toHaveLength(1);
    expect(toldOf(leader)).toContainEqual(expect.stringContaining('openstack.ports of the pool web'));
    await leader.stop();
  });
});

describe('a floating IP that a user made and the pool names', () => {
  const setUp = async () => {
    const world = await portsWorld();
    const { emulator, external, project, floatingIps } = world;
    const made = emulator.create('floatingips', { floating_network_id: external, description: 'mine' }, project);
    const mine = () => floatingIps().find(({ id }) => id === made);
    const { floating_ip_address: shown } = mine() ?? {};
    const address = typeof shown === 'string' ? shown : '';
    return { ...world, lead: () => world.lead({ floatingIps: [address] }), made, mine, address };
  };

  it('gets a port, serves who asks for it, and is never deleted', async () => {
    const { cluster, lead, pass, ports, floatingIps, mine, address } = await setUp();
    const leader = lead();
    await pass(30);
    expect(ports()).toMatchObject([{ tags: TAGS }]);
    expect(mine()).toMatchObject({ port_id: idOf(ports()), tags: [], description: 'mine' });
    await cluster.createService('web', { loadBalancerIP: address });
    await pass(10);
    expect(await cluster.addresses('web')).toEqual([address]);
    await cluster.createService('shop');
    await pass(30);
    expect([ports().length, floatingIps().length]).toEqual([2, 2]);
    await cluster.deleteService('web');
    await cluster.deleteService('shop');
    await pass(60);
    expect(ports()).toMatchObject([{ id: mine()?.['port_id'] }]);
    expect(floatingIps()).toEqual([mine()]);
    await leader.stop();
  });

  it('if interrupted, gets one port all the same, and causes no write afterwards', async () => {
    const { cluster, emulator, lead, pass, ports, neutronWrites, address } = await setUp();
    emulator.faults.next({ method: 'PUT', kind: 'floatingips' }, { kind: 'hang' });
    const first = lead();
    await pass(10);
    await first.stop();
    emulator.faults.clear();
    expect(ports()).toHaveLength(1);
    const second = lead();
    await pass(30);
    const before = neutronWrites().length;
    await pass(600);
    await second.stop();
    await lead().stop();
    expect(neutronWrites()).toHaveLength(before);
    expect(ports()).toHaveLength(1);
    await cluster.createService('web', { loadBalancerIP: address });
    const third = lead();
    await pass(30);
    expect(await cluster.addresses('web')).toEqual([address]);
    await third.stop();
  });

  it('is left where it is when it has another port, and told of', async () => {
    const { emulator, project, network_id, subnet_id, lead, pass, cluster, ports, made, mine } = await setUp();
    const port_id = emulator.create('ports', { network_id, fixed_ips: [{ subnet_id }] }, project);
    emulator.byHand({ method: 'PUT', path: `/floatingips/${made}`, body: { floatingip: { port_id } }, project });
    await cluster.createService('web');
    const leader = lead();
    await pass(600);
    expect(mine()).toMatchObject({ port_id });
    expect(ports()).toHaveLength(2);
    expect(toldOf(leader)).toContainEqual(expect.stringContaining('openstack.floatingIps of the pool web'));
    await leader.stop();
  });
});

/** What the journal has of the pool. */
function toldOf({ journal }: ReturnType<World['lead']>): readonly string[] {
  return journal.entries('pool web').map((entry) => JSON.stringify(entry));
}

function fixedOf(port: Readonly<Record<string, unknown>> | undefined): readonly { readonly ip_address?: string }[] {
  return Array.isArray(port?.['fixed_ips']) ? port['fixed_ips'] : [];
}
