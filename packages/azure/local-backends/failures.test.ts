import { events, leases } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { driftTotal, heldDeletions } from './metrics.ts';
import { LocalWorld, plain } from './testing/local-world.ts';

const internal = { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' };
const LEASE = { namespace: 'kube-system', name: 'aks-managed-resource-locker' };

describe('a Service that Azure refuses', () => {
  it('is found by halves and left out, so that all others on the load balancer are served', async () => {
    const world = await new LocalWorld().setUp();
    for (let index = 0; index < 12; index += 1) await world.createService(`s${index}`, {}, internal);
    await world.createService('bad', { loadBalancerIP: '10.9.9.9' }, internal);
    await world.start();
    for (let index = 0; index < 12; index += 1) expect(await world.addresses(`s${index}`)).toHaveLength(1);
    expect(await world.addresses('bad')).toEqual([]);
    const refused = (await world.events('bad')).at(-1);
    expect([refused?.reason, refused?.note]).toEqual([
      'ServiceQuarantined',
      expect.stringContaining('PrivateIPAddressNotInSubnet'),
    ]);
    const puts = world.takeWrites();
    expect(puts.filter((line) => line.startsWith('PUT loadBalancers/inside')).length).toBeLessThan(12);
    await world.editService('bad', { spec: { loadBalancerIP: '10.0.9.9' } });
    await world.pass(5);
    expect(await world.addresses('bad')).toEqual(['10.0.9.9']);
    await world.stop();
  });

  it('for lack of quota waits for it, and holds no other Service up', async () => {
    const world = await new LocalWorld({ behaviour: { publicIpLimit: 2 } }).setUp();
    for (const name of ['first', 'second', 'third']) await world.createService(name);
    await world.start();
    const counts = await Promise.all(['first', 'second', 'third'].map((name) => world.addresses(name)));
    expect(counts.flat()).toHaveLength(2);
    const unlucky = counts.findIndex((addresses) => addresses.length === 0);
    const name = ['first', 'second', 'third'][unlucky] ?? '';
    expect((await world.events(name)).at(-1)).toMatchObject({
      reason: 'SyncLoadBalancerFailed',
      note: expect.stringContaining('PublicIPCountLimitReached'),
    });
    world.azure.behave({ publicIpLimit: 3 });
    await world.pass(600);
    expect(await world.addresses(name)).toHaveLength(1);
    await world.stop();
  });

  it('while it is deleted is told of, and let go when Azure agrees', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    await world.start();
    world.azure.faults.next(
      { method: 'DELETE', kind: 'publicIPAddresses' },
      { kind: 'refuse', status: 400, code: 'InUse' },
    );
    await world.deleteService('web');
    await world.pass(5);
    expect(await world.reasons('web')).toContain('DeleteLoadBalancerFailed');
    expect(await world.service('web')).toBeDefined();
    await world.pass(600);
    expect([await world.service('web'), world.publicIps]).toEqual([undefined, []]);
    await world.stop();
  });

  it('while it is deleted goes soon after Azure agrees, however long that took', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    await world.start();
    const inUse = { kind: 'refuse', status: 400, code: 'InUse' } as const;
    world.azure.faults.next({ method: 'DELETE', kind: 'publicIPAddresses' }, inUse, 1_000);
    await world.deleteService('web');
    await world.pass(7_200);
    expect(await world.service('web')).toBeDefined();
    world.azure.faults.clear();
    await world.pass(330);
    expect([await world.service('web'), world.publicIps]).toEqual([undefined, []]);
    await world.stop();
  });
});

