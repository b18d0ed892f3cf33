import { clusterId, silentLogger } from '@fairlead/control';
import { failure, result } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { emulated } from '../client/testing/emulated.ts';
import { NeutronAddresses } from './provider.ts';

const { signal } = new AbortController();

/** Two pools on one network, each with a gateway of its own. */
async function setUp() {
  const { clock, emulator, project, neutron } = emulated();
  const external = emulator.create('networks', { name: 'public', 'router:external': true });
  emulator.create('subnets', { network_id: external, ip_version: 4, cidr: '203.0.113.0/24' });
  const network_id = emulator.create('networks', { name: 'nodes' }, project);
  const subnet_id = emulator.create('subnets', { network_id, ip_version: 4, cidr: '10.0.0.0/24' }, project);
  const router = emulator.create('routers', { external_gateway_info: { network_id: external } }, project);
  const path = `/routers/${router}/add_router_interface`;
  emulator.byHand({ method: 'PUT', path, body: { subnet_id }, project });
  const newGateway = () => emulator.create('ports', { network_id, device_owner: 'compute:nova' }, project);
  const gateways = { web: newGateway(), shop: newGateway() };
  const poolOf = (name: 'web' | 'shop') => ({
    name,
    section: {
      network: 'nodes',
      floatingNetwork: 'public',
      gatewayPorts: [gateways[name]],
      ports: [],
      floatingIps: [],
    },
  });
  const addresses = new NeutronAddresses({
    neutron,
    cluster: clusterId('cluster-1'),
    part: 'gateway',
    pools: [poolOf('web'), poolOf('shop')],
    mayWrite: true,
    clock,
    journal: undefined,
    logger: silentLogger,
    close: async () => {},
  });
  await result(clock, addresses.list(signal));
  const create = (pool: 'web' | 'shop') => result(clock, addresses.supply.create(pool, 'IPv4', signal));
  const isIntact = () => result(clock, addresses.isIntact(signal));
  const ports = () => emulator.resources('ports').filter(({ device_owner }) => device_owner === '');
  /** The addresses that the gateway of a pool may send from. */
  const pairs = (pool: 'web' | 'shop') => {
    const found = emulator.resources('ports').find(({ id }) => id === gateways[pool])?.['allowed_address_pairs'];
    return Array.isArray(found) ? found.map((pair: { ip_address?: unknown }) => pair.ip_address) : [];
  };
  return { clock, emulator, project, network_id, subnet_id, addresses, create, isIntact, ports, pairs };
}

describe('addresses in Neutron', () => {
  it('are sent from by the gateways of their own pool, and by no others', async () => {
    const { create, pairs } = await setUp();
    const [web, shop] = [await create('web'), await create('shop')];
    const another = await create('web');
    expect(pairs('web')).toEqual([web.address, another.address]);
    expect(pairs('shop')).toEqual([shop.address]);
  });

  it('are not as they were given where another program moved a port, though its floating IP stays', async () => {
    const { emulator, project, subnet_id, create, isIntact } = await setUp();
    const { id } = await create('web');
    expect(await isIntact()).toBe(true);
    const body = { port: { fixed_ips: [{ subnet_id, ip_address: '10.0.0.200' }] } };
    emulator.byHand({ method: 'PUT', path: `/ports/${id}`, project, body });
    expect(await isIntact()).toBe(false);
  });

  it.each(['deleted', 'moved'] as const)('are no longer sent from once another program %s their port', async (how) => {
    const { emulator, project, network_id, subnet_id, create, isIntact, pairs } = await setUp();
    const [gone, kept] = [await create('web'), await create('web')];
    const path = `/ports/${gone.id}`;
    const body = { port: { fixed_ips: [{ subnet_id, ip_address: '10.0.0.200' }] } };
    if (how === 'deleted') emulator.byHand({ method: 'DELETE', path, project });
    else emulator.byHand({ method: 'PUT', path, project, body });
    const fixed_ips = [{ subnet_id, ip_address: gone.address }];
    emulator.create('ports', { network_id, fixed_ips, device_owner: 'compute:nova' }, project);
    expect(await isIntact()).toBe(false);
    expect(pairs('web')).toEqual([kept.address]);
  });

  it('that were begun and are not wanted are given back also when Neutron refuses that at first', async () => {
    const { clock, emulator, project, addresses, ports } = await setUp();
    const quota = { method: 'PUT', path: `/quotas/${project.id}`, body: { quota: { floatingip: 0 } } } as const;
    emulator.byHand(quota);
    await failure(clock, addresses.supply.create('web', 'IPv4', signal));
    expect(ports()).toHaveLength(1);
    emulator.faults.next({ method: 'DELETE', kind: 'ports' }, { kind: 'refuse', status: 409, code: 'PortInUse' });
    const abandon = () => addresses.supply.abandon(() => false, signal);
    await failure(clock, abandon());
    await result(clock, abandon());
    expect(ports()).toEqual([]);
  });
});
