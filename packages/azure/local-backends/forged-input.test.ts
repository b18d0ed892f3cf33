import { namespaces, services } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { armId, type ArmId } from '../arm/index.ts';
import { AZURE_LOCAL_CLASS } from './load-balancers/desired.ts';
import { LocalWorld, plain } from './testing/local-world.ts';

const AZURE = 'service.beta.kubernetes.io/azure-';
const RECORDED = 'azure-local.fairlead.dev/';
const GROUP = { subscriptionId: 'sub', resourceGroup: 'cluster' };

const demanding = (demands: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(demands).map(([name, value]) => [`${AZURE}${name}`, value]));

/** A Service that nobody has forged is served beside what is there, and can be looked at. */
async function expectServed(world: LocalWorld, name = 'web'): Promise<void> {
  await world.createService(name);
  await world.start();
  expect(await world.addresses(name)).toHaveLength(1);
  expect(world.readiness).toEqual({ ready: true });
  await expect(world.configured().plan(world.readEnvironment)).resolves.toBeDefined();
}

/** A public address as a user has made it, and uses for nothing yet. */
function putAddress(world: LocalWorld, name: string, tags: Readonly<Record<string, string>> = {}) {
  const id: ArmId<'publicIPAddresses'> = armId('publicIPAddresses', GROUP, name);
  const properties = { publicIPAllocationMethod: 'Static', publicIPAddressVersion: 'IPv4' };
  world.byHand('PUT', id, { location: 'westeurope', sku: { name: 'Standard' }, tags, properties });
}

/** The rules of the security group, without the marks in their names. */
const guards = ({ securityRules }: LocalWorld) => securityRules.map(({ name }) => plain(name)).toSorted();

describe('a subnet that a Service names', () => {
  it.each([
    ['that we may not use it', 403, 'LinkedAuthorizationFailed'],
    ['that it is not there', 404, 'NotFound'],
    ['that it does not fit', 400, 'SubnetNotInSameVnet'],
    ['that a policy forbids it', 403, 'RequestDisallowedByPolicy'],
    ['that it failed at it', 400, 'ReferencedResourceNotProvisioned'],
  ])('holds up only that Service when Azure says %s', async (_, status, code) => {
    const world = await new LocalWorld().setUp();
    const send = world.azure.send.bind(world.azure);
    world.azure.send = (request) => {
      const isForged = request.method === 'PUT' && (request.body ?? '').includes('/subnets/theirs');
      if (isForged) world.azure.faults.next({ kind: 'loadBalancers' }, { kind: 'refuse', status, code });
      return send(request);
    };
    const internal = demanding({ 'load-balancer-internal': 'true' });
    await world.createService(
      'forged',
      {},
      { ...internal, ...demanding({ 'load-balancer-internal-subnet': 'theirs' }) },
    );
    for (const name of ['api', 'web']) await world.createService(name, {}, internal);
    await world.start();
    expect(await Promise.all(['api', 'web'].map((name) => world.addresses(name)))).toEqual([
      [expect.any(String)],
      [expect.any(String)],
    ]);
    // Not even at first: who is tried again at another time than the forged one is served after all.
    for (const name of ['api', 'web']) expect(await world.reasons(name)).not.toContain('SyncLoadBalancerFailed');
    expect(await world.addresses('forged')).toEqual([]);
    expect((await world.events('forged')).at(-1)?.note).toContain(code);
    await world.stop();
  });
});