describe('the part', () => {
  it('starts while Azure is down, says so, and goes on when it is back', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    world.azure.faults.next({}, { kind: 'refuse', status: 503, code: 'Down' }, 200);
    await world.start({}, 60);
    expect(world.readiness).toEqual({ ready: false, reason: expect.stringContaining('Azure cannot be read: ') });
    expect((await world.events('web')).at(-1)).toMatchObject({ reason: 'SyncLoadBalancerFailed' });
    world.azure.faults.clear();
    await world.pass(400);
    expect([world.readiness, await world.addresses('web')]).toEqual([{ ready: true }, ['198.18.0.1']]);
    await world.stop();
  });

  it('is ready once it has read Azure, also when there is nothing to serve', async () => {
    const world = await new LocalWorld().setUp();
    await world.start();
    expect(world.readiness).toEqual({ ready: true });
    await world.stop();
  });

  it('says what to do when the security group of the configuration is not there', async () => {
    const world = await new LocalWorld().setUp();
    const group = '/subscriptions/sub/resourceGroups/cluster/providers/Microsoft.Network/networkSecurityGroups/nodes';
    world.byHand('DELETE', group);
    await world.createService('web');
    await world.start();
    expect((await world.events('web')).at(-1)?.note).toMatch(/create it, or correct securityGroupName/);
    expect(world.takeWrites()).toEqual([]);
    await world.stop();
  });

  it('changes nothing while another component holds the resources, and everything afterwards', async () => {
    const world = await new LocalWorld().setUp();
    const renewTime = new Date(world.clock.now()).toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: 'aks-resource-provider', leaseDurationSeconds: 900, renewTime };
    await world.client.create(leases, { metadata: LEASE, spec });
    await world.createService('web');
    await world.start({}, 600);
    expect([world.takeWrites(), world.writes]).toEqual([[], []]);
    expect((await world.events('web')).at(-1)?.note).toContain('aks-resource-provider holds it');
    await world.pass(900);
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    expect(await world.client.get(leases, LEASE)).toMatchObject({
      metadata: { annotations: { 'aks-managed-resource-locker-previous-holder': 'fairlead-azure-local' } },
      spec: { holderIdentity: '' },
    });
    await world.stop();
  });

  it('holds no lock while Azure throttles for long, and goes on when that is over', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    await world.start();
    world.azure.faults.throttle({ method: 'PUT' }, 600_000);
    await world.createService('api');
    for (let minute = 0; minute < 9; minute += 1) {
      await world.pass(60);
      expect(await world.client.get(leases, LEASE)).toMatchObject({ spec: { holderIdentity: '' } });
    }
    const asked = world.azure.log.writes.filter(({ outcome }) => outcome === 429);
    expect(asked.length).toBeLessThanOrEqual(2);
    await world.pass(120);
    expect(await world.addresses('api')).toEqual(['198.18.0.2']);
    await world.stop();
  });

  it('does without that lock where it is switched off', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    await world.start({ resourceLock: false });
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    expect(await world.client.find(leases, LEASE)).toBeUndefined();
    await world.stop();
  });

  it('makes no write that its own Lease does not outlive', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    world.mayCall = false;
    await world.start({}, 60);
    expect([world.azure.log.writes, world.writes]).toEqual([[], []]);
    world.mayCall = true;
    await world.pass(300);
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    await world.stop();
  });

  it('writes again what another program was faster to write, from what is there then', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    world.azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, { kind: 'refuse', status: 412, code: 'Changed' });
    world.azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, { kind: 'lose-response' });
    await world.start({}, 60);
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    expect(world.children('one').rules).toEqual(['shop-web-tcp-80']);
    await world.stop();
  });

  it('says so when another program keeps being faster to write an address, and tries once at a time', async () => {
    const world = await new LocalWorld().setUp();
    const label = (name: string) => ({ 'service.beta.kubernetes.io/azure-dns-label-name': name });
    await world.createService('web', {}, label('web'));
    await world.start({ comparisonIntervalSeconds: 0 });
    world.takeWrites();
    const changed = { kind: 'refuse', status: 412, code: 'Changed' } as const;
    world.azure.faults.next({ method: 'PUT', kind: 'publicIPAddresses' }, changed, 1_000);
    await world.editService('web', { metadata: { annotations: label('shop') } });
    await world.pass(0.2);
    expect(world.takeWrites()).toEqual(['PUT publicIPAddresses/shop-web 412 Changed']);
    expect((await world.events('web')).at(-1)).toMatchObject({
      reason: 'SyncLoadBalancerFailed',
      note: expect.stringContaining('Changed'),
    });
    world.azure.faults.clear();
    await world.pass(60);
    expect(world.publicIps.map(({ properties }) => properties.dnsSettings?.domainNameLabel)).toEqual(['shop']);
    await world.stop();
  });

  it('leaves an empty load balancer that Azure does not let go for the next time', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    await world.start({ comparisonIntervalSeconds: 60 });
    const refusal = { kind: 'refuse', status: 400, code: 'InUse' } as const;
    world.azure.faults.next({ method: 'DELETE', kind: 'loadBalancers' }, refusal, 50);
    await world.deleteService('web');
    await world.pass(5);
    expect(await world.service('web')).toBeUndefined();
    expect(await world.reasons('web')).not.toContain('DeleteLoadBalancerFailed');
    expect(world.children('one').pools).toEqual([]);
    world.azure.faults.clear();
    await world.pass(100);
    expect(world.loadBalancer('one')).toBeUndefined();
    await world.stop();
  });

  it('counts what it had to put right', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    await world.start({ comparisonIntervalSeconds: 60 });
    world.byHand('DELETE', world.loadBalancerPath('one'));
    await world.pass(100);
    expect(world.children('one').rules).toEqual(['shop-web-tcp-80']);
    expect(world.metrics.lines(driftTotal)).toEqual(['put-load-balancer 1']);
    await world.stop();
  });
});

