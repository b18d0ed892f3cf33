import { describe, expect, it } from 'vitest';
import { LocalWorld } from './testing/local-world.ts';

const KINDS = ['publicIPAddresses', 'networkSecurityGroups', 'loadBalancers'] as const;
const failing = { kind: 'fail-operation', code: 'InternalServerError' } as const;
const INTERNAL = { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' };

/** The states of all resources that the part writes. */
const states = ({ azure }: LocalWorld) =>
  KINDS.flatMap((kind) => azure.resources(kind).map(({ properties }) => properties)).map((properties) =>
    typeof properties === 'object' && properties !== null && 'provisioningState' in properties
      ? properties.provisioningState
      : undefined,
  );

/** Azure accepts each load balancer that has this text in it, and fails at it. */
function failAtBodiesWith({ azure }: LocalWorld, text: string, code = 'InvalidRequest'): void {
  const send = azure.send.bind(azure);
  azure.send = (request) => {
    const isBad = request.method === 'PUT' && (request.body ?? '').includes(text);
    if (isBad) azure.faults.next({ kind: 'loadBalancers' }, { kind: 'fail-operation', code });
    return send(request);
  };
}

describe('what Azure accepted and then failed at', () => {
  it.each(KINDS)('is written again, although Azure shows it as it should be: %s', async (kind) => {
    const world = await new LocalWorld().setUp();
    await world.createService('web', { loadBalancerSourceRanges: ['192.0.2.0/24'] });
    world.azure.faults.next({ method: 'PUT', kind }, failing);
    await world.start({ comparisonIntervalSeconds: 0 }, 120);
    expect(states(world)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
    expect(await world.addresses('web')).toHaveLength(1);
    await world.stop();
  });

  it('is written again when all is compared, where it was a pool that follows its pods', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    await world.start();
    world.azure.faults.next({ method: 'PUT', kind: 'backendAddressPools' }, failing);
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
    await world.pass(60);
    expect(states(world)).toContain('Failed');
    await world.pass(600);
    expect(states(world)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
    expect(world.pools('one')).toEqual({ 'shop-web': ['10.0.1.1'] });
    await world.stop();
  });

  it('is told as a failure where it was a pool, and written again with the next change, be it back to the same', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web');
    await world.start({ comparisonIntervalSeconds: 0 });
    world.azure.faults.next({ method: 'PUT', kind: 'backendAddressPools' }, failing);
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
    await world.pass(60);
    expect((await world.reasons('web')).at(-1)).toBe('LoadBalancerBackendPoolUpdateFailed');
    expect(states(world)).toContain('Failed');
    world.takeWrites();
    await world.putSlice('web', 'web-1', []);
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
    await world.pass(60);
    expect(world.takeWrites()).toEqual([expect.stringContaining('PUT backendAddressPools/one/shop-web')]);
    expect((await world.reasons('web')).at(-1)).toBe('LoadBalancerBackendPoolUpdated');
    expect(states(world)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
    expect(world.pools('one')).toEqual({ 'shop-web': ['10.0.1.1'] });
    await world.stop();
  });

  it.each(KINDS)('holds a Service that leaves until it is gone from there: %s', async (kind) => {
    const world = await new LocalWorld().setUp();
    await world.createService('web', { loadBalancerSourceRanges: ['192.0.2.0/24'] });
    await world.createService('mail', { loadBalancerSourceRanges: ['192.0.2.0/24'] });
    await world.start({ comparisonIntervalSeconds: 0 });
    world.azure.faults.next({ method: kind === 'publicIPAddresses' ? 'DELETE' : 'PUT', kind }, failing);
    await world.deleteService('web');
    await world.pass(600);
    expect(await world.service('web')).toBeUndefined();
    expect(states(world)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
    await world.stop();
  });

  it.each(['networkSecurityGroups', 'loadBalancers'])(
    'is written again for a Service that stays, and was to have nothing there any more: %s',
    async (kind) => {
      const world = await new LocalWorld().setUp();
      const onOne = { 'service.beta.kubernetes.io/azure-load-balancer-configurations': 'one' };
      for (const name of ['mail', 'web']) await world.createService(name, {}, onOne);
      await world.start({ comparisonIntervalSeconds: 0 });
      world.azure.faults.next({ method: 'PUT', kind }, failing);
      await world.editService('web', {
        metadata: {
          annotations: { ...INTERNAL, 'service.beta.kubernetes.io/azure-load-balancer-configurations': null },
        },
      });
      await world.pass(600);
      expect(new Set(states(world))).toEqual(new Set(['Succeeded']));
      expect(world.children('one').frontends).toEqual(['shop-mail']);
      await world.stop();
    },
  );

  it('is told for done to none of those who were to have nothing there any more', async () => {
    const world = await new LocalWorld().setUp();
    for (const name of ['mail', 'web']) await world.createService(name);
    await world.start();
    await world.stop();
    for (const name of ['mail', 'web']) await world.editService(name, { metadata: { annotations: INTERNAL } });
    world.azure.faults.next({ method: 'PUT', kind: 'networkSecurityGroups' }, failing, 1_000);
    await world.start({ comparisonIntervalSeconds: 0 }, 120);
    for (const name of ['mail', 'web']) expect((await world.reasons(name)).at(-1)).toBe('SyncLoadBalancerFailed');
    world.azure.faults.clear();
    await world.pass(600);
    expect(new Set(states(world))).toEqual(new Set(['Succeeded']));
    await world.stop();
  });

  it.each(['AllocationFailed', 'InvalidRequest'])(
    'for the sake of one Service holds up no other, neither one that is new nor one that changes: %s',
    async (code) => {
      const world = await new LocalWorld().setUp();
      failAtBodiesWith(world, 'shop-bad', code);
      for (const name of ['bad', 'mail', 'web']) await world.createService(name, {}, INTERNAL);
      await world.start({}, 120);
      await world.pass(7_200);
      await world.createService('late', {}, INTERNAL);
      await world.editService('web', { spec: { ports: [{ port: 443 }] } });
      await world.pass(120);
      for (const name of ['mail', 'web', 'late']) expect(await world.addresses(name)).toHaveLength(1);
      expect(world.children('inside').rules).toEqual(
        expect.arrayContaining(['shop-late-tcp-80', 'shop-mail-tcp-80', 'shop-web-tcp-443']),
      );
      expect(await world.addresses('bad')).toEqual([]);
      await world.stop();
      await world.start({}, 120);
      await world.editService('mail', { spec: { ports: [{ port: 25 }] } });
      await world.pass(120);
      expect(world.children('inside').rules).toContain('shop-mail-tcp-25');
      await world.stop();
    },
  );

  it('for the sake of what a Service was changed to holds up no other, and takes nothing that it had from it', async () => {
    const world = await new LocalWorld().setUp();
    for (const name of ['bad', 'web']) await world.createService(name, {}, INTERNAL);
    await world.start({ comparisonIntervalSeconds: 0 });
    failAtBodiesWith(world, '"frontendPort":666');
    await world.editService('bad', { spec: { ports: [{ port: 666 }] } });
    await world.pass(60);
    await world.editService('web', { spec: { ports: [{ port: 443 }] } });
    await world.createService('late', {}, INTERNAL);
    await world.pass(60);
    expect(await world.addresses('late')).toHaveLength(1);
    expect(world.children('inside').rules).toEqual(['shop-bad-tcp-80', 'shop-late-tcp-80', 'shop-web-tcp-443']);
    expect(new Set(states(world))).toEqual(new Set(['Succeeded']));
    await world.stop();
  });

  it('is taken back by nobody after it came about in another way', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web', {}, INTERNAL);
    await world.start({ comparisonIntervalSeconds: 0 });
    world.azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, failing);
    await world.editService('web', { spec: { ports: [{ port: 443 }] } });
    await world.pass(0.2);
    expect(states(world)).toContain('Failed');
    const { id: _id, name: _name, etag: _etag, ...body } = world.loadBalancer('inside') ?? {};
    world.byHand('PUT', world.loadBalancerPath('inside'), JSON.parse(JSON.stringify(body)));
    await world.pass(60);
    world.azure.faults.next({ method: 'PUT', kind: 'backendAddressPools' }, failing);
    await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
    await world.pass(60);
    expect(states(world)).toContain('Failed');
    await world.createService('late', {}, INTERNAL);
    await world.pass(60);
    expect(world.children('inside').rules).toEqual(['shop-late-tcp-80', 'shop-web-tcp-443']);
    await world.stop();
  });

  it.each(KINDS)('is not taken for done by a new leader while Azure is at it: %s', async (kind) => {
    const world = await new LocalWorld().setUp();
    await world.createService('web', { loadBalancerSourceRanges: ['192.0.2.0/24'] });
    await world.start({ comparisonIntervalSeconds: 0 });
    world.azure.behave({ operationTime: { minimum: 60_000, maximum: 60_000 } });
    world.azure.faults.next({ method: 'PUT', kind }, failing);
    const annotations = { 'service.beta.kubernetes.io/azure-dns-label-name': 'web' };
    await world.editService('web', { metadata: { annotations }, spec: { ports: [{ port: 443 }] } });
    while (world.azure.faults.left > 0) await world.pass(1);
    await world.stop();
    world.azure.behave({ operationTime: { minimum: 0, maximum: 0 } });
    await world.start({ comparisonIntervalSeconds: 0 }, 300);
    expect(states(world)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
    expect((await world.reasons('web')).at(-1)).toBe('UpdatedLoadBalancer');
    await world.stop();
  });

  it('is not taken for gone by a new leader while Azure is at it', async () => {
    const world = await new LocalWorld().setUp();
    for (const name of ['mail', 'web']) await world.createService(name, {}, INTERNAL);
    await world.start({ comparisonIntervalSeconds: 0 });
    world.azure.behave({ operationTime: { minimum: 60_000, maximum: 60_000 } });
    world.azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, failing);
    await world.deleteService('web');
    await world.pass(1);
    await world.stop();
    await world.start({ comparisonIntervalSeconds: 0 }, 5);
    expect(await world.service('web')).toBeDefined();
    await world.pass(600);
    expect(await world.service('web')).toBeUndefined();
    expect(states(world)).toEqual(['Succeeded', 'Succeeded']);
    await world.stop();
  });

  it('for the sake of one Service does not keep what is left of another', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('gone', {}, INTERNAL);
    await world.start();
    failAtBodiesWith(world, 'shop-bad');
    await world.createService('bad', {}, INTERNAL);
    await world.pass(10);
    await world.editService('gone', { metadata: { finalizers: null } });
    await world.deleteService('gone');
    await world.pass(60);
    expect(world.loadBalancer('inside')).toBeUndefined();
    await world.stop();
  });

  it('is not left out by others where clients may reach it', async () => {
    const world = await new LocalWorld().setUp();
    for (const name of ['mail', 'web']) await world.createService(name, {}, INTERNAL);
    await world.start({ comparisonIntervalSeconds: 0 });
    world.azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, failing);
    await world.editService('web', { spec: { ports: [{ port: 443 }] } });
    await world.editService('mail', { spec: { loadBalancerSourceRanges: ['192.0.2.0/24'], ports: [{ port: 25 }] } });
    await world.pass(0.2);
    expect(states(world)).toContain('Failed');
    expect(world.children('inside').frontends).toEqual(['shop-mail', 'shop-web']);
    const sizes: number[] = [];
    const send = world.azure.send.bind(world.azure);
    world.azure.send = (request) => {
      const isPut = request.method === 'PUT' && request.url.includes('/loadBalancers/');
      if (isPut) sizes.push((request.body ?? '').split('"privateIPAllocationMethod"').length - 1);
      return send(request);
    };
    await world.pass(120);
    expect(sizes.length).toBeGreaterThan(0);
    expect(new Set(sizes)).toEqual(new Set([2]));
    await world.stop();
  });

  it('is not left out by others where clients may reach it by now, although the cache does not show that yet', async () => {
    const world = await new LocalWorld().setUp();
    const news = /^{"type":"MODIFIED".*"name":"mail".*"ingress":/;
    world.rewrite = (text) =>
      text
        .split('\n')
        .filter((line) => !news.test(line))
        .join('\n');
    for (const name of ['mail', 'web']) await world.createService(name, {}, INTERNAL);
    await world.start({ comparisonIntervalSeconds: 0 });
    expect(await world.addresses('mail')).toHaveLength(1);
    world.azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, failing);
    await world.editService('web', { spec: { ports: [{ port: 443 }] } });
    await world.pass(120);
    expect(states(world)).not.toContain('Failed');
    expect(world.children('inside').rules).toEqual(['shop-mail-tcp-80', 'shop-web-tcp-443']);
    await world.stop();
  });

  it('is no matter of a Service that was written elsewhere at the same time', async () => {
    const world = await new LocalWorld().setUp();
    const on = (name: string) => ({ 'service.beta.kubernetes.io/azure-load-balancer-configurations': name });
    await world.createService('mail', {}, on('one'));
    await world.createService('web', {}, on('two'));
    world.azure.faults.next({ method: 'PUT', kind: 'loadBalancers', name: 'one' }, failing, 1_000);
    await world.start({ comparisonIntervalSeconds: 0 }, 60);
    await world.editService('web', { spec: { ports: [{ port: 443 }] } });
    await world.pass(5);
    expect((await world.reasons('mail')).at(-1)).toBe('SyncLoadBalancerFailed');
    expect((await world.reasons('web')).at(-1)).toBe('UpdatedLoadBalancer');
    expect(world.children('two').rules).toEqual(['shop-web-tcp-443']);
    await world.stop();
  });

  it('is no matter of a Service that has left since', async () => {
    const world = await new LocalWorld().setUp();
    for (const name of ['mail', 'web']) await world.createService(name);
    await world.start({ comparisonIntervalSeconds: 0 });
    world.azure.faults.next({ method: 'PUT', kind: 'networkSecurityGroups' }, failing);
    await world.editService('web', { metadata: { annotations: INTERNAL } });
    await world.pass(600);
    expect(new Set(states(world))).toEqual(new Set(['Succeeded']));
    world.azure.faults.next({ method: 'PUT', kind: 'networkSecurityGroups' }, failing, 1_000);
    await world.editService('mail', { spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } });
    await world.pass(60);
    const idle = { 'service.beta.kubernetes.io/azure-load-balancer-tcp-idle-timeout': '30' };
    await world.editService('web', { metadata: { annotations: idle } });
    await world.pass(60);
    expect((await world.reasons('mail')).at(-1)).toBe('SyncLoadBalancerFailed');
    expect((await world.reasons('web')).at(-1)).toBe('UpdatedLoadBalancer');
    await world.stop();
  });
});
