import { describe, expect, it } from 'vitest';
import { idOf, portsWorld, TAGS } from './testing/ports-world.ts';

describe('addresses that another program takes away', () => {
  it.each(['the port', 'its floating IP', 'its tags', 'the pair'] as const)(
    'come back within minutes when another program took %s away',
    async (what) => {
      const { cluster, emulator, project, gatewayPort, lead, pass, ports, floatingIps, pairs } = await portsWorld();
      await cluster.createService('web');
      const leader = lead();
      await pass(30);
      const [port, floatingIp] = [idOf(ports()), idOf(floatingIps())];
      const byHand = { project };
      if (what === 'the port') emulator.byHand({ ...byHand, method: 'DELETE', path: `/ports/${port}` });
      if (what === 'its floating IP')
        emulator.byHand({ ...byHand, method: 'DELETE', path: `/floatingips/${floatingIp}` });
      if (what === 'its tags')
        emulator.byHand({ ...byHand, method: 'PUT', path: `/ports/${port}/tags`, body: { tags: [] } });
      const none = { port: { allowed_address_pairs: [] } };
      if (what === 'the pair') emulator.byHand({ ...byHand, method: 'PUT', path: `/ports/${gatewayPort}`, body: none });
      await pass(400);
      expect(ports()).toMatchObject([{ tags: TAGS }]);
      expect(floatingIps()).toMatchObject([{ tags: TAGS, port_id: ports()[0]?.id }]);
      expect(pairs()).toMatchObject([{ ip_address: floatingIps()[0]?.['fixed_ip_address'] }]);
      expect(await cluster.addresses('web')).toEqual([floatingIps()[0]?.['floating_ip_address']]);
      await leader.stop();
    },
  );

  it('of one family stay when another program deletes the port of the other', async () => {
    const { cluster, emulator, project, lead, pass, ports } = await portsWorld();
    await cluster.createService('web', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] });
    const leader = lead();
    await pass(60);
    const [before, gone] = await cluster.addresses('web');
    const ofOther = ports().filter((port) => JSON.stringify(port['fixed_ips']).includes('fd00::'));
    emulator.byHand({ method: 'DELETE', path: `/ports/${idOf(ofOther)}`, project });
    await pass(400);
    const after = await cluster.addresses('web');
    expect(after).toEqual([before, expect.stringMatching(/^fd00::/)]);
    expect(gone).toMatch(/^fd00::/);
    await leader.stop();
  });

  it.each([
    ['', { floatingNetwork: undefined }, true],
    [' behind another floating IP', {}, false],
  ])('are given to no other Service when Neutron gives that of a deleted port again%s', async (_, change, stays) => {
    const { cluster, emulator, project, network_id, agent, lead, pass, ports } = await portsWorld(change, 29);
    await cluster.createService('web');
    const leader = lead();
    await pass(30);
    const before = await cluster.addresses('web');
    const { fixed_ips } = ports()[0] ?? {};
    const others = [1, 2, 3].map(() => emulator.create('ports', { network_id, device_owner: 'compute:nova' }, project));
    emulator.byHand({ method: 'DELETE', path: `/ports/${idOf(ports())}`, project });
    await cluster.createService('shop');
    await pass(5);
    for (const other of others) emulator.byHand({ method: 'DELETE', path: `/ports/${other}`, project });
    await pass(60);
    const found = JSON.stringify(fixed_ips);
    expect(ports().map((port) => JSON.stringify(port['fixed_ips']) === found)).toEqual([true, false]);
    const addresses = [...(await cluster.addresses('web')), ...(await cluster.addresses('shop'))];
    expect(new Set(addresses).size).toBe(2);
    expect(addresses[0] === before[0]).toBe(stays);
    expect(agent.servers.size).toBe(2);
    await leader.stop();
  });

  it('are given to no two Services when the floating IP of a deleted port goes to the next, as a leader begins', async () => {
    const { cluster, emulator, external, project, lead, pass, ports, floatingIps } = await portsWorld();
    await cluster.createService('web');
    const first = lead();
    await pass(30);
    await first.stop();
    const [gone, ours] = [idOf(ports()), idOf(floatingIps())];
    // Neutron lists ours before it.
    const make = () => emulator.create('floatingips', { floating_network_id: external }, project);
    let made = make();
    while (made < ours) made = make();
    const named = floatingIps().find(({ id }) => id === made)?.['floating_ip_address'];
    emulator.faults.next({ method: 'POST', kind: 'ports' }, { kind: 'delay', milliseconds: 1_000 });
    await cluster.createService('shop');
    const second = lead({ floatingIps: [named] });
    await pass(0.5);
    emulator.byHand({ method: 'DELETE', path: `/ports/${gone}`, project });
    const seen = new Set<boolean>();
    for (let count = 0; count < 600; count += 1) {
      await pass(1);
      const addresses = [...(await cluster.addresses('web')), ...(await cluster.addresses('shop'))];
      seen.add(new Set(addresses).size < addresses.length);
    }
    expect([...seen]).toEqual([false]);
    expect(await cluster.addresses('shop')).toHaveLength(1);
    await second.stop();
  });

  it('go within minutes when a port of ours comes to light that no Service is on', async () => {
    const { cluster, emulator, project, network_id, lead, pass, ports } = await portsWorld();
    await cluster.createService('web');
    const leader = lead();
    await pass(30);
    const { description = null } = ports()[0] ?? {};
    emulator.create('ports', { network_id, description }, project);
    await pass(60);
    expect(ports()).toHaveLength(2);
    await pass(400);
    expect(ports()).toHaveLength(1);
    await leader.stop();
  });

  it('are made anew when another program deletes a port that was begun', async () => {
    const { cluster, emulator, project, lead, pass, ports, setQuota } = await portsWorld();
    setQuota({ floatingip: 0 });
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    emulator.byHand({ method: 'DELETE', path: `/ports/${idOf(ports())}`, project });
    setQuota({ floatingip: -1 });
    await pass(120);
    expect(await cluster.addresses('web')).toHaveLength(1);
    await leader.stop();
  });
});
