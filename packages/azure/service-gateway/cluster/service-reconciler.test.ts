import { VirtualClock } from '@fairlead/control';
import { type Condition, findCondition, type Service, type ServiceSpec, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { publicIpId } from '../scope.ts';
import { newAzure, scope } from '../testing/azure-bench.ts';
import { GatewayCluster } from '../testing/cluster.ts';
import { inbound } from '../testing/keys.ts';
import { configuredPart, readEnvironment } from '../testing/part-bench.ts';
import { Replica } from '../testing/replica.ts';

const key = { namespace: NAMESPACE, name: 'web' };
const PROGRAMMED = 'fairlead.dev/Programmed';
const ELSEWHERE = { type: 'LoadBalancer', loadBalancerClass: 'example.com/other' } as const;
const PLAIN = { type: 'ClusterIP', loadBalancerClass: null, loadBalancerSourceRanges: null } as const;

const TAKEN_BACK = ['PATCH shop/services/web/status', 'PATCH shop/services/web'];

function condition(type: string): Condition {
  const lastTransitionTime = '2026-11-15T12:00:00Z';
  return { type, status: 'False', reason: 'Unsupported', message: 'not this way', lastTransitionTime };
}

async function newWorld() {
  const clock = new VirtualClock();
  const azure = newAzure(clock);
  const cluster = new GatewayCluster(clock);
  await cluster.setUp(['10.0.0.1']);
  const edit = (spec: { readonly [Field in keyof ServiceSpec]?: ServiceSpec[Field] | null }) =>
    cluster.client.patchMerge<Service>(services, key, { spec });
  const conditions = async () => (await cluster.service('web'))?.status?.conditions ?? [];
  return { clock, azure, cluster, edit, conditions };
}

/** With a Service that was refused, and was never served. */
async function refusedWorld() {
  const world = await newWorld();
  const { cluster, azure, conditions } = world;
  await cluster.createService('web', { loadBalancerSourceRanges: ['10.0.0.0/8'] });
  const replica = new Replica(cluster, azure);
  await replica.settle();
  expect(await conditions()).toMatchObject([{ type: PROGRAMMED, status: 'False' }]);
  cluster.writes.length = 0;
  return { ...world, replica };
}

describe('the refusal of a Service that is not ours any more', () => {
  it('is taken back before the Service is let go', async () => {
    const { clock, cluster, replica, edit, conditions } = await refusedWorld();
    await edit(PLAIN);
    await replica.settle();
    expect(await conditions()).toEqual([]);
    expect((await cluster.service('web'))?.metadata.finalizers).toBeUndefined();
    await clock.advance(700_000);
    expect(cluster.writes).toEqual(TAKEN_BACK);
  });

  it.each([
    ['became a plain one', PLAIN, undefined],
    ['went to another class', ELSEWHERE, ['service.kubernetes.io/load-balancer-cleanup']],
  ])('is taken back, as planned, where it %s while we did not lead', async (_, spec, finalizers) => {
    const { clock, azure, cluster, replica, edit, conditions } = await refusedWorld();
    await replica.stop();
    await edit(PLAIN);
    await edit(spec);
    const part = configuredPart(azure);
    const environment = readEnvironment(cluster, clock);
    const planned = async () => (await part.plan(environment)).changes.filter(({ writes }) => writes > 0);
    expect(await planned()).toMatchObject([{ action: 'delete', subject: 'Service shop/web', writes: 2 }]);
    await new Replica(cluster, azure).settle();
    expect(await conditions()).toEqual([]);
    expect((await cluster.service('web'))?.metadata.finalizers).toEqual(finalizers);
    expect(cluster.writes).toEqual(TAKEN_BACK);
    expect(await planned()).toEqual([]);
  });

  it('is taken back alone where another controller has put conditions on the Service', async () => {
    const { clock, azure, cluster, replica, edit, conditions } = await refusedWorld();
    await replica.stop();
    const scanned = condition('example.com/Scanned');
    const both = [...(await conditions()), scanned];
    await cluster.client.patchMerge<Service>(statusOf(services), key, { status: { conditions: both } });
    await edit(PLAIN);
    await new Replica(cluster, azure).settle();
    await clock.advance(700_000);
    expect(await conditions()).toEqual([scanned]);
    expect(cluster.writes).toEqual(TAKEN_BACK);
  });

  it('stays where another part of Fairlead owns the Service by then, and has the say', async () => {
    const { clock, azure, cluster, replica, edit, conditions } = await refusedWorld();
    await replica.stop();
    await edit(PLAIN);
    const finalizers = [...((await cluster.service('web'))?.metadata.finalizers ?? []), 'fairlead.dev/gateway'];
    await cluster.editService('web', { metadata: { finalizers } });
    const status = { conditions: [condition(PROGRAMMED)] };
    await cluster.client.patchMerge<Service>(statusOf(services), key, { status });
    await new Replica(cluster, azure).settle();
    await clock.advance(700_000);
    expect(await conditions()).toEqual([condition(PROGRAMMED)]);
    expect((await cluster.service('web'))?.metadata.finalizers).toEqual(['fairlead.dev/gateway']);
    expect(cluster.writes).toEqual(['PATCH shop/services/web']);
  });

  it('is not taken back before the Lease is long enough for it', async () => {
    const { clock, cluster, replica, edit, conditions } = await refusedWorld();
    replica.mayWrite = false;
    await edit(PLAIN);
    await clock.advance(10_000);
    expect(await conditions()).toHaveLength(1);
    expect(cluster.writes).toEqual([]);
    replica.mayWrite = true;
    await clock.advance(60_000);
    expect(await conditions()).toEqual([]);
    expect(cluster.writes).toEqual(TAKEN_BACK);
  });

  it('is no failure where the Service is gone by the time it is taken back', async () => {
    const { clock, cluster, replica, edit } = await refusedWorld();
    await edit(PLAIN);
    await cluster.forceDeleteService('web');
    await clock.advance(60_000);
    expect((await cluster.eventLines('web')).join()).not.toContain('Failed');
    const entries = replica.journal.entries('service shop/web');
    expect(entries.filter(({ kind }) => kind === 'error')).toEqual([]);
  });

  it('is nothing to hurry about where the Service is ours again by then', async () => {
    const { cluster, replica, edit } = await refusedWorld();
    await edit(PLAIN);
    await edit({ type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/azure-service-gateway' });
    await replica.settle();
    const service = await cluster.service('web');
    expect(service === undefined ? undefined : findCondition(service, PROGRAMMED)?.status).toBe('True');
  });
});

describe('the address that a Service shows', () => {
  it('stays while it is not known what became of a write to its public IP', async () => {
    const clock = new VirtualClock();
    const azure = newAzure(clock);
    const cluster = new GatewayCluster(clock);
    await cluster.setUp(['10.0.0.1']);
    await cluster.createService('web');
    const replica = new Replica(cluster, azure, { comparisonIntervalSeconds: 60 });
    await replica.settle();
    const ingress = async () => (await cluster.service('web'))?.status?.loadBalancer?.ingress;
    const shown = await ingress();
    expect(shown).toHaveLength(1);

    const key = inbound((await cluster.service('web'))?.metadata.uid ?? '');
    azure.byHand({ method: 'PATCH', path: publicIpId(scope, key, 'IPv4'), body: { tags: {} } });
    const put = { method: 'PUT', kind: 'publicIPAddresses' } as const;
    // As often as the client repeats it by itself.
    azure.faults.next(put, { kind: 'lose-response' }, 4);
    expect(await clock.runUntil(() => azure.faults.left === 0, 120_000)).toBe(true);
    await clock.advance(300);
    expect(replica.engine.oldestUnsettledSince).toBeDefined();
    expect(await ingress()).toEqual(shown);
    await clock.advance(120_000);
    expect(await ingress()).toEqual(shown);
    await replica.stop();
  });
});

it('a Service that cannot be read stays as it is, and keeps no other from being served', async () => {
  const { clock, cluster, azure } = await newWorld();
  cluster.rewrite = (text) =>
    text.replaceAll('"loadBalancerSourceRanges":["198.51.100.0/24"]', '"loadBalancerSourceRanges":[7]');
  await cluster.createService('odd', { loadBalancerSourceRanges: ['198.51.100.0/24'] });
  const replica = new Replica(cluster, azure);
  await replica.settle();
  await cluster.createService('web');
  await replica.settle();
  await clock.advance(700_000);
  expect(await cluster.addresses('web')).toHaveLength(1);
  expect(await cluster.eventLines('odd')).toContainEqual(expect.stringContaining('odd SyncLoadBalancerFailed: '));
  expect(cluster.writes.filter((write) => write.includes('/odd'))).toEqual([]);
  expect(replica.readiness).toEqual({ ready: true });
});

it('a Service is told that nothing of it is left only when it has been let go', async () => {
  const { clock, cluster, azure } = await newWorld();
  await cluster.createService('web');
  const replica = new Replica(cluster, azure);
  await replica.settle();
  cluster.refuse = ({ method, path }) => (method === 'PATCH' && path.endsWith('/services/web') ? 500 : undefined);
  await cluster.deleteService('web');
  await clock.advance(60_000);
  const told = async () => (await cluster.events('web')).map(({ reason }) => reason);
  expect(azure.resources('publicIPAddresses')).toEqual([]);
  expect(await told()).not.toContain('DeletedLoadBalancer');
  cluster.refuse = () => undefined;
  await clock.advance(600_000);
  expect(await cluster.service('web')).toBeUndefined();
  expect(await told()).toContain('DeletedLoadBalancer');
  await replica.stop();
});
