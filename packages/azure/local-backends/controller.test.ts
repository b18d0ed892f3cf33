import { describe, expect, it } from 'vitest';
import { LocalWorld, plain } from './testing/local-world.ts';

/** A world in which the Service `web` runs on the nodes `a` and `b` and has been served. */
async function served(section: object = {}): Promise<LocalWorld> {
  const world = await new LocalWorld().setUp();
  await world.createService('web');
  await world.putSlice('web', 'web-1', ['10.244.0.1@a', '10.244.0.2@b']);
  await world.start(section);
  world.takeWrites();
  world.writes.length = 0;
  return world;
}

describe('a new local Service', () => {
  it('gets an address, who may reach it, a place on a load balancer, and then its status', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    await world.putSlice('web', 'web-1', ['10.244.0.1@a', '10.244.0.2@b']);
    await world.start();
    expect(world.takeWrites()).toEqual([
      'PUT publicIPAddresses/shop-web 201',
      'PUT networkSecurityGroups/nodes 200',
      'PUT loadBalancers/one 201',
    ]);
    expect(world.writes).toEqual(['PATCH shop/services/web', 'PATCH shop/services/web/status']);
    expect(await world.service('web')).toMatchObject({
      metadata: {
        finalizers: ['fairlead.dev/azure-local'],
        annotations: { 'azure-local.fairlead.dev/load-balancer': 'one' },
      },
      status: {
        loadBalancer: { ingress: [{ ip: '198.18.0.1', ipMode: 'VIP' }] },
        conditions: [{ type: 'fairlead.dev/Programmed', status: 'True', reason: 'Programmed' }],
      },
    });
    expect(await world.reasons('web')).toEqual(['EnsuringLoadBalancer', 'EnsuredLoadBalancer']);
    expect(world.readiness).toEqual({ ready: true });
    world.azure.assertConsistent();
    await world.stop();
  });

  it('goes where the fewest rules are, those of others counted', async () => {
    const world = await new LocalWorld().setUp();
    const path = world.loadBalancerPath('one');
    const address = path.replace('/loadBalancers/one', '/publicIPAddresses/theirs');
    const common = { location: 'westeurope', sku: { name: 'Standard' } };
    world.byHand('PUT', address, { ...common, properties: { publicIPAllocationMethod: 'Static' } });
    const frontend = { name: 'theirs', properties: { publicIPAddress: { id: address } } };
    const rule = { protocol: 'Tcp', frontendPort: 80, backendPort: 80 };
    const properties = { ...rule, frontendIPConfiguration: { id: `${path}/frontendIPConfigurations/theirs` } };
    world.byHand('PUT', path, {
      ...common,
      properties: { frontendIPConfigurations: [frontend], loadBalancingRules: [{ name: 'theirs', properties }] },
    });
    await world.createService('web');
    await world.start();
    expect(world.children('two').rules).toEqual(['shop-web-tcp-80']);
    expect(world.children('one').rules).toEqual(['theirs']);
    await world.stop();
  });

  it('is built as a standard load balancer needs it, with marks by which it is known to be ours', async () => {
    const world = await served();
    const service = await world.service('web');
    const { uid, name } = { uid: service?.metadata.uid ?? '', name: 'shop-web' };
    const marks = { 'fairlead-cluster': 'c1', 'fairlead-part': 'azure-local' };
    expect(world.publicIps).toMatchObject([
      { sku: { name: 'Standard' }, tags: { ...marks, 'fairlead-service': uid }, location: 'westeurope' },
    ]);
    const body = world.loadBalancer('one');
    expect(body).toMatchObject({ sku: { name: 'Standard' }, tags: marks, location: 'westeurope' });
    expect(world.children('one')).toEqual({
      frontends: [name],
      pools: [name],
      probes: [name],
      rules: [`${name}-tcp-80`],
    });
    expect(body?.properties.probes?.[0]?.properties).toMatchObject({
      protocol: 'Http',
      port: service?.spec.healthCheckNodePort,
      requestPath: '/healthz',
    });
    const rule = body?.properties.loadBalancingRules?.[0]?.properties;
    expect(rule).toMatchObject({
      protocol: 'Tcp',
      frontendPort: 80,
      backendPort: 80,
      enableFloatingIP: true,
      enableTcpReset: true,
      disableOutboundSnat: true,
      idleTimeoutInMinutes: 4,
      loadDistribution: 'Default',
    });
    expect(plain(rule?.backendAddressPool?.id ?? '')).toMatch(/\/one\/backendAddressPools\/shop-web$/);
    expect(world.securityRules.map(({ name: rule, properties }) => [plain(rule), properties])).toEqual([
      [
        'shop-web-allow-tcp',
        expect.objectContaining({
          access: 'Allow',
          direction: 'Inbound',
          priority: 500,
          sourceAddressPrefix: '*',
          destinationAddressPrefix: '198.18.0.1',
          destinationPortRanges: ['80'],
          description: 'Service shop/web of cluster c1',
        }),
      ],
    ]);
    await world.stop();
  });

  it('costs no more writes of a load balancer than one when fifty come together', async () => {
    const world = await new LocalWorld().setUp();
    const names = Array.from({ length: 50 }, (_, index) => `s${String(index).padStart(2, '0')}`);
    for (const name of names) await world.createService(name);
    await world.start();
    const writes = world.takeWrites();
    expect(writes.filter((line) => line.includes('publicIPAddresses'))).toHaveLength(50);
    expect(writes.filter((line) => !line.includes('publicIPAddresses'))).toEqual([
      'PUT networkSecurityGroups/nodes 200',
      'PUT loadBalancers/one 201',
      'PUT loadBalancers/two 201',
    ]);
    expect([world.children('one').pools.length, world.children('two').pools.length]).toEqual([25, 25]);
    for (const name of names) expect(await world.addresses(name)).toHaveLength(1);
    await world.stop();
  });

  it('waits for an address that Azure gives late', async () => {
    const world = await new LocalWorld({ behaviour: { addressDelay: { minimum: 5_000, maximum: 5_000 } } }).setUp();
    await world.createService('web');
    await world.start({}, 3);
    expect(world.takeWrites()).toEqual(['PUT publicIPAddresses/shop-web 201']);
    await world.pass(20);
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    await world.stop();
  });

  it('shows no address before Azure has given it those of both families', async () => {
    const world = await new LocalWorld({ behaviour: { addressDelay: { minimum: 0, maximum: 60_000 } } }).setUp();
    await world.createService('web', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] });
    await world.start({}, 2);
    const given = () => world.publicIps.filter(({ properties }) => properties.ipAddress !== undefined).length;
    const seen = new Set<string>();
    for (let round = 0; round < 40; round += 1) {
      await world.pass(3);
      seen.add(`${given()} given, ${(await world.addresses('web')).length} shown`);
    }
    expect([...seen].filter((line) => line.endsWith('1 shown'))).toEqual([]);
    expect(seen).toContain('1 given, 0 shown');
    expect([...seen].at(-1)).toBe('2 given, 2 shown');
    await world.stop();
  });

  it('is held, with its place recorded, before Azure hears of it, and until nothing of it is left there', async () => {
    const world = await new LocalWorld({ behaviour: { operationTime: { minimum: 5_000, maximum: 5_000 } } }).setUp();
    await world.createService('web');
    await world.start({}, 2);
    expect([world.publicIps.length, world.loadBalancer('one')]).toEqual([1, undefined]);
    expect(await world.service('web')).toMatchObject({
      metadata: {
        finalizers: ['fairlead.dev/azure-local'],
        annotations: { 'azure-local.fairlead.dev/load-balancer': 'one' },
      },
    });
    await world.pass(30);
    expect(await world.addresses('web')).toHaveLength(1);
    await world.deleteService('web');
    await world.pass(8);
    expect(world.children('one').rules).toEqual([]);
    expect((await world.service('web'))?.metadata.finalizers).toEqual(['fairlead.dev/azure-local']);
    await world.pass(30);
    expect([await world.service('web'), world.publicIps]).toEqual([undefined, []]);
    await world.stop();
  });

  it('is served through operations that take Azure its time', async () => {
    const world = await new LocalWorld({
      behaviour: { operationTime: { minimum: 2_000, maximum: 8_000 }, latency: { minimum: 50, maximum: 500 } },
    }).setUp();
    await world.createService('web');
    await world.createService('api');
    await world.start({}, 120);
    expect([await world.addresses('web'), await world.addresses('api')].flat()).toHaveLength(2);
    await world.stop();
  });
});

