import { describe, expect, it } from 'vitest';
import type { LoadBalancer } from '../arm/index.ts';
import { LocalWorld, plain, WITHOUT_SECURITY_GROUP } from './testing/local-world.ts';

async function served(section: object = {}): Promise<LocalWorld> {
  const world = await new LocalWorld().setUp();
  await world.createService('web');
  await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
  await world.start(section);
  world.takeWrites();
  return world;
}

/** Writes a load balancer as an operator in the portal would. */
function edit(world: LocalWorld, name: string, change: (body: LoadBalancer) => LoadBalancer): void {
  const body = world.loadBalancer(name);
  if (body === undefined) throw new Error(`there is no load balancer ${name}`);
  world.byHand('PUT', world.loadBalancerPath(name), JSON.parse(JSON.stringify(change(body))));
}
const updates = async (world: LocalWorld) =>
  (await world.reasons('web')).filter((reason) => reason.startsWith('LoadBalancerBackendPool'));

describe('what other people do to a load balancer', () => {
  it('deletes it: it is made again with the next change of endpoints, and no Event tells of a failure', async () => {
    const world = await served({ comparisonIntervalSeconds: 0 });
    world.byHand('DELETE', world.loadBalancerPath('one'));
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(10);
    expect(world.takeWrites()).toEqual(['PUT loadBalancers/one 201']);
    expect(world.pools('one')).toEqual({ 'shop-web': ['10.0.1.2'] });
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    expect(await updates(world)).toEqual([]);
    await world.stop();
  });

  it('deletes a pool: it is made again, and no Event tells of a failure', async () => {
    const world = await served({ comparisonIntervalSeconds: 0 });
    edit(world, 'one', (body) => ({
      ...body,
      properties: { ...body.properties, backendAddressPools: [], loadBalancingRules: [] },
    }));
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(10);
    expect(world.takeWrites()).toEqual(['PUT loadBalancers/one 200']);
    expect([world.pools('one'), world.children('one').rules]).toEqual([
      { 'shop-web': ['10.0.1.2'] },
      ['shop-web-tcp-80'],
    ]);
    expect(await updates(world)).toEqual([]);
    await world.stop();
  });

  it('adds entries to a pool: they stay, whatever becomes of ours', async () => {
    const world = await served();
    edit(world, 'one', (body) => ({
      ...body,
      properties: {
        ...body.properties,
        backendAddressPools: (body.properties.backendAddressPools ?? []).map((pool) => ({
          ...pool,
          properties: {
            ...pool.properties,
            loadBalancerBackendAddresses: [
              ...(pool.properties.loadBalancerBackendAddresses ?? []),
              { name: 'appliance', properties: { ipAddress: '10.0.200.1' } },
            ],
          },
        })),
      },
    }));
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(60);
    expect(world.pools('one')).toEqual({ 'shop-web': ['10.0.1.2', '10.0.200.1'] });
    await world.editService('web', { spec: { ports: [{ port: 81, targetPort: 8080 }] } });
    await world.pass(10);
    expect(world.pools('one')).toEqual({ 'shop-web': ['10.0.1.2', '10.0.200.1'] });
    await world.stop();
  });

  it('puts something on it while it is about to be deleted for being empty: it stays', async () => {
    const world = await served();
    world.azure.faults.next({ method: 'DELETE', kind: 'loadBalancers' }, { kind: 'delay', milliseconds: 5_000 });
    await world.deleteService('web');
    await world.pass(3);
    edit(world, 'one', (body) => ({
      ...body,
      properties: { ...body.properties, backendAddressPools: [{ name: 'theirs', properties: {} }] },
    }));
    await world.pass(60);
    expect(world.children('one').pools).toEqual(['theirs']);
    expect(await world.service('web')).toBeUndefined();
    await world.stop();
  });

  it('uses it while Azure says for a moment that it is not there: what they have on it stays', async () => {
    const world = await served();
    edit(world, 'one', (body) => ({
      ...body,
      properties: {
        ...body.properties,
        backendAddressPools: [...(body.properties.backendAddressPools ?? []), { name: 'theirs', properties: {} }],
      },
    }));
    world.azure.faults.next({ method: 'GET', kind: 'loadBalancers', name: 'one' }, { kind: 'refuse', status: 404 });
    const annotations = { 'service.beta.kubernetes.io/azure-load-balancer-configurations': 'one' };
    await world.createService('api', {}, annotations);
    await world.pass(60);
    expect(world.children('one').pools).toEqual(['shop-api', 'shop-web', 'theirs']);
    expect(await world.addresses('api')).toHaveLength(1);
    await world.stop();
  });

  it('changes a probe, a rule and who may come in: the next comparison puts it right', async () => {
    const world = await served({ comparisonIntervalSeconds: 100 });
    edit(world, 'one', (body) => ({
      ...body,
      properties: {
        ...body.properties,
        loadBalancingRules: [],
        probes: (body.properties.probes ?? []).map((probe) => ({
          ...probe,
          properties: { protocol: 'Tcp', port: 1 } as const,
        })),
      },
    }));
    const group = '/subscriptions/sub/resourceGroups/cluster/providers/Microsoft.Network/networkSecurityGroups/nodes';
    world.byHand('PUT', group, { location: 'westeurope', properties: { securityRules: [] } });
    await world.pass(100);
    expect(world.takeWrites()).toEqual(['PUT networkSecurityGroups/nodes 200', 'PUT loadBalancers/one 200']);
    expect(world.children('one').rules).toEqual(['shop-web-tcp-80']);
    expect(world.loadBalancer('one')?.properties.probes).toMatchObject([{ properties: { protocol: 'Http' } }]);
    await world.stop();
  });
});