describe('what is left of Services that no longer exist', () => {
  /** Services that were served and then vanished without the part being told. */
  async function abandoned(count: number): Promise<LocalWorld> {
    const world = await new LocalWorld().setUp();
    await world.createService('stays');
    for (let index = 0; index < count; index += 1) await world.createService(`gone${index}`);
    await world.start();
    await world.stop();
    for (let index = 0; index < count; index += 1) {
      await world.editService(`gone${index}`, { metadata: { finalizers: null } });
      await world.deleteService(`gone${index}`);
    }
    world.takeWrites();
    return world;
  }

  it('is removed when a leader starts, and nothing else is', async () => {
    const world = await abandoned(2);
    world.byHand(
      'PUT',
      '/subscriptions/sub/resourceGroups/cluster/providers/Microsoft.Network/publicIPAddresses/theirs',
      {
        location: 'westeurope',
        sku: { name: 'Standard' },
        properties: { publicIPAllocationMethod: 'Static' },
      },
    );
    await world.start({ comparisonIntervalSeconds: 0 });
    expect(world.publicIps.map(({ name }) => plain(name))).toEqual(['shop-stays', 'theirs']);
    expect(world.securityRules.map(({ name }) => plain(name))).toEqual(['shop-stays-allow-tcp']);
    expect([...world.children('one').pools, ...world.children('two').pools]).toEqual(['shop-stays']);
    await world.stop();
  });

  const stripped = { metadata: { finalizers: null } };

  it.each<[string, number, (world: LocalWorld) => Promise<unknown>]>([
    ['and nothing comes in its place', 0, (world) => world.forceDeleteService('web')],
    [
      'while another of its name is made',
      1,
      async (world) => {
        await world.forceDeleteService('web');
        await world.createService('web');
      },
    ],
    [
      'although it was on its way out',
      0,
      async (world) => {
        await world.deleteService('web');
        await world.editService('web', stripped);
      },
    ],
    [
      'and it is no load balancer any more',
      0,
      (world) => {
        const spec = { type: 'ClusterIP', loadBalancerClass: null, externalTrafficPolicy: null } as const;
        return world.editService('web', { ...stripped, spec: { ...spec, healthCheckNodePort: null } });
      },
    ],
  ])('is removed soon when the finalizer is taken off, %s', async (_, count, strip) => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    await world.start({ comparisonIntervalSeconds: 0 });
    const left = world.publicIps.map(({ name }) => name);
    await world.pass(60);
    await strip(world);
    await world.pass(60);
    expect(world.publicIps.filter(({ name }) => left.includes(name))).toEqual([]);
    expect([world.publicIps.length, world.securityRules.length]).toEqual([count, count]);
    await world.stop();
  });

  it('is looked for by no comparison when all were let go', async () => {
    const world = await new LocalWorld().setUp();
    for (const name of ['mail', 'web']) await world.createService(name);
    await world.start({ comparisonIntervalSeconds: 0 });
    await world.pass(60);
    world.paths.length = 0;
    await world.deleteService('web');
    await world.pass(3_600);
    expect(await world.service('web')).toBeUndefined();
    // For the sake of its deletion.
    expect(world.paths.filter((path) => path.endsWith('/publicIPAddresses'))).toHaveLength(1);
    await world.stop();
  });

  it('is held back when there is suspiciously much of it, until a later look confirms it', async () => {
    const world = await abandoned(8);
    await world.start({ comparisonIntervalSeconds: 100 });
    expect(world.publicIps).toHaveLength(9);
    expect(world.metrics.lines(heldDeletions)).toEqual([' 8']);
    const { items } = await world.client.list(events, { namespace: 'default' });
    expect(items.map(({ reason, note }) => [reason, note])).toEqual([
      ['DeletionHeldBack', expect.stringContaining('Holding back the deletion of 8 of 9')],
    ]);
    await world.pass(800);
    expect(world.publicIps.map(({ name }) => plain(name))).toEqual(['shop-stays']);
    await world.stop();
  });

  it('is looked at once more also where nothing is compared', async () => {
    const world = await abandoned(8);
    await world.start({ comparisonIntervalSeconds: 0 });
    expect(world.publicIps).toHaveLength(9);
    await world.pass(800);
    expect(world.publicIps.map(({ name }) => plain(name))).toEqual(['shop-stays']);
    world.azure.log.clear();
    await world.pass(3_600);
    expect(world.azure.log.calls).toEqual([]);
    await world.stop();
  });

  it('waits while another component holds the resources, which is no failure of ours', async () => {
    const world = await abandoned(1);
    await world.start({ comparisonIntervalSeconds: 60 });
    expect(world.publicIps).toHaveLength(1);
    await world.createService('gone-too');
    await world.pass(10);
    await world.forceDeleteService('gone-too');
    const renewTime = new Date(world.clock.now()).toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: 'aks-resource-provider', leaseDurationSeconds: 600, renewTime };
    await world.client.patchMerge(leases, LEASE, { spec });
    await world.pass(500);
    expect([world.publicIps.length, world.readiness]).toEqual([2, { ready: true }]);
    await world.pass(300);
    expect(world.publicIps.map(({ name }) => plain(name))).toEqual(['shop-stays']);
    await world.stop();
  });
});