describe('Services that Azure refuses for a subnet that they name', () => {
  const naming = (subnet: string) =>
    demanding({ 'load-balancer-internal': 'true', 'load-balancer-internal-subnet': subnet });
  const names = Array.from({ length: 12 }, (_, index) => `forged-${index}`);
  const tried = (world: LocalWorld) =>
    world.takeWrites().filter((line) => line.startsWith('PUT loadBalancers/')).length;

  async function refused(): Promise<LocalWorld> {
    const world = await new LocalWorld().setUp();
    for (const name of names) await world.createService(name, {}, naming('missing'));
    await world.start();
    return world;
  }

  it('are tried ever more seldom, however often all is compared', async () => {
    const world = await refused();
    await world.pass(3_600);
    expect(tried(world)).toBeLessThan(100);
    await world.pass(3_600);
    // Each of them twice, and now and then two at once, which takes three writes.
    expect(tried(world)).toBeLessThan(36);
    await world.stop();
  });

  it('are served soon after they were put right: at once by their owner, within half an hour by an operator', async () => {
    const world = await refused();
    await world.pass(7_200);
    await world.editService('forged-0', { metadata: { annotations: naming('nodes') } });
    await world.pass(10);
    expect(await world.addresses('forged-0')).toHaveLength(1);
    const network = armId('virtualNetworks', GROUP, 'net');
    const subnets = ['nodes', 'missing'].map((name, index) => ({
      name,
      properties: { addressPrefixes: [`10.${index}.0.0/16`, `fd00:0:0:${index}::/64`] },
    }));
    const properties = { addressSpace: { addressPrefixes: ['10.0.0.0/8', 'fd00::/48'] }, subnets };
    world.byHand('PUT', network, { location: 'westeurope', properties });
    await world.pass(2_000);
    for (const name of names) expect(await world.addresses(name)).toHaveLength(1);
    // From then on they are compared as all others are.
    world.byHand('DELETE', world.loadBalancerPath('inside'));
    await world.pass(400);
    expect(world.children('inside').frontends).toHaveLength(names.length);
    await world.stop();
  });
});

describe('a resource group that a Service names', () => {
  it.each([
    ['403, as Azure does where nothing may be read', 403, 'AuthorizationFailed'],
    ['404', 404, 'ResourceGroupNotFound'],
    ['409', 409, 'Conflict'],
  ])('holds up only that Service when it is answered %s', async (_, status, code) => {
    const world = await new LocalWorld().setUp();
    world.closedGroups.set('theirs', { status, code });
    await world.createService('forged', {}, demanding({ 'pip-name': 'x', 'load-balancer-resource-group': 'Theirs' }));
    await expectServed(world);
    expect(await world.addresses('forged')).toEqual([]);
    expect(await world.reasons('forged')).toContain('SyncLoadBalancerFailed');
    await world.stop();
  });

  it.each(['..', '.', '../../x', '%2e%2e', 'a?b', 'a#b', 'a/b'])('is not read when it is called %s', async (name) => {
    const world = await new LocalWorld().setUp();
    await world.createService('forged', {}, demanding({ 'pip-name': 'x', 'load-balancer-resource-group': name }));
    await expectServed(world);
    const group = '/subscriptions/sub/resourceGroups/cluster/';
    expect(world.paths.filter((path) => !path.startsWith(group) && !path.includes('/locations/'))).toEqual([]);
    await world.stop();
  });

  const elsewhere = (world: LocalWorld) => world.paths.filter((path) => path.includes('/resourceGroups/group-'));
  /** How many of them were read in each look. */
  const looks = (world: LocalWorld): readonly number[] => {
    const counts: number[] = [];
    for (const path of world.paths) {
      if (path.endsWith('/cluster/providers/Microsoft.Network/publicIPAddresses')) counts.push(0);
      else if (elsewhere(world).includes(path)) counts.push((counts.pop() ?? 0) + 1);
    }
    return counts;
  };

  it('is one of a bounded number in each look, however many there are', async () => {
    const world = await new LocalWorld().setUp();
    for (let index = 0; index < 60; index += 1) {
      const demands = { 'pip-name': 'x', 'load-balancer-resource-group': `group-${index}` };
      await world.createService(`forged-${index}`, {}, demanding(demands));
    }
    await world.start();
    expect(Math.max(...looks(world))).toBe(20);
    expect(await world.reasons('forged-59')).toContain('SyncLoadBalancerFailed');
    await world.stop();
  });

  it('is looked into at once when the Service is the oldest of its namespace', async () => {
    const world = await new LocalWorld().setUp();
    const naming = (group: string) => demanding({ 'pip-name': 'x', 'load-balancer-resource-group': group });
    await world.createService('z', {}, naming('group-z'));
    await world.pass(10);
    for (let index = 0; index < 30; index += 1) {
      await world.createService(`forged-${index}`, {}, naming(`group-${index}`));
    }
    await world.start({}, 1);
    expect(elsewhere(world).slice(0, 20).join()).toContain('/resourceGroups/group-z/');
    await world.stop();
  });

  it('is looked into at once, however many the older Services of another namespace name', async () => {
    const world = await new LocalWorld().setUp();
    for (let index = 0; index < 30; index += 1) {
      const demands = { 'pip-name': 'x', 'load-balancer-resource-group': `group-${index}` };
      await world.createService(`forged-${index}`, {}, demanding(demands));
    }
    await world.pass(10);
    await world.client.create(namespaces, { metadata: { name: 'bank' } });
    const annotations = demanding({ 'pip-name': 'x', 'load-balancer-resource-group': 'group-bank' });
    const spec = {
      type: 'LoadBalancer',
      loadBalancerClass: AZURE_LOCAL_CLASS,
      externalTrafficPolicy: 'Local',
      ports: [{ port: 80 }],
    } as const;
    await world.client.create(services, { metadata: { namespace: 'bank', name: 'web', annotations }, spec });
    await world.start({}, 1);
    expect(elsewhere(world).slice(0, 20).join()).toContain('/resourceGroups/group-bank/');
    await world.stop();
  });

  it('is not read by the sweep, which needs no such address', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('forged', {}, demanding({ 'pip-name': 'x', 'load-balancer-resource-group': 'group-1' }));
    await world.start();
    expect(elsewhere(world)).toHaveLength(looks(world).length - 1);
    await world.stop();
  });
});