describe('a Service that is as it should be', () => {
  it('costs no write when a new leader starts, nor when everything is compared', async () => {
    const world = await served();
    await world.stop();
    await world.start({ comparisonIntervalSeconds: 60 }, 200);
    expect([world.takeWrites(), world.writes]).toEqual([[], []]);
    expect(await world.reasons('web')).toEqual(['EnsuringLoadBalancer', 'EnsuredLoadBalancer']);
    await world.stop();
  });

  it('costs no call at all when something else about it changes by our own hand', async () => {
    const world = await served({ comparisonIntervalSeconds: 0 });
    await world.pass(100);
    expect(world.azure.log.calls).toEqual([]);
    await world.stop();
  });
});

describe('a Service that changes', () => {
  it('has its rules and ports follow, and nothing else written', async () => {
    const world = await served();
    const ports = [
      { name: 'http', port: 8080, protocol: 'TCP' },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ] as const;
    await world.editService('web', { spec: { ports, sessionAffinity: 'ClientIP' } });
    await world.pass(5);
    expect(world.takeWrites()).toEqual(['PUT networkSecurityGroups/nodes 200', 'PUT loadBalancers/one 200']);
    expect(world.children('one').rules).toEqual(['shop-web-tcp-8080', 'shop-web-udp-53']);
    expect(world.loadBalancer('one')?.properties.loadBalancingRules).toMatchObject([
      { properties: { loadDistribution: 'SourceIP' } },
      { properties: { loadDistribution: 'SourceIP' } },
    ]);
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    expect((await world.reasons('web')).at(-1)).toBe('UpdatedLoadBalancer');
    await world.stop();
  });

  it('keeps out all but the sources it names, before anything else', async () => {
    const world = await served();
    await world.editService('web', { spec: { loadBalancerSourceRanges: ['192.0.2.0/24', '203.0.113.7/32'] } });
    await world.pass(5);
    expect(world.takeWrites()).toEqual(['PUT networkSecurityGroups/nodes 200']);
    expect(world.securityRules.map(({ name, properties }) => [plain(name), properties])).toEqual([
      [
        'shop-web-allow-tcp',
        expect.objectContaining({ priority: 500, sourceAddressPrefixes: ['192.0.2.0/24', '203.0.113.7/32'] }),
      ],
      [
        'shop-web-deny',
        expect.objectContaining({
          priority: 4096,
          access: 'Deny',
          protocol: '*',
          destinationAddressPrefix: '198.18.0.1',
        }),
      ],
    ]);
    await world.editService('web', { spec: { loadBalancerSourceRanges: null } });
    await world.pass(5);
    expect(world.securityRules.map(({ name }) => plain(name))).toEqual(['shop-web-allow-tcp']);
    await world.stop();
  });

  it('gets a second address with a second family, and loses it again', async () => {
    const world = await served();
    await world.putSlice('web', 'web-6', ['fd10::1@c']);
    await world.editService('web', { spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] } });
    await world.pass(5);
    expect(await world.addresses('web')).toEqual(['198.18.0.1', '2001:db8::1']);
    expect(world.pools('one')).toEqual({ 'shop-web': ['10.0.1.1', '10.0.1.2'], 'shop-web-v6': ['fd00::1:3'] });
    await world.editService('web', { spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] } });
    await world.pass(5);
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    expect(world.children('one').pools).toEqual(['shop-web']);
    expect(world.publicIps.map(({ name }) => plain(name))).toEqual(['shop-web']);
    await world.stop();
  });

  it('moves to an internal address and back', async () => {
    const world = await served();
    const internal = 'service.beta.kubernetes.io/azure-load-balancer-internal';
    await world.editService('web', { metadata: { annotations: { [internal]: 'true' } } });
    await world.pass(10);
    expect(world.takeWrites()).toEqual([
      'PUT loadBalancers/one 200',
      'DELETE loadBalancers/one 200',
      'PUT loadBalancers/inside 201',
      'PUT networkSecurityGroups/nodes 200',
      'DELETE publicIPAddresses/shop-web 200',
    ]);
    expect(await world.addresses('web')).toEqual(['10.0.0.4']);
    expect(world.pools('inside')).toEqual({ 'shop-web': ['10.0.1.1', '10.0.1.2'] });
    await world.editService('web', { metadata: { annotations: { [internal]: null } } });
    await world.pass(10);
    expect(await world.addresses('web')).toEqual(['198.18.0.2']);
    expect([world.loadBalancer('inside'), world.children('one').rules]).toEqual([undefined, ['shop-web-tcp-80']]);
    await world.stop();
  });
});

