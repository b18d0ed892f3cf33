import { FairleadError } from '@fairlead/control';
import { services } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import type { LeaderEnvironment } from '../part.ts';
import { TestCluster, TestLeader } from '../testing/index.ts';
import { objectController } from './object-controller.ts';

const refusal = (verdict: 'stale' | 'retriable') => new FairleadError('No light.', { verdict, code: 'no-light' });

/** Reconciles Services with `work`; failures are told as `Darkness`, those of `quiet` elsewhere. */
const controllerOf = (work: (key: string) => Promise<void>) => async (environment: LeaderEnvironment) => {
  const cache = environment.caches.cache(services);
  const controller = objectController(environment, {
    name: 'lamps',
    resource: services,
    cache,
    concurrency: 2,
    failureReason: (key) => (key === 'shop/quiet' ? undefined : 'Darkness'),
  });
  await controller.run(work, environment.signal);
};

describe('objectController', () => {
  it('reconciles each object that is there, and each that changes', async () => {
    const cluster = await new TestCluster().setUp();
    await cluster.createService('web');
    const worked: string[] = [];
    const leader = new TestLeader(
      cluster,
      controllerOf(async (key) => void worked.push(key)),
    );
    await cluster.clock.advance(1_000);
    expect(worked.filter((key) => key.startsWith('shop/'))).toEqual(['shop/web']);
    await cluster.editService('web', { metadata: { labels: { tier: 'front' } } });
    await cluster.createService('mail');
    await cluster.clock.advance(1_000);
    expect(worked.filter((key) => key.startsWith('shop/'))).toEqual(['shop/web', 'shop/web', 'shop/mail']);
    await leader.stop();
  });

  it('tells a failure in the journal and on the object, and what is stale or told elsewhere in the journal only', async () => {
    const cluster = await new TestCluster().setUp();
    for (const name of ['web', 'quiet', 'stale']) await cluster.createService(name);
    const leader = new TestLeader(
      cluster,
      controllerOf(async (key) => {
        if (key.startsWith('shop/')) throw refusal(key === 'shop/stale' ? 'stale' : 'retriable');
      }),
    );
    await cluster.clock.advance(500);
    expect(await cluster.eventLines()).toEqual(['web Darkness: No light; it is tried again.']);
    for (const name of ['web', 'quiet', 'stale']) {
      const [entry] = leader.journal.entries(`service shop/${name}`);
      expect(entry).toMatchObject({ kind: 'waiting', for: 'what failed: no-light' });
    }
    await leader.stop();
  });
});
