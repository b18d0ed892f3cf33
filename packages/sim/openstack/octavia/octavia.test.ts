import { seededRandom, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { type JsonObject, textOf, valueAt } from '../../json.ts';
import type { BehaviourChanges } from '../behaviour.ts';
import { OpenStackEmulator } from '../emulator.ts';

const duration = { minimum: 10_000, maximum: 10_000 };

/** A project with a network, in which Octavia is at each change for ten seconds. */
function cloud(octavia: BehaviourChanges['octavia'] = {}) {
  const clock = new VirtualClock();
  const emulator = new OpenStackEmulator({
    clock,
    random: seededRandom(1),
    behaviour: { octavia: { duration, ...octavia } },
  });
  const project = emulator.identity.addProject('demo');
  const network_id = emulator.create('networks', { name: 'nodes' }, project);
  const subnet = emulator.create('subnets', { network_id, ip_version: 4, cidr: '10.0.0.0/24' }, project);
  const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body: JsonObject = {}) =>
    emulator.byHand({ method, path: `/lbaas${path}`, body, project });
  const create = (fields: JsonObject = {}) => {
    const loadbalancer = { name: 'web', vip_subnet_id: subnet, ...fields };
    return textOf(valueAt(call('POST', '/loadbalancers', { loadbalancer }), 'loadbalancer', 'id'));
  };
  const statusOf = (id: string) => valueAt(call('GET', `/loadbalancers/${id}`), 'loadbalancer', 'provisioning_status');
  return { clock, emulator, project, subnet, call, create, statusOf };
}

const withPool = (provider: string): JsonObject => ({
  provider,
  listeners: [
    {
      name: 'tcp',
      protocol: 'TCP',
      protocol_port: 80,
      default_pool: {
        name: 'tcp',
        protocol: 'TCP',
        lb_algorithm: 'SOURCE_IP_PORT',
        members: [{ address: '10.0.0.9', protocol_port: 80 }],
      },
    },
  ],
});

describe('the simulated Octavia', () => {
  it('is at a change as long as it is told to, an hour if need be', async () => {
    const { clock, emulator, create, statusOf, call } = cloud();
    const id = create();
    await clock.advance(9_999);
    expect(statusOf(id)).toBe('PENDING_CREATE');
    await clock.advance(1);
    expect(statusOf(id)).toBe('ACTIVE');
    emulator.behave({ octavia: { duration: { minimum: 3_600_000, maximum: 3_600_000 } } });
    call('PUT', `/loadbalancers/${id}`, { loadbalancer: { name: 'db' } });
    await clock.advance(3_599_999);
    expect(statusOf(id)).toBe('PENDING_UPDATE');
  });

  it('leaves a load balancer in ERROR when it fails, which then can only be deleted', async () => {
    const { clock, emulator, create, statusOf, call } = cloud();
    emulator.failNextChanges();
    const id = create();
    await clock.advance(10_000);
    expect(statusOf(id)).toBe('ERROR');
    expect(() => call('PUT', `/loadbalancers/${id}`, { loadbalancer: { name: 'db' } })).toThrowError(
      /Invalid state ERROR/,
    );
    call('DELETE', `/loadbalancers/${id}?cascade=true`);
    await clock.advance(10_000);
    expect(emulator.octaviaResources('loadbalancers')).toEqual([]);
    expect(emulator.resources('ports')).toEqual([]);
  });

  it('leaves a member in ERROR when it fails at a batch, and the load balancer as it was', async () => {
    const { clock, emulator, create, statusOf, call } = cloud();
    const id = create(withPool('amphora'));
    await clock.advance(10_000);
    const pool = textOf(emulator.octaviaResources('pools')[0]?.['id']);
    emulator.failNextChanges();
    call('PUT', `/pools/${pool}/members`, { members: [{ address: '10.0.0.10', protocol_port: 80 }] });
    await clock.advance(10_000);
    expect(statusOf(id)).toBe('ACTIVE');
    expect(emulator.octaviaResources('members').map((member) => member['provisioning_status'])).toEqual([
      'ERROR',
      'ERROR',
    ]);
  });

  it('keeps a port that it was given, and removes the one that it made', async () => {
    const { clock, emulator, create, call, project, subnet } = cloud();
    const network_id = textOf(emulator.resources('subnets')[0]?.['network_id']);
    const vip_port_id = emulator.create('ports', { network_id, fixed_ips: [{ subnet_id: subnet }] }, project);
    const id = create({ vip_port_id, vip_subnet_id: subnet });
    await clock.advance(10_000);
    call('DELETE', `/loadbalancers/${id}`);
    await clock.advance(10_000);
    expect(emulator.resources('ports')).toMatchObject([{ id: vip_port_id, security_groups: [] }]);
  });

  it('leaves the new port of a VIP behind when it refuses what is below the load balancer', () => {
    const { emulator, create } = cloud();
    const pool = { name: 'p', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' };
    expect(() => create({ pools: [pool, pool] })).toThrowError(/must be unique/);
    expect(emulator.octaviaResources('loadbalancers')).toEqual([]);
    expect(emulator.resources('ports')).toMatchObject([{ device_owner: 'Octavia' }]);
  });

  it.each([
    [{ listeners: [{ protocol: 'HTTP', protocol_port: 80 }] }, 'HTTP protocol'],
    [{ listeners: [{ protocol: 'TCP', protocol_port: 80, allowed_cidrs: ['10.0.0.0/8'] }] }, 'allowed_cidrs option'],
    [{ pools: [{ name: 'p', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' }] }, 'ROUND_ROBIN algorithm'],
  ])('knows what OVN cannot do: %j', (fields, what) => {
    expect(() => cloud().create({ provider: 'ovn', ...fields })).toThrowError(
      `Provider 'ovn' does not support a requested option: OVN provider does not support ${what}`,
    );
  });

  it('forgets what was created together with a load balancer of OVN, as some releases do', async () => {
    const { clock, emulator, create, statusOf } = cloud();
    const id = create(withPool('ovn'));
    await clock.advance(60_000);
    expect(statusOf(id)).toBe('ACTIVE');
    const statuses = () => emulator.octaviaResources('pools').map((pool) => pool['provisioning_status']);
    expect(statuses()).toEqual(['PENDING_CREATE']);
    const complete = cloud({ ovnPopulatedCreation: 'complete' });
    complete.create(withPool('ovn'));
    await complete.clock.advance(60_000);
    expect(complete.emulator.octaviaResources('pools')).toMatchObject([{ provisioning_status: 'ACTIVE' }]);
  });

  it('has no words for what came with later versions', () => {
    const { create } = cloud({ minorVersion: 4 });
    expect(() => create({ tags: ['ours'] })).toThrowError(
      'Unknown attribute for argument load_balancer.loadbalancer: tags',
    );
    expect(create()).not.toBe('');
  });

  it('shows members that are down, where an operator looks', async () => {
    const { clock, emulator, create, call } = cloud();
    create(withPool('amphora'));
    await clock.advance(10_000);
    const status = () => emulator.octaviaResources('members').map((member) => member['operating_status']);
    emulator.setMemberHealth('10.0.0.9', false);
    expect(status()).toEqual(['NO_MONITOR']);
    const pool_id = textOf(emulator.octaviaResources('pools')[0]?.['id']);
    call('POST', '/healthmonitors', { healthmonitor: { pool_id, type: 'TCP', delay: 5, timeout: 3, max_retries: 2 } });
    await clock.advance(10_000);
    expect(status()).toEqual(['ERROR']);
    emulator.setMemberHealth('10.0.0.9', true);
    expect(status()).toEqual(['ONLINE']);
  });
});