describe('an internal Service', () => {
  it('may choose its address, and keeps out sources it does not name before its rules let any traffic in', async () => {
    const world = await new LocalWorld().setUp();
    const internal = { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' };
    const loadBalancerSourceRanges = ['10.0.9.0/24'];
    await world.createService('web', { loadBalancerIP: '10.0.7.7', loadBalancerSourceRanges }, internal);
    await world.start();
    expect(world.takeWrites()).toEqual([
      'PUT loadBalancers/inside 201',
      'PUT networkSecurityGroups/nodes 200',
      'PUT loadBalancers/inside 200',
    ]);
    expect(await world.addresses('web')).toEqual(['10.0.7.7']);
    expect(world.securityRules.map(({ properties }) => properties.access)).toEqual(['Allow', 'Deny']);
    await world.stop();
  });
});

describe('a Service that is deleted', () => {
  it('leaves nothing behind, and is let go last', async () => {
    const world = await served();
    await world.createService('api');
    await world.pass(5);
    world.takeWrites();
    world.writes.length = 0;
    await world.deleteService('web');
    await world.pass(5);
    expect(world.takeWrites()).toEqual([
      'PUT loadBalancers/one 200',
      'PUT networkSecurityGroups/nodes 200',
      'DELETE publicIPAddresses/shop-web 200',
      'DELETE loadBalancers/one 200',
    ]);
    expect(world.writes).toEqual(['PATCH shop/services/web/status', 'PATCH shop/services/web']);
    expect(await world.service('web')).toBeUndefined();
    expect((await world.reasons('web')).slice(-2)).toEqual(['DeletingLoadBalancer', 'DeletedLoadBalancer']);
    expect(world.publicIps.map(({ name }) => plain(name))).toEqual(['shop-api']);
    expect(world.securityRules.map(({ name }) => plain(name))).toEqual(['shop-api-allow-tcp']);
    await world.stop();
  });

  it('is taken down also when it is no longer a load balancer', async () => {
    const world = await served();
    await world.editService('web', {
      spec: { type: 'ClusterIP', loadBalancerClass: null, externalTrafficPolicy: null, healthCheckNodePort: null },
    });
    await world.pass(5);
    expect([world.publicIps, world.loadBalancer('one'), world.securityRules]).toEqual([[], undefined, []]);
    const { metadata, status } = (await world.service('web')) ?? {};
    expect([metadata?.finalizers, metadata?.annotations, status?.conditions]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await world.stop();
  });

  it('leaves the load balancer of another owner, and everything in it that is not ours', async () => {
    const world = await new LocalWorld().setUp();
    const theirs = [{ name: 'aksOutboundBackendPool', properties: {} }];
    const body = { location: 'westeurope', sku: { name: 'Standard' }, properties: { backendAddressPools: theirs } };
    world.byHand('PUT', world.loadBalancerPath('one'), body);
    await world.createService('web');
    await world.start();
    expect(world.children('one').pools).toEqual(['aksOutboundBackendPool', 'shop-web']);
    await world.deleteService('web');
    await world.pass(5);
    expect(world.children('one')).toEqual({ frontends: [], pools: ['aksOutboundBackendPool'], probes: [], rules: [] });
    await world.stop();
  });
});
