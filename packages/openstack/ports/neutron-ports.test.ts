import { clusterId, Journal } from '@fairlead/control';
import { failure, result } from '@fairlead/control/testing';
import type { ScriptedFault } from '@fairlead/sim/openstack';
import { describe, expect, it } from 'vitest';
import { emulated } from '../client/testing/emulated.ts';
import { NeutronPorts } from './neutron-ports.ts';
import type { PortScope } from './pool.ts';

const CLUSTER = 'cluster-1';
const TAGS = ['fairlead-cluster=cluster-1', 'fairlead-part=gateway', 'fairlead-pool=web'];
const NONE: ReadonlySet<string> = new Set();
const { signal } = new AbortController();

/** A project with a network of both families behind a router, and a pool on it whose ports get floating IPs. */
function setUp(options: Parameters<typeof emulated>[0] = {}) {
  const world = emulated(options);
  const { clock, emulator, project, neutron } = world;
  const external = emulator.create('networks', { name: 'public', 'router:external': true });
  emulator.create('subnets', { network_id: external, ip_version: 4, cidr: '203.0.113.0/24' });
  const networkId = emulator.create('networks', { name: 'nodes' }, project);
  const subnet = (ip_version: number, cidr: string) =>
    emulator.create('subnets', { network_id: networkId, ip_version, cidr }, project);
  const subnetIds = { IPv4: subnet(4, '10.0.0.0/24'), IPv6: subnet(6, 'fd00::/64') };
  const router = emulator.create('routers', { external_gateway_info: { network_id: external } }, project);
  const body = { subnet_id: subnetIds.IPv4 };
  emulator.byHand({ method: 'PUT', path: `/routers/${router}/add_router_interface`, body, project });
  const poolWithout = { name: 'web', networkId, subnetIds };
  const pools = [{ ...poolWithout, floatingNetworkId: external }];
  /** Another process, or another cluster. */
  const portsOf = (cluster = CLUSTER, more: Partial<PortScope> = {}) => {
    const scope = { cluster: clusterId(cluster), part: 'gateway', pools, ...more };
    return new NeutronPorts({ neutron, scope, journal: new Journal(clock) });
  };
  const create = (family: 'IPv4' | 'IPv6' = 'IPv4', ports = portsOf()) =>
    result(clock, ports.createAndAssignPort('web', family, signal));
  const clean = (used: readonly string[] = [], gateways: ReadonlySet<string> = NONE, ports = portsOf()) =>
    result(clock, ports.cleanUnusedPorts(new Set(used), gateways, signal));
  /** Without the router's. */
  const portsThere = () => emulator.resources('ports').filter(({ device_owner }) => device_owner === '');
  return { ...world, networkId, external, poolWithout, portsOf, create, clean, portsThere };
}

describe('CreateAndAssignPort', () => {
  it('makes a port and a floating IP that carry our marks, and shows the floating IP', async () => {
    const { create, emulator, portsThere } = setUp();
    const own = await create();
    const [port] = portsThere();
    const [floating] = emulator.resources('floatingips');
    expect(port).toMatchObject({ tags: TAGS, description: expect.stringContaining('fairlead-cluster=cluster-1') });
    expect(floating).toMatchObject({ tags: TAGS, port_id: own.port.id, floating_ip_address: own.address });
    expect(own).toMatchObject({ pool: 'web', family: 'IPv4', fixedAddress: own.port.fixed_ips[0]?.ip_address });
    expect(emulator.log.lines().slice(1)).toEqual([
      'POST ports 201',
      `PUT tags/${own.port.id} 200`,
      'POST floatingips 201',
      `PUT tags/${own.floatingIp?.id} 200`,
    ]);
  });

  it('gives an address of the other family no floating IP', async () => {
    const { create, emulator } = setUp();
    const own = await create('IPv6');
    expect(own.address).toMatch(/^fd00::/);
    expect(emulator.resources('floatingips')).toEqual([]);
  });

  it.each(['POST ports', 'PUT tags', 'POST floatingips'])(
    'if interrupted after %s, the port is found again and completed',
    async (call) => {
      const { clock, emulator, portsOf, portsThere } = setUp();
      const [method, kind = ''] = call.split(' ');
      const match = { kind, method: method === 'PUT' ? 'PUT' : 'POST' } as const;
      // As if the process died: nothing after this call gets through.
      emulator.faults.next(match, { kind: 'lose-response' });
      emulator.faults.next({ method: 'PUT', kind: 'tags' }, { kind: 'lose-request' }, 4);
      emulator.faults.next({ method: 'POST', kind: 'floatingips' }, { kind: 'lose-request' });
      await failure(clock, portsOf().createAndAssignPort('web', 'IPv4', signal));
      emulator.faults.clear();
      const [left] = await result(clock, portsOf().list(signal));
      await result(clock, portsOf().complete(left?.port.id ?? '', signal));
      expect(portsThere()).toMatchObject([{ tags: TAGS }]);
      expect(emulator.resources('floatingips')).toMatchObject([{ tags: TAGS, port_id: left?.port.id }]);
    },
  );

  it('keeps tags of others on our port', async () => {
    const { create, clock, neutron, portsOf } = setUp();
    const { port } = await create();
    await result(clock, neutron.setPortTags(port.id, ['billing=42']));
    const again = await result(clock, portsOf().complete(port.id, signal));
    expect(again.port.tags.toSorted()).toEqual(['billing=42', ...TAGS].toSorted());
  });

  it('uses a floating IP that a user gave to our port, and leaves it the user’s', async () => {
    const { create, clock, clean, emulator, project, external, portsOf, poolWithout } = setUp();
    const without = portsOf(CLUSTER, { pools: [poolWithout] });
    const { port } = await create('IPv4', without);
    const body = { floating_network_id: external, port_id: port.id };
    const theirs = emulator.create('floatingips', body, project);
    const own = await result(clock, portsOf().complete(port.id, signal));
    expect(own.floatingIp?.id).toBe(theirs);
    await clean();
    expect(emulator.resources('floatingips')).toMatchObject([{ id: theirs, port_id: null, tags: [] }]);
  });

  it('takes no floating IP from another port', async () => {
    const { create, emulator } = setUp();
    const one = await create();
    const two = await create();
    const owners = new Set(emulator.resources('floatingips').map(({ port_id }) => port_id));
    expect(owners).toEqual(new Set([one.port.id, two.port.id]));
  });

  it('says that the quota is used up', async () => {
    const { clock, portsOf, emulator, project } = setUp();
    const quota = { port: 1 };
    emulator.byHand({ method: 'PUT', path: `/quotas/${project.id}`, body: { quota } });
    expect(await failure(clock, portsOf().createAndAssignPort('web', 'IPv4', signal))).toMatchObject({
      code: 'OverQuota',
      verdict: 'retriable',
    });
  });
});

