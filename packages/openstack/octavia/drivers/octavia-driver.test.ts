import { describe, expect, it, vi } from 'vitest';
import { failure, result } from '@fairlead/control/testing';
import { emulated, withNetwork } from '../../client/testing/emulated.ts';
import { OctaviaDriver } from './octavia-driver.ts';

describe('the load balancers of Octavia', () => {
  it('are read with a few calls at a time, however many ports they have', async () => {
    const openstack = emulated();
    const { clock, octavia } = openstack;
    const pool = { name: 'web', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members: [] } as const;
    const listener = { protocol: 'TCP', protocol_port: 80, default_pool: pool } as const;
    const body = { name: 'web', vip_network_id: withNetwork(openstack), listeners: [listener] };
    const { id } = await result(clock, octavia.createLoadBalancer(body));
    const balancer = await result(clock, octavia.findLoadBalancer(id));
    const [first] = await result(clock, octavia.listPools());
    if (balancer === undefined || first === undefined) throw new TypeError('there is no load balancer');
    const pools = Array.from({ length: 1_000 }, (_, number) => ({ ...first, id: `pool-${number}` }));
    vi.spyOn(octavia, 'listPools').mockResolvedValue(pools);
    let [running, most] = [0, 0];
    vi.spyOn(octavia, 'listMembers').mockImplementation(async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return [];
    });
    const tree = await result(clock, new OctaviaDriver(octavia).tree(balancer, new AbortController().signal));
    expect([tree.members.size, most]).toEqual([1_000, 10]);
  });

  it.each([
    ['listener', ['mine'], []],
    ['pool', [], ['mine']],
  ])('are found by a %s alone that a Service has there', async (_, tags, poolTags) => {
    const openstack = emulated();
    const { clock, octavia } = openstack;
    const pool = { name: 'web', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members: [], tags: poolTags } as const;
    const listener = { protocol: 'TCP', protocol_port: 80, default_pool: pool, tags } as const;
    const body = { name: 'web', vip_network_id: withNetwork(openstack), listeners: [listener] };
    const { id } = await result(clock, octavia.createLoadBalancer(body));
    const { signal } = new AbortController();
    const found = await result(clock, new OctaviaDriver(octavia).listTaggedChildren(['mine'], signal));
    expect(found.map(({ loadbalancers }) => loadbalancers)).toEqual([[{ id }]]);
  });

  it('are found by the very tags, though Octavia takes capitals for small letters', async () => {
    const openstack = emulated();
    const { clock, octavia } = openstack;
    const pool = { name: 'web', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members: [], tags: ['a1'] } as const;
    const listener = { protocol: 'TCP', protocol_port: 80, default_pool: pool, tags: ['a1'] } as const;
    const body = { name: 'web', vip_network_id: withNetwork(openstack), listeners: [listener], tags: ['a1'] };
    await result(clock, octavia.createLoadBalancer(body));
    const [balancers, listeners, pools] = await result(
      clock,
      Promise.all([octavia.listLoadBalancers(), octavia.listListeners(), octavia.listPools()]),
    );
    vi.spyOn(octavia, 'listLoadBalancers').mockResolvedValue(balancers);
    vi.spyOn(octavia, 'listListeners').mockResolvedValue(listeners);
    vi.spyOn(octavia, 'listPools').mockResolvedValue(pools);
    const driver = new OctaviaDriver(octavia);
    const { signal } = new AbortController();
    const found = async (tag: string) => {
      const all = [...(await driver.listTagged([tag], signal)), ...(await driver.listTaggedChildren([tag], signal))];
      return all.length;
    };
    expect([await found('a1'), await found('A1')]).toEqual([3, 0]);
  });

  it('are of a provider that Octavia lists, or of any where it does not tell', async () => {
    const { clock, emulator, octavia } = emulated();
    const driver = new OctaviaDriver(octavia);
    const { signal } = new AbortController();
    const has = (name: string) => result(clock, driver.hasProvider(name, signal));
    expect([await has('amphora'), await has('none')]).toEqual([true, false]);
    emulator.faults.next({ method: 'GET', kind: 'providers' }, { kind: 'refuse', status: 403 });
    expect(await has('none')).toBe(true);
  });

  it('are in a zone that Octavia lists, or in any where it does not tell', async () => {
    const { clock, emulator, octavia } = emulated();
    emulator.behave({ octavia: { availabilityZones: ['east'] } });
    const driver = new OctaviaDriver(octavia);
    const { signal } = new AbortController();
    const has = (name: string) => result(clock, driver.hasAvailabilityZone(name, signal));
    expect([await has('east'), await has('west')]).toEqual([true, false]);
    vi.spyOn(octavia, 'listAvailabilityZones').mockResolvedValueOnce([{ name: 'east', enabled: false }]);
    expect(await has('east')).toBe(false);
    emulator.faults.next({ method: 'GET', kind: 'availabilityzones' }, { kind: 'refuse', status: 403 });
    expect(await has('west')).toBe(true);
    emulator.faults.next({ method: 'GET', kind: 'availabilityzones' }, { kind: 'refuse', status: 404 });
    expect(await failure(clock, driver.hasAvailabilityZone('west', signal))).toMatchObject({ problem: 'not-found' });
  });
});