describe('what an owner writes into the record of a Service', () => {
  it.each(['IPv4=a/b', 'IPv4=../../x', 'IPv4=a?b', 'IPv4=a#b,IPv6=c/d'])(
    'holds up nobody by a pool that is called %s, neither while the Service is there nor when it goes',
    async (pools) => {
      const world = await new LocalWorld().setUp();
      await world.createService('first');
      await world.start();
      await world.stop();
      const record = { [`${RECORDED}adopted-backend-pools`]: pools, [`${RECORDED}load-balancer`]: 'one' };
      await world.createService('forged', {}, record);
      await expectServed(world);
      expect(await world.addresses('forged')).toHaveLength(1);
      await world.editService('forged', { metadata: { annotations: record } });
      await world.deleteService('forged');
      await world.pass(20);
      expect(await world.service('forged')).toBeUndefined();
      await world.stop();
    },
  );

  it('takes no room on a load balancer for what is not served there', async () => {
    const world = await new LocalWorld().setUp();
    const ports = Array.from({ length: 130 }, (__, index) => ({ name: `p${index}`, port: index + 1 }));
    for (const [index, name] of ['one', 'one', 'two', 'two'].entries()) {
      const spec = { ports, externalTrafficPolicy: 'Cluster' } as const;
      await world.createService(`forged-${index}`, spec, { [`${RECORDED}load-balancer`]: name });
    }
    await world.start();
    await world.createService('web');
    await world.pass(20);
    expect(await world.addresses('web')).toHaveLength(1);
    await world.stop();
  });
});