describe('a Service moved between load balancers', () => {
  const allowed = 'service.beta.kubernetes.io/azure-load-balancer-configurations';

  it('keeps its address, and its endpoints go on being followed there', async () => {
    const world = await served();
    await world.editService('web', { metadata: { annotations: { [allowed]: 'two' } } });
    await world.pass(10);
    expect(world.takeWrites()).toEqual([
      'PUT loadBalancers/one 200',
      'DELETE loadBalancers/one 200',
      'PUT loadBalancers/two 201',
    ]);
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(60);
    expect(world.pools('two')).toEqual({ 'shop-web': ['10.0.1.2'] });
    await world.stop();
  });

  it('drops quietly what waits for its old place', async () => {
    const world = await served({ leadingEdge: false });
    world.azure.faults.next(
      { method: 'PUT', kind: 'backendAddressPools' },
      { kind: 'refuse', status: 429, code: 'TooManyRequests', headers: { 'retry-after': '20' } },
    );
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(31);
    expect(await updates(world)).toEqual(['LoadBalancerBackendPoolUpdateRetrying']);
    await world.editService('web', { metadata: { annotations: { [allowed]: 'two' } } });
    await world.pass(600);
    expect(world.pools('two')).toEqual({ 'shop-web': ['10.0.1.2'] });
    expect(await updates(world)).toEqual(['LoadBalancerBackendPoolUpdateRetrying']);
    await world.stop();
  });

  it('is no longer looked for where it was, however long its new place is refused', async () => {
    const world = await served();
    world.azure.faults.next(
      { method: 'PUT', kind: 'loadBalancers', name: 'two' },
      { kind: 'refuse', status: 409, code: 'Conflict' },
      1_000,
    );
    await world.editService('web', { metadata: { annotations: { [allowed]: 'two' } } });
    await world.pass(10);
    expect(world.loadBalancer('one')).toBeUndefined();
    world.paths.length = 0;
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(100);
    expect(world.paths.filter((path) => path.includes('/backendAddressPools/'))).toEqual([]);
    expect(await updates(world)).toEqual([]);
    world.azure.faults.clear();
    await world.pass(600);
    expect(world.pools('two')).toEqual({ 'shop-web': ['10.0.1.2'] });
    await world.stop();
  });

  it('leaves one that is no longer configured', async () => {
    const world = await served();
    await world.stop();
    await world.start({ loadBalancers: [{ name: 'two' }] });
    expect([world.loadBalancer('one'), world.pools('two')]).toEqual([undefined, { 'shop-web': ['10.0.1.1'] }]);
    await world.stop();
  });
});

