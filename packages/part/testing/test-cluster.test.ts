import { services } from '@fairlead/kube';
import { expect, it } from 'vitest';
import { NAMESPACE, TestCluster } from './test-cluster.ts';

it('lets its user edit thousands of objects in no time', async () => {
  const cluster = await new TestCluster().setUp();
  for (let index = 0; index < 1_200; index += 1) await cluster.createService(`s${index}`, { ports: [{ port: 80 }] });
  const { items } = await cluster.client.list(services, { namespace: NAMESPACE });
  expect([items.length, cluster.clock.monotonic()]).toEqual([1_200, 0]);
});
