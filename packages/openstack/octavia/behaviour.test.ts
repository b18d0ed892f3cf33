import { type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it, vi } from 'vitest';
import { OpenStackError } from '../client/index.ts';
import { type KuryrLoadBalancer, kuryrLoadBalancers } from './resource/types.ts';
import { asImmutable } from './testing/memory-lbaas.ts';
import { OctaviaWorld } from './testing/octavia-world.ts';

const PREFIX = 'loadbalancer.openstack.org';
const key = { namespace: NAMESPACE, name: 'web' };
const addressOf = (service: Service | undefined) => service?.status?.loadBalancer?.ingress?.[0]?.ip;

describe('a load balancer that is PENDING', () => {
  it('for an hour is told of once, looked at now and then, and keeps no other waiting', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    world.lbaas.status = 'PENDING_CREATE';
    await world.serve('slow');
    world.lbaas.status = 'ACTIVE';
    const looks = world.lbaas.looks;
    expect(addressOf(await world.serve('web'))).toMatch(/^10\.0\.0\./);
    await world.run(3_600);
    const told = (await world.cluster.eventLines('slow')).filter((line) => line.includes('SyncLoadBalancerFailed'));
    expect(told).toEqual([expect.stringMatching(/for more than five minutes\.$/)]);
    // About twenty in the first five minutes, and one a minute after that.
    expect(world.lbaas.looks - looks).toBeLessThan(100);
    expect(addressOf(await world.cluster.service('slow'))).toBeUndefined();
    for (const { id, name } of world.lbaas.balancers.values())
      if (name.endsWith('slow')) world.lbaas.setStatus(id, 'ACTIVE');
    await world.run(120);
    expect(addressOf(await world.cluster.service('slow'))).toMatch(/^10\.0\.0\./);
  });

  it('for its changes, and not for those who look at it, is told of, too', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve();
    world.lbaas.refuse = asImmutable;
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.7@node-1']);
    await world.run(3_600);
    const told = (await world.cluster.eventLines('web')).filter((line) => line.includes('SyncLoadBalancerFailed'));
    expect(told).toEqual([expect.stringMatching(/for more than five minutes\.$/)]);
    world.lbaas.refuse = () => undefined;
    await world.run(120);
    expect((await world.cluster.service('web'))?.status?.conditions).toMatchObject([{ status: 'True' }]);
  });

  it('for its deletion, and not for those who look at it, is told to the Service that it holds', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve();
    world.lbaas.refuse = asImmutable;
    await world.cluster.deleteService('web');
    await world.run(3_600);
    const told = (await world.cluster.eventLines('web')).filter((line) => line.includes('Failed'));
    expect(told).toEqual([expect.stringMatching(/^web DeleteLoadBalancerFailed: .* for more than five minutes/)]);
    expect((await world.cluster.service('web'))?.status?.conditions).toMatchObject([{ reason: 'LoadBalancerStuck' }]);
    world.lbaas.refuse = () => undefined;
    await world.run(120);
    expect([await world.cluster.service('web'), world.lbaas.balancers.size]).toEqual([undefined, 0]);
  });

  it('shows no address before it is ACTIVE', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    world.lbaas.status = 'PENDING_CREATE';
    const service = await world.serve();
    expect([addressOf(service), (await world.resource())?.status?.loadbalancer?.ip]).toEqual([
      undefined,
      expect.stringMatching(/^10\.0\.0\./),
    ]);
  });
});

