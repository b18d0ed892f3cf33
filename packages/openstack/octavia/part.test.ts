import { silentLogger } from '@fairlead/control';
import { customResourceDefinitions, type Service, services } from '@fairlead/kube';
import { type LeaderPart, writesOf } from '@fairlead/part';
import { NAMESPACE, TestCluster, TestLeader } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { emulated, withNetwork } from '../client/testing/emulated.ts';
import { octaviaPart } from './part.ts';
import { kuryrLoadBalancerDefinition } from './resource/definition.ts';
import { kuryrLoadBalancers } from './resource/types.ts';

/** The whole part on a simulated Keystone, Neutron and Octavia. */
async function setUp(configuration: object = {}, behaviour: object = {}) {
  const openstack = emulated({ behaviour });
  withNetwork(openstack);
  const cluster = new TestCluster({ loadBalancerClass: 'fairlead.dev/octavia' }, openstack.clock);
  await cluster.setUp(['10.0.0.11']);
  await cluster.client.create(customResourceDefinitions, kuryrLoadBalancerDefinition);
  await cluster.clock.advance(1_000);
  const part = octaviaPart(openstack.openSession).configure({ network: 'nodes', members: 'pods', ...configuration });
  const environment = {
    client: cluster.client,
    clock: cluster.clock,
    logger: silentLogger,
    signal: new AbortController().signal,
  };
  const lead = () => new TestLeader(cluster, (leading) => part.start(leading));
  const run = (seconds = 60) => cluster.clock.advance(seconds * 1_000);
  return { openstack, cluster, part, environment, lead, run };
}

const subject = { kind: 'service', namespace: NAMESPACE, name: 'web' };
const now = <Answer>(clock: { advance(milliseconds: number): Promise<void> }, asked: Promise<Answer>) =>
  Promise.all([asked, clock.advance(1_000)]).then(([answer]) => answer);