describe('Services that are written together', () => {
  it('are not taken apart while Azure is at work on what they refer to: nobody is to blame, and each write counts', async () => {
    const world = await new LocalWorld().setUp();
    const names = Array.from({ length: 8 }, (_, index) => `s${index}`);
    for (const name of names) await world.createService(name, {}, internal);
    const busy = { kind: 'refuse', status: 429, code: 'ReferencedResourceNotProvisioned' } as const;
    for (let index = 0; index < 20; index += 1) {
      world.azure.faults.next(
        { method: 'PUT', kind: 'loadBalancers' },
        { ...busy, headers: { 'retry-after': '3600' } },
      );
    }
    await world.start({}, 20);
    const tried = world.takeWrites().filter((line) => line.startsWith('PUT loadBalancers/inside'));
    // For all of them together: once when they are found, and once by the comparison with which a leader starts.
    expect(tried.length).toBeLessThanOrEqual(2);
    for (const name of names) expect(await world.reasons(name)).not.toContain('ServiceQuarantined');
    await world.stop();
  });
});

describe('a request that made something and arrives a second time, later', () => {
  it.each(['publicIPAddresses', 'loadBalancers'] as const)('undoes no change that was made since: %s', async (kind) => {
    const world = await new LocalWorld().setUp();
    const label = (name: string) => ({ 'service.beta.kubernetes.io/azure-dns-label-name': name });
    await world.createService('web', {}, label('web'));
    await world.start();
    const creation = world.sent.find(({ url }) => url.includes(`/${kind}/`));
    if (creation === undefined) throw new Error('nothing was made');
    await world.editService('web', { metadata: { annotations: label('shop') }, spec: { ports: [{ port: 443 }] } });
    await world.pass(20);
    const before = world.azure.resources(kind);
    expect((await world.azure.send(creation)).status).toBe(412);
    await world.pass(20);
    expect(world.azure.resources(kind)).toEqual(before);
    expect(world.azure.overwrites).toEqual([]);
    await world.stop();
  });

  it('is not taken for a refusal when only the answer to the first was lost', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    world.azure.faults.next({ method: 'PUT', kind: 'publicIPAddresses' }, { kind: 'misreport', status: 500 });
    await world.start();
    expect(await world.addresses('web')).toHaveLength(1);
    expect(await world.reasons('web')).toEqual(['EnsuringLoadBalancer', 'EnsuredLoadBalancer']);
    await world.stop();
  });
});
