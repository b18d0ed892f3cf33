import { VirtualClock } from '@fairlead/control';
import { type Condition, findCondition, type Service, type ServiceSpec, services, statusOf } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { newAzure } from './testing/azure-bench.ts';
import { NAMESPACE, TestCluster } from './testing/cluster.ts';
import { configuredPart, readEnvironment } from './testing/part-bench.ts';
import { Replica } from './testing/replica.ts';

const key = { namespace: NAMESPACE, name: 'web' };
const PROGRAMMED = 'fairlead.dev/Programmed';
const ELSEWHERE = { type: 'LoadBalancer', loadBalancerClass: 'example.com/other' } as const;
const PLAIN = { type: 'ClusterIP', loadBalancerClass: null, loadBalancerSourceRanges: null } as const;

function condition(type: string): Condition {
  const lastTransitionTime = '2026-11-15T12:00:00Z';
  return { type, status: 'False', reason: 'Unsupported', message: 'not this way', lastTransitionTime };
}

async function newWorld() {
  const clock = new VirtualClock();
  const azure = newAzure(clock);
  const cluster = new TestCluster(clock);
  await cluster.setUp('10.0.0.1');
  const edit = (spec: { readonly [Field in keyof ServiceSpec]?: ServiceSpec[Field] | null }) =>
    cluster.client.patchMerge<Service>(services, key, { spec });
  const conditions = async () => (await cluster.service('web'))?.status?.conditions ?? [];
  return { clock, azure, cluster, edit, conditions };
}

/** With a Service that was refused before it was ever held. */
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
  it('is taken back, in one write', async () => {
    const { clock, cluster, replica, edit, conditions } = await refusedWorld();
    await edit(PLAIN);
    await replica.settle();
    expect(await conditions()).toEqual([]);
    await clock.advance(700_000);
    expect(cluster.writes).toEqual(['PATCH /api/v1/namespaces/shop/services/web/status']);
  });

  it.each([
    ['became a plain one', PLAIN],
    ['went to another class', ELSEWHERE],
  ])('is taken back, as planned, where it %s while nobody looked', async (_, spec) => {
    const { clock, azure, cluster, replica, edit, conditions } = await refusedWorld();
    replica.stop();
    await edit(PLAIN);
    await edit(spec);
    const part = configuredPart(azure);
    const environment = readEnvironment(cluster, clock);
    const planned = async () => (await part.plan(environment)).changes.filter(({ writes }) => writes > 0);
    expect(await planned()).toEqual([
      { action: 'update', subject: 'Service shop/web', detail: 'our refusal is taken back', writes: 1 },
    ]);
    await new Replica(cluster, azure).settle();
    expect(await conditions()).toEqual([]);
    expect(cluster.writes).toHaveLength(1);
    expect(await planned()).toEqual([]);
  });

  it('stays where another controller has put conditions on the Service, which is not touched', async () => {
    const { clock, azure, cluster, replica, edit, conditions } = await refusedWorld();
    replica.stop();
    const both = [...(await conditions()), condition('example.com/Scanned')];
    await cluster.client.patchMerge<Service>(
      statusOf(services),
      key,
      { status: { conditions: both } },
      { fieldManager: 'other' },
    );
    await edit(PLAIN);
    await new Replica(cluster, azure).settle();
    await clock.advance(700_000);
    expect(await conditions()).toEqual(both);
    expect(cluster.writes).toEqual([]);
  });

  it.each(['before us', 'after us'])('stays where another part of Fairlead refused the Service, %s', async (when) => {
    const { clock, azure, cluster, replica, edit, conditions } = await refusedWorld();
    replica.stop();
    const write = (written: readonly Condition[] | null, fieldManager: string) =>
      cluster.client.patchMerge<Service>(
        statusOf(services),
        key,
        { status: { conditions: written } },
        { fieldManager },
      );
    if (when === 'before us') await write(null, 'fairlead-azure-service-gateway');
    await edit(PLAIN);
    await write([condition(PROGRAMMED)], 'fairlead-gateway');
    await new Replica(cluster, azure).settle();
    await clock.advance(700_000);
    expect(await conditions()).toEqual([condition(PROGRAMMED)]);
    expect(cluster.writes).toEqual([]);
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
    expect(cluster.writes).toHaveLength(1);
  });

  it('is no failure where the Service is gone by the time it is taken back', async () => {
    const { clock, cluster, replica, edit } = await refusedWorld();
    await edit(PLAIN);
    await cluster.client.delete(services, key);
    await clock.advance(60_000);
    expect(cluster.writes).toHaveLength(1);
    const entries = replica.journal.entries('service shop/web');
    expect(entries.at(-1)).toMatchObject({ kind: 'state', state: 'gone' });
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
