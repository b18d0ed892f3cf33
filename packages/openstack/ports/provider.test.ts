import { REAL_LATENCY } from '@fairlead/sim/openstack';
import { describe, expect, it, vi } from 'vitest';
import { portsWorld as world, TAGS } from './testing/ports-world.ts';

describe('the gateways’ addresses in Neutron', () => {
  it('are ports with floating IPs, shared by Services, and gone with the last of them', async () => {
    const { cluster, agent, lead, pass, ports, floatingIps, pairs } = await world();
    await cluster.createService('web');
    const leader = lead();
    await pass(30);
    const [port] = ports();
    const [floating] = floatingIps();
    expect(port).toMatchObject({ tags: TAGS });
    expect(floating).toMatchObject({ tags: TAGS, port_id: port?.id });
    expect(await cluster.addresses('web')).toEqual([floating?.['floating_ip_address']]);
    expect((await cluster.service('web'))?.metadata.annotations).toMatchObject({
      'gateway.fairlead.dev/l2-ports': port?.id,
    });
    const [served = ''] = agent.servers.keys();
    expect(served).toMatch(/^10\.0\.0\.\d+ TCP\/80$/);
    expect(floating).toMatchObject({ fixed_ip_address: served.split(' ')[0] });
    expect(pairs()).toMatchObject([{ ip_address: served.split(' ')[0] }]);

    await cluster.createService('dns', { ports: [{ port: 53 }] });
    await pass(30);
    expect(await cluster.addresses('dns')).toEqual(await cluster.addresses('web'));
    expect(ports()).toHaveLength(1);

    await cluster.deleteService('web');
    await pass(30);
    expect(ports()).toHaveLength(1);
    await cluster.deleteService('dns');
    await pass(60);
    expect([ports(), floatingIps(), pairs()]).toEqual([[], [], []]);
    expect(await cluster.service('dns')).toBeUndefined();
    await leader.stop();
  });

  it('have no floating IP where the pool has no network for these, and may be of both families', async () => {
    const { cluster, lead, pass, floatingIps } = await world({ floatingNetwork: undefined });
    await cluster.createService('web', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] });
    const leader = lead();
    await pass(60);
    expect(await cluster.addresses('web')).toEqual([
      expect.stringMatching(/^10\.0\.0\./),
      expect.stringMatching(/^fd00::/),
    ]);
    expect(floatingIps()).toEqual([]);
    await leader.stop();
  });

  it('come and go at the same time without leaving a pair at a gateway, or a port', async () => {
    const { cluster, emulator, lead, pass, ports, floatingIps, pairs } = await world();
    emulator.behave({ latency: REAL_LATENCY });
    const leader = lead();
    for (let round = 0; round < 4; round += 1) {
      await cluster.createService(`a-${round}`);
      await cluster.createService(`b-${round}`);
      await pass(7);
      await cluster.deleteService(`a-${round}`);
      await cluster.createService(`c-${round}`);
      await pass(5);
      await cluster.deleteService(`b-${round}`);
      await pass(3);
      await cluster.deleteService(`c-${round}`);
    }
    await pass(600);
    expect([ports(), floatingIps(), pairs()]).toEqual([[], [], []]);
    expect(await cluster.service('c-3')).toBeUndefined();
    await leader.stop();
  });

  it('are found again when the answer to their creation is lost: none is made twice', async () => {
    const { cluster, emulator, lead, pass, ports, floatingIps } = await world();
    emulator.faults.next({ method: 'POST', kind: 'ports' }, { kind: 'lose-response' });
    await cluster.createService('web');
    const leader = lead();
    await pass(120);
    expect(await cluster.addresses('web')).toHaveLength(1);
    expect([ports().length, floatingIps().length]).toEqual([1, 1]);
    await leader.stop();
  });

  it('are waited for with a condition that names the quota, while other Services go on', async () => {
    const { cluster, lead, pass, messageOn, setQuota, ports, floatingIps } = await world();
    await cluster.createService('web');
    const leader = lead();
    await pass(30);
    setQuota({ floatingip: 1 });
    await cluster.createService('shop');
    await pass(30);
    expect(await messageOn('shop')).toMatch(/one more cannot be made yet: .*OverQuota/);
    await cluster.createService('dns', { ports: [{ port: 53 }] });
    await pass(30);
    expect(await cluster.addresses('dns')).toEqual(await cluster.addresses('web'));
    const writes = cluster.writes.length;
    await pass(600);
    expect(cluster.writes.length).toBe(writes);
    expect(ports()).toHaveLength(2);
    setQuota({ floatingip: 2 });
    await pass(600);
    expect(await cluster.addresses('shop')).toHaveLength(1);
    expect([ports().length, floatingIps().length]).toEqual([2, 2]);
    await leader.stop();
  });

  it('are not shown without the floating IP that they are to have, also by a new leader', async () => {
    const { cluster, lead, pass, setQuota, ports, floatingIps } = await world();
    setQuota({ floatingip: 0 });
    await cluster.createService('web');
    const first = lead();
    await pass(30);
    await first.stop();
    const second = lead();
    await pass(60);
    expect(await cluster.addresses('web')).toEqual([]);
    setQuota({ floatingip: 1 });
    await pass(600);
    expect(await cluster.addresses('web')).toEqual(floatingIps().map((one) => one['floating_ip_address']));
    expect(ports()).toHaveLength(1);
    await second.stop();
  });

  it('that were begun are given back when no Service waits for them any more', async () => {
    const { cluster, lead, pass, setQuota, ports } = await world();
    setQuota({ floatingip: 0 });
    await cluster.createService('web');
    const leader = lead();
    await pass(30);
    expect(ports()).toHaveLength(1);
    await cluster.deleteService('web');
    await pass(600);
    expect(ports()).toEqual([]);
    await leader.stop();
  });

  it.each([
    [
      { network: 'nowhere' },
      'there is no network "nowhere": put another name or id into openstack.network of the pool web',
    ],
    [{ subnets: ['nowhere'] }, 'the network "nodes" has no subnet "nowhere": put another name or id into'],
    [{ floatingNetwork: 'nodes' }, 'the network "nodes" is not external: put another into openstack.floatingNetwork'],
    [{ securityGroups: ['nowhere'] }, 'there is no security group "nowhere": put another name or id into'],
    [{ gatewayPorts: ['nowhere'] }, "there is no port nowhere: put the id of each gateway's port into"],
  ])('say what to change where the pool has %j', async (change, message) => {
    const { cluster, lead, pass, messageOn } = await world(change);
    await cluster.createService('web');
    const leader = lead();
    await pass(30);
    expect(await messageOn('web')).toContain(message);
    await leader.stop();
  });

  it('are listed, and asked about, without a write', async () => {
    const { cluster, configured, look, lead, pass, emulator, neutronWrites } = await world();
    await cluster.createService('web');
    const leader = lead();
    await pass(30);
    await leader.stop();
    await cluster.createService('shop');
    emulator.log.clear();
    const subject = { kind: 'service', namespace: 'shop', name: 'shop' } as const;
    const [explanation, { changes }] = await Promise.all([configured.explain(look, subject), configured.plan(look)]);
    expect(explanation?.waitsFor).toContain('an address that the cloud makes');
    expect(changes).toContainEqual(
      expect.objectContaining({ subject: 'Service shop/web', action: 'adopt', writes: 0 }),
    );
    expect(neutronWrites()).toEqual([]);
  });

  it('that are as they should be cause no write, also after a restart', async () => {
    const { cluster, emulator, neutronWrites, lead, pass } = await world();
    await cluster.createService('web');
    await cluster.createService('shop');
    const first = lead();
    await pass(60);
    emulator.log.clear();
    await pass(600);
    await first.stop();
    const second = lead();
    await pass(600);
    expect(neutronWrites()).toEqual([]);
    await second.stop();
  });

  it('cost as many calls for each of 500 Services as for one: no list of all of them, and none when at rest', async () => {
    const { cluster, emulator, lead, pass, ports, floatingIps, neutronWrites } = await world({}, 22);
    emulator.behave({ addressPairLimit: 1_000 });
    const sent = vi.spyOn(emulator, 'send');
    for (let index = 0; index < 500; index += 1) await cluster.createService(`web-${index}`);
    const leader = lead();
    await pass(300);
    expect(ports()).toHaveLength(500);
    expect(floatingIps()).toHaveLength(500);
    const { log } = emulator;
    const made = [log.count('POST', 'ports'), log.count('POST', 'floatingips'), log.count('PUT', 'tags')];
    expect(made).toEqual([500, 500, 1_000]);
    const urls = sent.mock.calls.map(([{ method, url }]) => `${method} ${url}`);
    const ofAll = urls.filter(
      (url) => /^GET .*\/(?:ports|floatingips)(?:\?|$)/.test(url) && !/[?&](?:port_)?id=/.test(url),
    );
    expect(ofAll.length).toBeLessThan(10);
    expect(urls.length / 500).toBeLessThan(16);
    const before = neutronWrites().length;
    await pass(600);
    expect(neutronWrites().length).toBe(before);
    await leader.stop();
  }, 180_000);

  it('are not made or given back by one whose Lease may end before the call does', async () => {
    const { cluster, neutronWrites, lead, pass } = await world();
    await cluster.createService('web');
    const leader = lead();
    leader.mayWrite = false;
    await pass(60);
    expect(neutronWrites()).toEqual([]);
    leader.mayWrite = true;
    await pass(600);
    expect(await cluster.addresses('web')).toHaveLength(1);
    await leader.stop();
  });
});