describe('CleanUnusedPorts', () => {
  it('deletes ports that no Service is on, and their floating IPs, and no others', async () => {
    const { create, clean, emulator, networkId, project, external, portsThere } = setUp();
    const used = await create();
    await create();
    const theirs = emulator.create('ports', { network_id: networkId, name: 'theirs' }, project);
    const free = emulator.create('floatingips', { floating_network_id: external }, project);
    await clean([used.port.id]);
    expect(portsThere().map(({ id }) => id)).toEqual([used.port.id, theirs]);
    expect(emulator.resources('floatingips').map(({ id }) => id)).toEqual([used.floatingIp?.id, free]);
  });

  it('leaves alone what another cluster or part made in the same project', async () => {
    const { create, clean, portsOf, portsThere } = setUp();
    await create('IPv4', portsOf('cluster-2'));
    await create('IPv4', portsOf(CLUSTER, { part: 'octavia' }));
    await clean();
    expect(portsThere()).toHaveLength(2);
  });

  it('leaves alone a port whose tags and description name two owners', async () => {
    const { create, clean, clock, neutron, portsThere } = setUp();
    const { port } = await create();
    await result(clock, neutron.setPortTags(port.id, ['fairlead-cluster=cluster-2', 'fairlead-part=gateway']));
    await clean();
    expect(portsThere()).toHaveLength(1);
  });

  it.each<[string, ScriptedFault]>([
    ['lost', { kind: 'lose-response' }],
    ['refused', { kind: 'refuse', status: 409, code: 'PortInUse' }],
  ])('if interrupted after a deletion was %s, the next run cleans up', async (_, fault) => {
    const { create, clean, clock, emulator, portsOf, portsThere } = setUp();
    await create();
    await create();
    emulator.faults.next({ method: 'DELETE', kind: 'ports' }, fault);
    emulator.faults.next({ method: 'DELETE' }, { kind: 'lose-request' }, 4);
    await result(
      clock,
      portsOf()
        .cleanUnusedPorts(NONE, NONE, signal)
        .catch(() => undefined),
    );
    emulator.faults.clear();
    await clean();
    expect([portsThere(), emulator.resources('floatingips')]).toEqual([[], []]);
  });

  it('goes on with others when one cannot be deleted, and tells of it', async () => {
    const { create, clock, emulator, portsOf, portsThere } = setUp();
    await create();
    await create();
    emulator.faults.next({ method: 'DELETE', kind: 'ports' }, { kind: 'refuse', status: 409, code: 'PortInUse' });
    const cleaning = portsOf().cleanUnusedPorts(NONE, NONE, signal);
    expect(await failure(clock, cleaning)).toMatchObject({ code: 'PortInUse' });
    expect(portsThere()).toHaveLength(1);
  });

  it('deletes no port that another program changed since it was read', async () => {
    const { create, clock, emulator, portsOf, portsThere, project } = setUp();
    const { port } = await create();
    emulator.faults.next({ method: 'DELETE', kind: 'ports' }, { kind: 'delay', milliseconds: 1_000 });
    const cleaning = portsOf().cleanUnusedPorts(NONE, NONE, signal);
    await clock.advance(500);
    const body = { port: { device_id: 'a-server' } };
    emulator.byHand({ method: 'PUT', path: `/ports/${port.id}`, project, body });
    expect(await failure(clock, cleaning)).toMatchObject({ verdict: 'stale', code: 'RevisionNumberConstraintFailed' });
    expect(portsThere()).toHaveLength(1);
  });

  it('does nothing where nothing is to be done', async () => {
    const { create, clean, clock, emulator, portsOf } = setUp();
    const { port } = await create();
    emulator.log.clear();
    await clean([port.id]);
    await result(clock, portsOf().complete(port.id, signal));
    expect(emulator.log.writes).toEqual([]);
  });
});