describe('a pool that another controller made', () => {
  const oldPool = (name: string) => ({
    location: 'westeurope',
    sku: { name: 'Standard' },
    properties: {
      backendAddressPools: [
        {
          name,
          properties: {
            loadBalancerBackendAddresses: [{ name: 'aks-node-b', properties: { ipAddress: '10.0.1.2' } }],
          },
        },
      ],
    },
  });

  it('is taken over where only one Service can be meant, on whichever load balancer it is', async () => {
    const world = await new LocalWorld().setUp();
    world.byHand('PUT', world.loadBalancerPath('two'), oldPool('shop-web'));
    await world.createService('web');
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
    await world.start();
    expect([world.loadBalancer('one'), world.pools('two')]).toEqual([undefined, { 'shop-web': ['10.0.1.1'] }]);
    expect(world.loadBalancer('two')?.properties.backendAddressPools?.map(({ name }) => name)).toEqual(['shop-web']);
    expect((await world.service('web'))?.metadata.annotations).toMatchObject({
      'azure-local.fairlead.dev/adopted-backend-pools': 'IPv4=shop-web',
    });
    await world.putSlice('web', 'web-1', ['10.244.0.3@c']);
    await world.pass(60);
    expect(world.pools('two')).toEqual({ 'shop-web': ['10.0.1.3'] });
    await world.deleteService('web');
    await world.pass(10);
    expect(world.children('two')).toEqual({ frontends: [], pools: [], probes: [], rules: [] });
    await world.stop();
  });

  it('is taken over however it is spelled', async () => {
    const world = await new LocalWorld().setUp();
    world.byHand('PUT', world.loadBalancerPath('two'), oldPool('Shop-WEB'));
    await world.createService('web');
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
    await world.start();
    expect(world.pools('two')).toEqual({ 'Shop-WEB': ['10.0.1.1'] });
    await world.stop();
  });

  it('is not given to a Service whose owner records it, nor taken away when that Service goes', async () => {
    const world = await new LocalWorld().setUp();
    world.byHand('PUT', world.loadBalancerPath('one'), oldPool('shop-web'));
    await world.createService('web');
    await world.createService('mail');
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
    await world.start();
    const record = 'azure-local.fairlead.dev/adopted-backend-pools';
    const names = ['one', 'two'].flatMap((name) => world.loadBalancer(name)?.properties.backendAddressPools ?? []);
    const ofMail = names.find(({ name }) => name.startsWith('shop-mail'))?.name ?? '';
    for (const [index, stolen] of ['shop-web', ofMail].entries()) {
      const load = index === 0 ? 'one' : 'two';
      await world.createService(
        `thief-${index}`,
        {},
        {
          [record]: `IPv4=${stolen}`,
          'azure-local.fairlead.dev/load-balancer': load,
        },
      );
    }
    await world.pass(60);
    const made = ['one', 'two'].flatMap((name) => world.loadBalancer(name)?.properties.backendAddressPools ?? []);
    expect(made.filter(({ name }) => name.startsWith('shop-thief'))).toHaveLength(2);
    await world.stop();
    await world.start();
    for (const index of [0, 1]) await world.deleteService(`thief-${index}`);
    await world.pass(60);
    for (const index of [0, 1]) expect(await world.service(`thief-${index}`)).toBeUndefined();
    const left = ['one', 'two'].flatMap((name) => world.loadBalancer(name)?.properties.backendAddressPools ?? []);
    expect(left.map(({ name }) => name).toSorted()).toEqual(['shop-web', ofMail].toSorted());
    expect(world.pools('one')['shop-web']).toEqual(['10.0.1.1']);
    await world.stop();
  });

  it('is not made again without a mark of ours when its Service moves, wherever an owner says that it is', async () => {
    const world = await new LocalWorld().setUp();
    world.byHand('PUT', world.loadBalancerPath('two'), oldPool('shop-web'));
    await world.createService('web');
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
    await world.start();
    expect(world.loadBalancer('two')?.properties.backendAddressPools?.map(({ name }) => name)).toEqual(['shop-web']);
    const moved = {
      'azure-local.fairlead.dev/load-balancer': 'one',
      'service.beta.kubernetes.io/azure-load-balancer-configurations': 'two',
    };
    await world.editService('web', { metadata: { annotations: moved } });
    await world.pass(60);
    expect(world.pools('two')).toEqual({ 'shop-web': ['10.0.1.1'] });
    const pools = world.loadBalancer('two')?.properties.backendAddressPools ?? [];
    expect(pools.map(({ name }) => name)).toEqual([expect.stringMatching(/^shop-web-[0-9a-f]{18}/)]);
    await world.stop();
  });

  it.each(['outboundRules', 'inboundNatRules'])('is left alone where it is used by %s', async (list) => {
    const world = await new LocalWorld().setUp();
    const path = world.loadBalancerPath('two');
    const { properties, ...old } = oldPool('shop-web');
    const rules = [{ name: 'out', properties: { backendAddressPool: { id: `${path}/backendAddressPools/shop-web` } } }];
    world.byHand('PUT', path, { ...old, properties: { ...properties, [list]: rules } });
    await world.createService('web', {}, { 'azure-local.fairlead.dev/load-balancer': 'two' });
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
    await world.start();
    expect(await world.addresses('web')).toHaveLength(1);
    const pools = world.loadBalancer('two')?.properties.backendAddressPools ?? [];
    const nodes = pools.map((pool) => pool.properties.loadBalancerBackendAddresses?.map(({ name }) => name));
    expect(nodes).toEqual([['aks-node-b'], ['fairlead-10.0.1.1']]);
    await world.stop();
  });

  it('is left alone where two Services could be meant', async () => {
    const world = await new LocalWorld().setUp();
    world.byHand('PUT', world.loadBalancerPath('one'), oldPool('shop-web-ipv6'));
    await world.createService('web', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] });
    await world.createService('web-ipv6');
    await world.start();
    const names = ['one', 'two'].flatMap((name) => world.loadBalancer(name)?.properties.backendAddressPools ?? []);
    expect(names.filter(({ name }) => name === 'shop-web-ipv6')).toHaveLength(1);
    expect(names).toHaveLength(4);
    expect(world.pools('one')['shop-web-ipv6']).toBeDefined();
    const annotations = [await world.service('web'), await world.service('web-ipv6')].map(
      (service) => service?.metadata.annotations?.['azure-local.fairlead.dev/adopted-backend-pools'],
    );
    expect(annotations).toEqual([undefined, undefined]);
    await world.stop();
  });
});