describe('the octavia part', () => {
  it('tells what it would do, does it, and has nothing left to do', async () => {
    const { cluster, part, environment, lead, run } = await setUp(
      {},
      { octavia: { duration: { minimum: 3_000, maximum: 20_000 } } },
    );
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    await cluster.createService('web');
    const ask = <Answer>(question: (part: LeaderPart) => Promise<Answer>) => now(cluster.clock, question(part));
    expect(await ask((one) => one.plan(environment))).toMatchObject({
      changes: [{ action: 'create', subject: 'Service shop/web', writes: expect.any(Number) }],
    });
    expect(await ask((one) => one.explain(environment, subject))).toMatchObject({ state: 'working' });
    lead();
    await run();
    expect(writesOf(await ask((one) => one.plan(environment)))).toBe(0);
    const [address = ''] = await cluster.addresses('web');
    expect(address).toMatch(/^10\.0\.0\./);
    expect(await ask((one) => one.explain(environment, subject))).toMatchObject({
      state: 'as-wanted',
      answer: expect.stringMatching(/^Service shop\/web has the load balancer /),
      there: [`${address} in status.loadBalancer.ingress`],
    });
    expect(await ask((one) => one.status(environment))).toMatchObject({ figures: { served: 1, working: 0 } });
  });

  it('tells what its sweep would take down, and what its brake holds back of that', async () => {
    const { cluster, openstack, part, environment, lead, run } = await setUp();
    const names = Array.from({ length: 12 }, (_, index) => `web-${index + 10}`);
    const leader = lead();
    for (const name of names) await cluster.createService(name);
    await run();
    await leader.stop();
    const planned = () => now(cluster.clock, part.plan(environment));
    expect((await planned()).changes.filter(({ action }) => action === 'delete')).toEqual([]);
    const [first = '', ...others] = names;
    const forget = async (name: string) => {
      const key = { namespace: NAMESPACE, name };
      await cluster.client.patchMerge(kuryrLoadBalancers, key, { metadata: { finalizers: null } });
      await cluster.client.delete(kuryrLoadBalancers, key);
      await cluster.forceDeleteService(name);
    };
    const [address = ''] = await cluster.addresses(first);
    await forget(first);
    const one = await planned();
    expect(one).not.toHaveProperty('heldBack');
    expect(one.changes.filter(({ action }) => action === 'delete')).toEqual([
      {
        action: 'delete',
        subject: `load balancer shop/${first}`,
        detail: expect.stringMatching(
          `^\\S+ with its VIP ${address} is taken down: the Service it was made for no longer`,
        ),
        writes: 2,
      },
    ]);
    for (const name of others) await forget(name);
    expect((await planned()).heldBack).toMatch(
      /^Holding back the deletion of 12 of 12 load balancers.* fairlead release octavia/,
    );
    const announced = writesOf(await planned());
    const made = openstack.emulator.log.writes.length;
    lead();
    await run(700);
    const swept = openstack.emulator.log.writes.slice(made).filter(({ kind }) => kind !== 'tokens');
    expect(swept).toHaveLength(announced);
    expect(openstack.emulator.octaviaResources('loadbalancers')).toEqual([]);
  });

  it('gives a dual-stack Service an address of each family on one port', async () => {
    const { cluster, openstack, lead, run } = await setUp();
    lead();
    await cluster.createService('web', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] });
    await run();
    expect(await cluster.addresses('web')).toEqual([expect.stringMatching(/^10\./), expect.stringMatching(/^fd00:/)]);
    expect(openstack.emulator.octaviaResources('loadbalancers')).toHaveLength(1);
    await cluster.deleteService('web');
    await run();
    expect([openstack.emulator.octaviaResources('loadbalancers'), openstack.emulator.resources('ports')]).toEqual([
      [],
      [],
    ]);
  });

  it('serves ClusterIP Services that are selected, and their VIP is the ClusterIP itself', async () => {
    const { cluster, openstack, lead, run } = await setUp({
      clusterIPServices: { labels: { balanced: 'yes' }, subnet: 'services' },
    });
    const network_id = openstack.emulator.create('networks', { name: 'services' }, openstack.project);
    const subnet = { network_id, name: 'services', ip_version: 4, cidr: '10.96.0.0/12' };
    openstack.emulator.create('subnets', subnet, openstack.project);
    lead();
    for (const labels of [{ balanced: 'yes' }, { balanced: 'no' }]) {
      const metadata = { namespace: NAMESPACE, name: `web-${labels.balanced}`, labels };
      await cluster.client.create<Service>(services, { metadata, spec: { type: 'ClusterIP', ports: [{ port: 80 }] } });
    }
    await run();
    const { spec, status } = await cluster.client.get(services, { namespace: NAMESPACE, name: 'web-yes' });
    const vips = openstack.emulator.octaviaResources('loadbalancers').map(({ vip_address }) => vip_address);
    expect(vips).toEqual([spec.clusterIP]);
    expect(status).toMatchObject({ loadBalancer: {}, conditions: [{ status: 'True' }] });
  });

  it('makes a load balancer of OVN one call at a time', async () => {
    const { cluster, openstack, lead, run } = await setUp({ provider: 'ovn' });
    lead();
    await cluster.putSlice('web', 'web-1', ['10.0.0.31@node-1']);
    await cluster.createService('web');
    await run();
    const written = openstack.emulator.log.writes.map(({ method, kind }) => `${method} ${kind}`);
    expect(written.filter((call) => !call.includes('tokens'))).toEqual([
      'POST ports',
      'POST loadbalancers',
      'POST listeners',
      'POST pools',
      'PUT members',
    ]);
    expect(await cluster.addresses('web')).toHaveLength(1);
  });

  it('makes fifty members in one call to Octavia, and two writes to the status of the resource', async () => {
    const { cluster, openstack, lead, run } = await setUp(
      {},
      { octavia: { duration: { minimum: 2_000, maximum: 2_000 } } },
    );
    lead();
    await cluster.putSlice(
      'web',
      'web-1',
      Array.from({ length: 50 }, (_, index) => `10.1.0.${index + 1}@node-1`),
    );
    await cluster.createService('web');
    await run();
    const written = openstack.emulator.log.writes.map(({ method, kind }) => `${method} ${kind}`);
    expect(written.filter((call) => !call.includes('tokens'))).toEqual(['POST ports', 'POST loadbalancers']);
    expect(cluster.writes.filter((write) => write.endsWith('kuryrloadbalancers/web/status'))).toHaveLength(2);
    const half = Array.from({ length: 50 }, (_, index) => `10.1.0.${index + 26}@node-1`);
    await cluster.putSlice('web', 'web-1', half);
    await run();
    expect(openstack.emulator.log.count('PUT', 'members')).toBe(1);
  });

  it('says what is wrong with its configuration, and asks for an Octavia that keeps tags', async () => {
    const { cluster, part, environment } = await setUp({ network: 'nowhere' });
    const failure = now(
      cluster.clock,
      part.plan(environment).catch((error: unknown) => error),
    );
    expect(await failure).toMatchObject({
      message: expect.stringContaining('put another name or id into parts.octavia.network'),
    });
    const old = await setUp({}, { octavia: { minorVersion: 4 } });
    const refused = now(
      old.cluster.clock,
      old.part.plan(old.environment).catch((error: unknown) => error),
    );
    expect(await refused).toMatchObject({ code: 'octavia-too-old' });
  });
});