describe('a list of our ports', () => {
  it('fails once, also when several of its calls do', async () => {
    const { clock, emulator, portsOf } = setUp();
    for (const kind of ['ports', 'floatingips']) {
      emulator.faults.next({ method: 'GET', kind }, { kind: 'refuse', status: 403 }, 2);
    }
    expect(await failure(clock, portsOf().list(signal))).toMatchObject({ problem: 'forbidden' });
  });
});

describe('address pairs of the gateways', () => {
  async function withGateway() {
    const world = setUp();
    const { emulator, networkId, project, create } = world;
    const gateway = emulator.create('ports', { network_id: networkId, device_owner: 'compute:nova' }, project);
    const foreign = { ip_address: '10.0.0.250', mac_address: 'aa:bb:cc:00:00:01' };
    const path = `/ports/${gateway}`;
    emulator.byHand({ method: 'PUT', path, project, body: { port: { allowed_address_pairs: [foreign] } } });
    const pairs = () => emulator.resources('ports').find(({ id }) => id === gateway)?.['allowed_address_pairs'];
    return { ...world, gateway, gateways: new Set([gateway]), foreign, pairs, own: await create() };
  }

  it('are added to what is there, once, and taken away before the port is', async () => {
    const { clock, clean, emulator, portsOf, gateways, foreign, pairs, own } = await withGateway();
    const attach = () => result(clock, portsOf().attach([own.fixedAddress], gateways, signal));
    await attach();
    expect(pairs()).toMatchObject([foreign, { ip_address: own.fixedAddress }]);
    emulator.log.clear();
    await attach();
    expect(emulator.log.writes).toEqual([]);
    await clean([], gateways);
    expect(pairs()).toEqual([foreign]);
    const [first, second] = emulator.log.lines();
    expect([first, second]).toEqual([`PUT ports/${[...gateways].join('')} 200`, `DELETE ports/${own.port.id} 204`]);
  });

  it('for another MAC address are those of another program, also where the address is ours', async () => {
    const { clock, clean, emulator, portsOf, gateway, gateways, project, pairs, own } = await withGateway();
    const theirs = { ip_address: own.fixedAddress, mac_address: 'aa:bb:cc:00:00:02' };
    const body = { port: { allowed_address_pairs: [theirs] } };
    emulator.byHand({ method: 'PUT', path: `/ports/${gateway}`, project, body });
    await result(clock, portsOf().attach([own.fixedAddress], gateways, signal));
    expect(pairs()).toHaveLength(2);
    await clean([], gateways);
    expect(pairs()).toEqual([theirs]);
  });

  it('need not be written for an address in a range that an operator put there', async () => {
    const { clock, emulator, portsOf, gateway, gateways, project, own } = await withGateway();
    const body = { port: { allowed_address_pairs: [{ ip_address: '10.0.0.0/24' }] } };
    emulator.byHand({ method: 'PUT', path: `/ports/${gateway}`, project, body });
    emulator.log.clear();
    await result(clock, portsOf().attach([own.fixedAddress], gateways, signal));
    expect(emulator.log.writes).toEqual([]);
  });

  it('are not written over what another program wrote meanwhile', async () => {
    const { clock, emulator, portsOf, gateway, gateways, project, own, pairs } = await withGateway();
    emulator.faults.next({ method: 'PUT', kind: 'ports' }, { kind: 'delay', milliseconds: 1_000 });
    const attaching = portsOf().attach([own.fixedAddress], gateways, signal);
    const other = [{ ip_address: '10.0.0.251' }];
    await clock.advance(500);
    const body = { port: { allowed_address_pairs: other } };
    emulator.byHand({ method: 'PUT', path: `/ports/${gateway}`, project, body });
    expect(await failure(clock, attaching)).toMatchObject({ verdict: 'stale', code: 'RevisionNumberConstraintFailed' });
    expect(pairs()).toMatchObject(other);
  });

  it('keep the port while a gateway may still send from its address', async () => {
    const { clock, emulator, portsOf, gateways, own, portsThere } = await withGateway();
    await result(clock, portsOf().attach([own.fixedAddress], gateways, signal));
    emulator.faults.next({ method: 'PUT', kind: 'ports' }, { kind: 'refuse', status: 412 });
    await failure(clock, portsOf().cleanUnusedPorts(NONE, gateways, signal));
    expect(portsThere()).toHaveLength(1);
  });
});