describe('a load balancer that an owner records', () => {
  it('cannot hold up others, whatever its name, and costs one list however many there are', async () => {
    const world = await new LocalWorld().setUp();
    for (const [index, name] of ['../../x', 'a/b', '', 'not-there', 'x'.repeat(5_000)].entries()) {
      await world.createService(`odd-${index}`, {}, { 'azure-local.fairlead.dev/load-balancer': name });
    }
    await world.createService('web');
    await world.start();
    for (const name of ['web', 'odd-0', 'odd-1', 'odd-2', 'odd-3', 'odd-4']) {
      expect(await world.addresses(name)).toHaveLength(1);
    }
    expect(world.readiness).toEqual({ ready: true });
    await world.stop();
  });
});

describe('what cannot be honoured', () => {
  const azure = 'service.beta.kubernetes.io/azure-';
  it.each([
    ['externalTrafficPolicy: Cluster', { externalTrafficPolicy: 'Cluster' }, {}, 'cluster-traffic-unsupported'],
    ['SCTP', { ports: [{ port: 80, protocol: 'SCTP' }] }, {}, 'protocol-unsupported'],
    ['an annotation we do not know', {}, { [`${azure}pip-ip-tags`]: 'a=b' }, 'annotation-unsupported'],
    [
      'an idle timeout that Azure does not take',
      {},
      { [`${azure}load-balancer-tcp-idle-timeout`]: '3' },
      'invalid-annotation',
    ],
    [
      'a load balancer that is not configured',
      {},
      { [`${azure}load-balancer-configurations`]: 'x' },
      'no-load-balancer',
    ],
    ['a subnet for a public address', {}, { [`${azure}load-balancer-internal-subnet`]: 'x' }, 'annotation-unsupported'],
  ] as const)('%s is refused, with nothing done in Azure', async (_, spec, annotations, code) => {
    const world = await new LocalWorld().setUp();
    await world.createService('web', spec, annotations);
    await world.start();
    expect(world.takeWrites()).toEqual([]);
    const [event, ...others] = await world.events('web');
    expect([event?.reason, others]).toEqual(['LoadBalancerRefused', []]);
    expect(event?.note).toContain(`Refused (${code}): `);
    const service = await world.service('web');
    expect(service?.status?.conditions).toMatchObject([{ type: 'fairlead.dev/Programmed', status: 'False' }]);
    expect(service?.metadata.finalizers).toEqual(['fairlead.dev/azure-local']);
    await world.stop();
  });

  it('is taken back when the Service is no longer a load balancer', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web', { ports: [{ port: 80, protocol: 'SCTP' }] });
    await world.start();
    expect((await world.service('web'))?.status?.conditions).toMatchObject([{ status: 'False' }]);
    const noLongerLocal = { loadBalancerClass: null, externalTrafficPolicy: null, healthCheckNodePort: null };
    await world.editService('web', { spec: { type: 'ClusterIP', ...noLongerLocal } });
    await world.pass(5);
    const { metadata, status } = (await world.service('web')) ?? {};
    expect([metadata?.finalizers, status?.conditions]).toEqual([undefined, undefined]);
    expect(await world.reasons('web')).toContain('DeletedLoadBalancer');
    expect(world.takeWrites()).toEqual([]);
    await world.stop();
  });

  it('cannot be read, stays as it is, and keeps no other Service from being served', async () => {
    const world = await new LocalWorld().setUp();
    const ranges = '"loadBalancerSourceRanges":';
    world.rewrite = (text) => text.replaceAll(`${ranges}["198.51.100.0/24"]`, `${ranges}[7]`);
    await world.createService('odd', { loadBalancerSourceRanges: ['198.51.100.0/24'] });
    await world.start();
    await world.createService('web');
    await world.pass(60);
    expect(await world.addresses('web')).toHaveLength(1);
    expect(await world.reasons('odd')).toContain('SyncLoadBalancerFailed');
    expect((await world.service('odd'))?.metadata.finalizers).toBeUndefined();
    await world.stop();
  });

  it('source ranges are refused where there is no security group to keep others out with', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web', { loadBalancerSourceRanges: ['192.0.2.0/24'] });
    await world.start({ cloud: undefined, cloudFile: WITHOUT_SECURITY_GROUP });
    expect(await world.reasons('web')).toEqual(['LoadBalancerRefused']);
    await world.stop();
  });

  it.each([
    ['asks for what cannot be had', 'pls-create', 'LoadBalancerRefused'],
    ['asks for an address that is not there', 'pip-name', 'SyncLoadBalancerFailed'],
  ])('takes nothing away from a Service that was served before and %s', async (_, annotation, reason) => {
    const world = await served();
    await world.editService('web', { metadata: { annotations: { [`${azure}${annotation}`]: 'mine' } } });
    await world.pass(10);
    expect((await world.reasons('web')).at(-1)).toBe(reason);
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    await world.stop();
    await world.start();
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(60);
    expect(world.takeWrites().map(plain)).toEqual([
      expect.stringContaining('PUT backendAddressPools/one/shop-web 200'),
    ]);
    expect(world.pools('one')).toEqual({ 'shop-web': ['10.0.1.2'] });
    await world.deleteService('web');
    await world.pass(10);
    expect([await world.service('web'), world.publicIps]).toEqual([undefined, []]);
    await world.stop();
  });

  it('keeps no pool from following its pods, although the record of its place is gone with it', async () => {
    const world = await served();
    const lost = { 'azure-local.fairlead.dev/load-balancer': null };
    await world.editService('web', { metadata: { annotations: { ...lost, [`${azure}pls-create`]: 'mine' } } });
    await world.pass(10);
    expect((await world.reasons('web')).at(-1)).toBe('LoadBalancerRefused');
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    await world.pass(60);
    expect(world.pools('one')).toEqual({ 'shop-web': ['10.0.1.2'] });
    await world.stop();
  });

  it('costs nothing more once it was told', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web', { externalTrafficPolicy: 'Cluster' });
    await world.start({ comparisonIntervalSeconds: 0 }, 600);
    const lists = world.azure.log.calls.filter(({ kind }) => kind === 'publicIPAddresses');
    // One look for leftovers, and one for the Service; our own writes to it are no news.
    expect(lists).toHaveLength(2);
    await world.stop();
  });

  it('leaves a Service of another class alone', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web', { loadBalancerClass: 'example.com/other' });
    await world.start();
    expect([world.takeWrites(), world.writes, await world.events('web')]).toEqual([[], [], []]);
    await world.stop();
  });
});
