import { failure, result } from '@fairlead/control/testing';
import { AMPHORA_DURATION, type BehaviourChanges } from '@fairlead/sim/openstack';
import { describe, expect, it } from 'vitest';
import { emulated, withNetwork } from '../testing/emulated.ts';
import type { LoadBalancerRequest } from './requests.ts';

const duration = { minimum: 10_000, maximum: 10_000 };
/** A client, and where load balancers can be. Octavia is at each change for ten seconds. */
function world(octavia: BehaviourChanges['octavia'] = {}) {
  const made = emulated({ behaviour: { octavia: { duration, ...octavia } } });
  const network = withNetwork(made);
  const subnets = made.emulator.resources('subnets').map(({ id }) => (typeof id === 'string' ? id : ''));
  return { ...made, network, subnet: subnets[0] ?? '', subnet6: subnets[1] ?? '' };
}

const web = (subnet: string): LoadBalancerRequest => ({
  name: 'web',
  vip_subnet_id: subnet,
  tags: ['ours', 'a=b'],
  listeners: [
    {
      name: 'tcp',
      protocol: 'TCP',
      protocol_port: 80,
      default_pool: {
        name: 'tcp',
        protocol: 'TCP',
        lb_algorithm: 'ROUND_ROBIN',
        members: [
          { address: '10.0.0.10', protocol_port: 8080, subnet_id: subnet },
          { address: '10.0.0.11', protocol_port: 8080, subnet_id: subnet },
        ],
        healthmonitor: { type: 'TCP', delay: 5, timeout: 3, max_retries: 2 },
      },
    },
    { name: 'udp', protocol: 'UDP', protocol_port: 80, default_pool: { name: 'udp' } },
  ],
  pools: [{ name: 'udp', protocol: 'UDP', lb_algorithm: 'SOURCE_IP' }],
});

