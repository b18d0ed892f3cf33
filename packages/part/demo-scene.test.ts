import { type Service, services, statusOf } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { addressProgress } from './demo-scene.ts';
import { NAMESPACE, TestCluster } from './testing/index.ts';

describe('the progress of a scene', () => {
  it('is done when every Service of its namespace has an address', async () => {
    const cluster = await new TestCluster().setUp();
    await cluster.createService('web', { loadBalancerClass: 'fairlead.dev/gateway' });
    await cluster.createService('api', { loadBalancerClass: 'fairlead.dev/gateway' });
    await cluster.createService('foreign', { loadBalancerClass: 'example.org/other' });
    await cluster.createService('inside', { type: 'ClusterIP' });
    const progress = () => addressProgress(NAMESPACE, cluster.client, new AbortController().signal);
    expect(await progress()).toEqual({
      done: 0,
      total: 2,
      missing: ['Service shop/api has no address yet', 'Service shop/web has no address yet'],
    });
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
    for (const name of ['web', 'api']) {
      await cluster.client.patchMerge<Service>(statusOf(services), { namespace: NAMESPACE, name }, { status });
    }
    expect(await progress()).toEqual({ done: 2, total: 2, missing: [] });
  });
});