describe('a public address that a Service names', () => {
  it.each([
    ['another cluster', { 'fairlead-cluster': 'c2', 'fairlead-part': 'azure-local', 'fairlead-service': 'u' }],
    ['another part', { 'fairlead-cluster': 'c1', 'fairlead-part': 'azure-service-gateway', 'fairlead-egress': 'blue' }],
  ])('is not taken from %s, even while nothing uses it', async (_, tags) => {
    const world = await new LocalWorld().setUp();
    putAddress(world, 'theirs', tags);
    await world.createService('forged', {}, demanding({ 'pip-name': 'theirs' }));
    await expectServed(world);
    expect(await world.addresses('forged')).toEqual([]);
    await world.stop();
  });

  it('is given to one of two that name it at the same time, and a third is served', async () => {
    const world = await new LocalWorld().setUp();
    putAddress(world, 'free');
    for (const name of ['first', 'second']) {
      await world.createService(name, {}, demanding({ 'pip-name': 'free' }));
    }
    await expectServed(world);
    await world.pass(60);
    expect([...(await world.addresses('first')), ...(await world.addresses('second'))]).toHaveLength(1);
    await world.stop();
  });

  it('lets nobody in whom the Service keeps out that has it, though another names it at the same time', async () => {
    const world = await new LocalWorld().setUp();
    putAddress(world, 'free');
    await world.createService(
      'bank',
      { loadBalancerSourceRanges: ['192.0.2.0/24'] },
      demanding({ 'pip-name': 'free' }),
    );
    await world.pass(1);
    await world.createService('forged', {}, demanding({ 'pip-name': 'Free' }));
    await world.start();
    expect([await world.addresses('bank'), await world.addresses('forged')]).toEqual([[expect.any(String)], []]);
    expect(await world.reasons('forged')).toContain('SyncLoadBalancerFailed');
    expect(await world.reasons('bank')).not.toContain('SyncLoadBalancerFailed');
    expect(guards(world)).toEqual(['shop-bank-allow-tcp', 'shop-bank-deny']);
    await world.stop();
  });

  it('lets nobody in by the rules of a Service that has failed to get it', async () => {
    const world = await new LocalWorld().setUp();
    putAddress(world, 'free');
    const send = world.azure.send.bind(world.azure);
    world.azure.send = (request) => {
      const isForged = request.url.includes('/loadBalancers/') && (request.body ?? '').includes('shop-forged');
      if (isForged) world.azure.faults.next({ kind: 'loadBalancers' }, { kind: 'refuse', status: 400, code: 'No' });
      return send(request);
    };
    await world.createService('forged', {}, demanding({ 'pip-name': 'free' }));
    await world.start({}, 0.1);
    expect(guards(world)).toEqual(['shop-forged-allow-tcp']);
    await world.createService(
      'bank',
      { loadBalancerSourceRanges: ['192.0.2.0/24'] },
      demanding({ 'pip-name': 'free' }),
    );
    await world.pass(60);
    expect([await world.addresses('bank'), await world.addresses('forged')]).toEqual([[expect.any(String)], []]);
    expect(guards(world)).toEqual(['shop-bank-allow-tcp', 'shop-bank-deny']);
    await world.stop();
  });
});

describe('the clients that a Service names', () => {
  it('are told by so few ranges that the security group has room for those of others', async () => {
    const world = await new LocalWorld().setUp();
    const ranges = Array.from({ length: 1_500 }, (__, index) => `10.1.${index >> 8}.${index & 255}/32`);
    await world.createService('forged', { loadBalancerSourceRanges: ranges });
    const ofBoth = [...ranges.slice(0, 600), ...ranges.slice(0, 600).map((_, index) => `2001:db8::${index + 1}/128`)];
    await world.createService('both', { loadBalancerSourceRanges: ofBoth });
    await world.createService('large', { loadBalancerSourceRanges: ranges.slice(0, 1_000) });
    await expectServed(world);
    expect(await world.reasons('forged')).toEqual(['LoadBalancerRefused']);
    expect(await world.reasons('both')).toEqual(['LoadBalancerRefused']);
    expect(await world.addresses('large')).toHaveLength(1);
    await world.stop();
  });

  it('are told by few service tags, so that one Service does not use up the rules of all', async () => {
    const world = await new LocalWorld().setUp();
    const tags = Array.from({ length: 400 }, (__, index) => `Storage.Region${index}`).join();
    await world.createService('forged', {}, demanding({ 'allowed-service-tags': tags }));
    await expectServed(world);
    expect(await world.reasons('forged')).toEqual(['LoadBalancerRefused']);
    expect(world.securityRules).toHaveLength(1);
    await world.stop();
  });
});

describe('a prefix that a Service names', () => {
  const id = '/subscriptions/sub/resourceGroups/cluster/providers/Microsoft.Network/publicIPPrefixes/range';

  it.each(['range', `${id}/../x`, `/x${id}`, id.replace('sub/', 'sub/../../'), `${id}?x`])(
    'is refused when it is no id of one: %s',
    async (prefix) => {
      const world = await new LocalWorld().setUp();
      await world.createService('forged', {}, demanding({ 'pip-prefix-id': prefix }));
      await expectServed(world);
      expect(await world.reasons('forged')).toEqual(['LoadBalancerRefused']);
      await world.stop();
    },
  );
});

describe('a subnet that a Service names', () => {
  it.each(['a/b', '../x', 'a?b', '..', 'x'.repeat(100)])('is refused when no subnet can be called %s', async (name) => {
    const world = await new LocalWorld().setUp();
    const demands = { 'load-balancer-internal': 'true', 'load-balancer-internal-subnet': name };
    await world.createService('forged', {}, demanding(demands));
    await expectServed(world);
    expect(await world.reasons('forged')).toEqual(['LoadBalancerRefused']);
    await world.stop();
  });
});