describe('OctaviaClient', () => {
  it('creates a load balancer with all that is below it in one call', async () => {
    const { clock, octavia, subnet, subnet6, emulator } = world();
    const body = { ...web(subnet), additional_vips: [{ subnet_id: subnet6 }] };
    const made = await result(clock, octavia.createLoadBalancer(body));
    expect(made).toMatchObject({ provisioning_status: 'PENDING_CREATE', provider: 'amphora', tags: ['ours', 'a=b'] });
    expect(made.additional_vips).toEqual([expect.objectContaining({ subnet_id: subnet6, port_id: made.vip_port_id })]);
    expect(made.listeners.map(({ name, default_pool_id }) => [name, default_pool_id])).toEqual([
      ['tcp', made.pools.find(({ name }) => name === 'tcp')?.id],
      ['udp', made.pools.find(({ name }) => name === 'udp')?.id],
    ]);
    const [pool] = made.pools.filter(({ members }) => members.length > 0);
    expect(pool?.members.map(({ address }) => address)).toEqual(['10.0.0.10', '10.0.0.11']);
    expect(pool?.healthmonitor).toMatchObject({ type: 'TCP', max_retries_down: 3 });
    expect(emulator.log.count('POST', 'loadbalancers')).toBe(1);
    await clock.advance(10_000);
    expect(await result(clock, octavia.findLoadBalancer(made.id))).toMatchObject({ provisioning_status: 'ACTIVE' });
    const tree = await result(clock, octavia.loadBalancerStatus(made.id));
    expect(tree.listeners[0]?.pools[0]?.members[0]).toMatchObject({ operating_status: 'ONLINE', protocol_port: 8080 });
  });

  it('finds load balancers by all of their tags, by name and by the port of their VIP', async () => {
    const { clock, octavia, subnet } = world();
    const { id, vip_port_id } = await result(clock, octavia.createLoadBalancer(web(subnet)));
    const found = async (filter: Record<string, string>) =>
      (await result(clock, octavia.listLoadBalancers(filter))).map((one) => one.id);
    expect(await found({ tags: 'ours,a=b' })).toEqual([id]);
    expect(await found({ tags: 'ours,others' })).toEqual([]);
    expect(await found({ 'tags-any': 'ours,others' })).toEqual([id]);
    expect(await found({ name: 'web', vip_port_id: vip_port_id ?? '' })).toEqual([id]);
    expect(await found({ name: 'db' })).toEqual([]);
  });

  it('says that nothing can be written while Octavia is at a change', async () => {
    const { clock, octavia, subnet } = world();
    const { id, pools } = await result(clock, octavia.createLoadBalancer(web(subnet)));
    const problem = { problem: 'immutable', verdict: 'retriable', status: 409 };
    expect(await failure(clock, octavia.updateLoadBalancer(id, { name: 'x' }))).toMatchObject(problem);
    expect(await failure(clock, octavia.deleteLoadBalancer(id))).toMatchObject(problem);
    expect(await failure(clock, octavia.setMembers(pools[0]?.id ?? '', []))).toMatchObject(problem);
  });

  it('makes the members of a pool what is asked for, in one call, and leaves others only when told to', async () => {
    const { clock, octavia, subnet, emulator } = world();
    const { pools } = await result(clock, octavia.createLoadBalancer(web(subnet)));
    const pool = pools.find(({ name }) => name === 'tcp')?.id ?? '';
    await clock.advance(10_000);
    const before = await result(clock, octavia.listMembers(pool));
    const member = (last: number) => ({ address: `10.0.0.${last}`, protocol_port: 8080, subnet_id: subnet });
    await result(clock, octavia.setMembers(pool, [member(11), member(12)]));
    await clock.advance(10_000);
    const after = await result(clock, octavia.listMembers(pool));
    expect(after.map(({ address }) => address).toSorted()).toEqual(['10.0.0.11', '10.0.0.12']);
    const idOf = (members: typeof before) => members.find(({ address }) => address === '10.0.0.11')?.id;
    expect(idOf(after)).toBe(idOf(before));
    await result(clock, octavia.setMembers(pool, [member(13)], { additiveOnly: true }));
    await clock.advance(10_000);
    expect(await result(clock, octavia.listMembers(pool))).toHaveLength(3);
    expect(emulator.log.count('PUT', 'members')).toBe(2);
  });

  it('deletes a load balancer with all that is below it, and takes one that is gone for deleted', async () => {
    const { clock, octavia, subnet, emulator } = world();
    const { id } = await result(clock, octavia.createLoadBalancer(web(subnet)));
    await clock.advance(10_000);
    await result(clock, octavia.deleteLoadBalancer(id));
    expect(await result(clock, octavia.findLoadBalancer(id))).toMatchObject({ provisioning_status: 'PENDING_DELETE' });
    await clock.advance(10_000);
    expect(await result(clock, octavia.findLoadBalancer(id))).toBeUndefined();
    await result(clock, octavia.deleteLoadBalancer(id));
    expect(await result(clock, octavia.listPools())).toEqual([]);
    expect(emulator.resources('ports')).toEqual([]);
  });

  it('builds a load balancer piece by piece, where the provider wants it so', async () => {
    const { clock, octavia, subnet } = world();
    const settle = async <Made>(made: Promise<Made>): Promise<Made> => {
      const value = await result(clock, made);
      await clock.advance(10_000);
      return value;
    };
    const { id } = await settle(octavia.createLoadBalancer({ name: 'web', vip_subnet_id: subnet, provider: 'ovn' }));
    const listener = await settle(
      octavia.createListener({ loadbalancer_id: id, protocol: 'TCP', protocol_port: 80, name: 'tcp' }),
    );
    const pool = await settle(
      octavia.createPool({ listener_id: listener.id, protocol: 'TCP', lb_algorithm: 'SOURCE_IP_PORT' }),
    );
    const member = await settle(octavia.createMember(pool.id, { address: '10.0.0.10', protocol_port: 80 }));
    const monitor = await settle(
      octavia.createHealthMonitor({ pool_id: pool.id, type: 'TCP', delay: 5, timeout: 3, max_retries: 2 }),
    );
    await settle(octavia.updateListener(listener.id, { connection_limit: 100 }));
    await settle(octavia.updatePool(pool.id, { name: 'web' }));
    await settle(octavia.updateMember(pool.id, member.id, { weight: 7 }));
    await settle(octavia.updateHealthMonitor(monitor.id, { delay: 9 }));
    expect(await result(clock, octavia.findListener(listener.id))).toMatchObject({
      connection_limit: 100,
      default_pool_id: pool.id,
      loadbalancers: [{ id }],
    });
    expect(await result(clock, octavia.findPool(pool.id))).toMatchObject({ name: 'web', healthmonitor_id: monitor.id });
    expect(await result(clock, octavia.listMembers(pool.id))).toMatchObject([{ weight: 7 }]);
    expect(await result(clock, octavia.findHealthMonitor(monitor.id))).toMatchObject({ delay: 9 });
    await settle(octavia.deleteHealthMonitor(monitor.id));
    await settle(octavia.deleteMember(pool.id, member.id));
    await settle(octavia.deletePool(pool.id));
    await settle(octavia.deleteListener(listener.id));
    expect(await result(clock, octavia.findLoadBalancer(id))).toMatchObject({ listeners: [], pools: [] });
    expect(await result(clock, octavia.listHealthMonitors())).toEqual([]);
  });

  it('never creates twice: a creation whose answer is lost is not repeated', async () => {
    const { clock, octavia, subnet, emulator } = world();
    emulator.faults.next({ method: 'POST', kind: 'loadbalancers' }, { kind: 'lose-response' });
    expect(await failure(clock, octavia.createLoadBalancer(web(subnet)))).toMatchObject({ verdict: 'retriable' });
    expect(emulator.octaviaResources('loadbalancers')).toHaveLength(1);
  });

  it.each([
    ['quota', 'retriable', { project_quota: 0 }],
    ['invalid', 'terminal', { provider: 'bogus' }],
    ['unsupported', 'terminal', { provider: 'ovn' }],
  ] as const)(
    'calls a refusal by its name: %s',
    async (problem, verdict, {
      project_quota,
      ...more
    }: {
      readonly project_quota?: number;
      readonly provider?: string;
    }) => {
      const { clock, octavia, subnet, emulator, project } = world();
      if (project_quota !== undefined) {
        const body = { quota: { load_balancer: project_quota } };
        emulator.byHand({ method: 'PUT', path: `/lbaas/quotas/${project.id}`, body });
      }
      const refused = octavia.createLoadBalancer({ ...web(subnet), ...more });
      expect(await failure(clock, refused)).toMatchObject({ problem, verdict });
    },
  );

  it('tells a pool that is not there from a path that leads nowhere', async () => {
    const { clock, octavia, session } = world();
    expect(await failure(clock, octavia.setMembers('gone', []))).toMatchObject({ problem: 'not-found', status: 404 });
    const call = { verb: 'GET', kind: 'nothing', subject: '', method: 'GET', path: 'lbaas/nothing' } as const;
    expect(await failure(clock, session.send('load-balancer', 'v2', call))).toMatchObject({
      problem: 'unexpected-answer',
    });
  });

  it('knows what this Octavia can do, its providers, flavors and quotas', async () => {
    const { clock, octavia, emulator, project } = world({ minorVersion: 12 });
    expect(await result(clock, octavia.features())).toContain('allowed-cidrs');
    expect(await result(clock, octavia.features())).not.toContain('sctp');
    expect((await result(clock, octavia.listProviders())).map(({ name }) => name)).toEqual(['amphora', 'ovn']);
    emulator.byHand({ method: 'POST', path: '/lbaas/flavors', body: { flavor: { name: 'large' } } });
    const [flavor] = await result(clock, octavia.listFlavors({ name: 'large' }));
    expect(await result(clock, octavia.findFlavor(flavor?.id ?? ''))).toEqual(flavor);
    expect(await result(clock, octavia.findFlavor('gone'))).toBeUndefined();
    expect(await result(clock, octavia.quota(project.id))).toMatchObject({ load_balancer: -1, member: -1 });
    expect(await failure(clock, octavia.flavorCapabilities('amphora'))).toMatchObject({ problem: 'forbidden' });
    expect(await failure(clock, octavia.failoverLoadBalancer('gone'))).toMatchObject({ problem: 'not-found' });
  });

  it('waits as long as amphorae take', async () => {
    const { clock, octavia, subnet } = world({ duration: AMPHORA_DURATION });
    const { id } = await result(clock, octavia.createLoadBalancer(web(subnet)));
    await clock.advance(1_999);
    expect(await result(clock, octavia.findLoadBalancer(id))).toMatchObject({ provisioning_status: 'PENDING_CREATE' });
    await clock.advance(58_001);
    expect(await result(clock, octavia.findLoadBalancer(id))).toMatchObject({ provisioning_status: 'ACTIVE' });
  });
});