describe('what Octavia and Neutron have', () => {
  it('is made anew after an ERROR, with the port of the VIP and the floating IP that were there', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 60 });
    const before = addressOf(await world.serve());
    expect(before).toMatch(/^203\.0\.113\./);
    const ids = () =>
      [...world.openstack.emulator.resources('ports'), ...world.openstack.emulator.resources('floatingips')].map(
        ({ id }) => id,
      );
    const things = ids();
    const [id = ''] = world.lbaas.balancers.keys();
    world.lbaas.setStatus(id, 'ERROR');
    await world.run(200);
    expect(world.steps.slice(1)).toEqual(['delete-load-balancer', 'create-load-balancer']);
    expect([ids(), addressOf(await world.cluster.service('web'))]).toEqual([things, before]);
  });

  it('is made anew ever less often when it ends in ERROR again and again', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    world.lbaas.status = 'ERROR';
    await world.serve();
    await world.run(3_600);
    expect(world.steps.filter((kind) => kind === 'create-load-balancer').length).toBeLessThan(10);
  });

  it('is tried again every ten minutes when a quota is met, and told of once', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    const answer = {
      status: 403,
      headers: {},
      text: '{"faultstring":"Quota has been met for resources: Load Balancer"}',
      retryAfterMilliseconds: undefined,
    };
    world.lbaas.refuse = () => new OpenStackError({ what: 'POST loadbalancers' }, answer);
    await world.serve();
    await world.run(3_600);
    expect(world.steps.length).toBeGreaterThanOrEqual(6);
    expect(world.steps.length).toBeLessThanOrEqual(8);
    const told = (await world.cluster.eventLines('web')).filter((line) => line.includes('SyncLoadBalancerFailed'));
    expect(told).toHaveLength(1);
  });

  it('is found again when the status is emptied, and nothing is written to Octavia', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve();
    const before = await world.resource();
    await world.cluster.client.patchMerge<KuryrLoadBalancer>(statusOf(kuryrLoadBalancers), key, { status: null });
    await world.run();
    expect((await world.resource())?.status?.members).toEqual(before?.status?.members);
    await world.cluster.client.patchMerge<KuryrLoadBalancer>(statusOf(kuryrLoadBalancers), key, {
      status: { members: null },
    });
    await world.run();
    expect((await world.resource())?.status?.members).toEqual(before?.status?.members);
    expect(world.steps).toEqual(['create-load-balancer']);
  });

  it('comes back when it was deleted behind our back, at the same address', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 60 });
    const before = addressOf(await world.serve());
    world.lbaas.balancers.clear();
    world.lbaas.listeners.clear();
    world.lbaas.pools.clear();
    await world.run(120);
    expect(world.steps).toEqual(['create-load-balancer', 'create-load-balancer']);
    expect(addressOf(await world.cluster.service('web'))).toBe(before);
  });

  it('of a user stays: a floating IP that was chosen goes back, and one that is kept becomes the user’s', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start();
    const { emulator } = world.openstack;
    const chosen = await world.floatingIp();
    const service = await world.serve('web', { loadBalancerIP: chosen.address });
    expect(addressOf(service)).toBe(chosen.address);
    await world.serve('kept', {}, { [`${PREFIX}/keep-floatingip`]: 'true' });
    for (const name of ['web', 'kept']) await world.cluster.deleteService(name);
    await world.run(20);
    const left = emulator.resources('floatingips').map(({ port_id, description }) => ({ port_id, description }));
    expect(left).toEqual([
      { port_id: null, description: '' },
      { port_id: null, description: '' },
    ]);
    expect(emulator.resources('ports').filter(({ name }) => JSON.stringify(name).startsWith('"fairlead'))).toEqual([]);
  });
});

describe('changes that Octavia takes one at a time', () => {
  it('are each looked at soon, however many came before', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve('web', {
      ports: [
        { name: 'a', port: 80, targetPort: 8080 },
        { name: 'b', port: 81, targetPort: 8080 },
      ],
    });
    const [id = ''] = world.lbaas.balancers.keys();
    takeTime(world, id);
    await world.cluster.client.patchMerge<Service>(services, key, {
      spec: { ports: [{ name: 'c', port: 8000, protocol: 'TCP', targetPort: 8080 }] },
    });
    await world.run(8);
    expect([...world.lbaas.listeners.values()].map(({ protocol_port }) => protocol_port)).toEqual([8000]);
    expect(world.steps.length).toBeGreaterThan(5);
    expect(await world.cluster.service('web')).toMatchObject({ status: { conditions: [{ reason: 'Programmed' }] } });
  });

  it('are so when a Service leaves a load balancer that it shares', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'by-hand', vip_port_id: 'theirs' } });
    const [id = ''] = world.lbaas.balancers.keys();
    const ports = [80, 81, 82].map((port) => ({ name: `tcp-${port}`, port, targetPort: 8080 }));
    await world.serve('web', { ports }, { [`${PREFIX}/load-balancer-id`]: id });
    takeTime(world, id);
    await world.cluster.deleteService('web');
    await world.run(10);
    expect([await world.cluster.service('web'), world.lbaas.listeners.size]).toEqual([undefined, 0]);
  });
});

/** Octavia is at each change for almost a second. */
function takeTime({ lbaas, cluster }: OctaviaWorld, id: string): void {
  const perform = lbaas.perform.bind(lbaas);
  vi.spyOn(lbaas, 'perform').mockImplementation(async (step) => {
    await perform(step);
    lbaas.setStatus(id, 'PENDING_UPDATE');
    cluster.clock.setTimer(900, () => lbaas.setStatus(id, 'ACTIVE'));
  });
}

describe('bad input', () => {
  it.each([
    ['an unknown flavor', { 'flavor-id': 'none' }, 'flavor-unknown'],
    ['an unknown subnet', { 'subnet-id': 'none' }, 'subnet-unknown'],
    ['an unknown network', { 'network-id': 'none' }, 'subnet-unknown'],
    ['an unknown network of floating IPs', { 'floating-network-id': 'none' }, 'network-unknown'],
    ['an unknown port', { 'port-id': 'none' }, 'port-unknown'],
    ['an unknown load balancer', { 'load-balancer-id': 'none' }, 'load-balancer-unknown'],
    ['contradictory annotations', { 'x-forwarded-for': 'true', 'proxy-protocol': 'true' }, 'annotations-contradict'],
    ['a name over 255', { 'flavor-id': 'n'.repeat(256) }, 'annotation-invalid'],
  ])('is refused with an Event, and nothing is created: %s', async (_, annotations, code) => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    const asked = Object.entries(annotations).map(([name, value]) => [`${PREFIX}/${name}`, value] as const);
    const service = await world.serve('web', {}, Object.fromEntries(asked));
    const refused = (await world.cluster.events('web')).filter(({ reason }) => reason === 'LoadBalancerRefused');
    expect(refused).toHaveLength(1);
    const reason = code.replace(/(^|-)(\w)/g, (_match, _dash, letter: string) => letter.toUpperCase());
    expect(service?.status?.conditions).toMatchObject([{ status: 'False', reason }]);
    expect([world.steps, world.openstack.emulator.resources('ports')]).toEqual([[], []]);
  });

  it('in a Service that is served is refused, and takes its address not away', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    const before = addressOf(await world.serve());
    await world.cluster.editService('web', { metadata: { annotations: { [`${PREFIX}/speed`]: 'fast' } } });
    await world.run();
    const service = await world.cluster.service('web');
    expect(service?.status?.conditions).toMatchObject([{ status: 'False', reason: 'AnnotationUnknown' }]);
    expect(addressOf(service)).toBe(before);
    await world.cluster.putSlice('web', 'web-1', ['10.1.0.7@node-1']);
    await world.cluster.editService('web', { metadata: { annotations: null } });
    await world.run();
    expect((await world.cluster.service('web'))?.status?.conditions).toMatchObject([{ status: 'True' }]);
  });

  it.each([
    ['source ranges', {}, { loadBalancerSourceRanges: ['198.51.100.0/24'] }],
    ['session affinity', {}, { sessionAffinity: 'ClientIP' }],
    ['the PROXY protocol', { 'proxy-protocol': 'true' }, {}],
    ['X-Forwarded-For', { 'x-forwarded-for': 'true' }, {}],
    ['terminated TLS', { 'default-tls-container-ref': 'certificate' }, {}],
    ['timeouts', { 'timeout-client-data': '60000' }, {}],
    ['timeouts', { 'timeout-member-connect': '60000' }, {}],
    ['a connection limit', { 'connection-limit': '100' }, {}],
    ['the method LEAST_CONNECTIONS', { 'lb-method': 'LEAST_CONNECTIONS' }, {}],
  ] as const)('is what the provider of the load balancer that is there has not: %s %j', async (what, asked, spec) => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    const before = addressOf(await world.serve('web', {}, { 'fairlead.dev/octavia-provider': 'ovn' }));
    expect(before).toBeDefined();
    const made = world.steps;
    const annotations = Object.fromEntries(Object.entries(asked).map(([name, value]) => [`${PREFIX}/${name}`, value]));
    const without = { 'fairlead.dev/octavia-provider': null };
    const patch = { metadata: { annotations: { ...without, ...annotations } }, spec };
    await world.cluster.client.patchMerge<Service>(services, key, patch);
    await world.run(30);
    const service = await world.cluster.service('web');
    const message = `Refused: it asks for ${what}, and the provider of its load balancer, ovn, has no such thing.`;
    expect(service?.status?.conditions).toMatchObject([{ status: 'False', reason: 'ProviderUnsupported', message }]);
    expect([world.steps, addressOf(service)]).toEqual([made, before]);
  });

  it('is a load balancer of its name that is not ours: it is not taken, and none is made beside it', async () => {
    const world = await new OctaviaWorld().setUp();
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name: 'shop/web' } });
    world.start();
    const service = await world.serve();
    expect(service?.status?.conditions).toMatchObject([{ reason: 'NameTaken' }]);
    await world.cluster.deleteService('web');
    await world.run();
    expect(await world.cluster.service('web')).toBeUndefined();
    expect([...world.lbaas.balancers.values()].map(({ name }) => name)).toEqual(['shop/web']);
  });

  it('is a resource of its name that is not ours: it stays as it is', async () => {
    const world = await new OctaviaWorld().setUp();
    const finalizers = ['kuryr.openstack.org/kuryrloadbalancer-finalizers'];
    const theirs = { metadata: { ...key, finalizers }, spec: { ip: '10.96.0.1' } };
    const before = await world.cluster.client.create<KuryrLoadBalancer>(kuryrLoadBalancers, theirs);
    world.start();
    const service = await world.serve();
    expect(service?.status?.conditions).toMatchObject([{ reason: 'ResourceTaken' }]);
    await world.cluster.deleteService('web');
    await world.run();
    expect([await world.cluster.service('web'), await world.resource()]).toEqual([undefined, before]);
  });
});
