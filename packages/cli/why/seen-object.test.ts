import { events, type KubeEvent } from '@fairlead/kube';
import { NAMESPACE, TestCluster } from '@fairlead/part/testing';
import { expect, it } from 'vitest';
import { seenObject } from './seen-object.ts';

it('tells the ten latest Events of the Service, and none of others', async () => {
  const cluster = await new TestCluster({}).setUp();
  await cluster.createService('web');
  const uid = (await cluster.service('web'))?.metadata.uid ?? '';
  const event = (minute: number, of: string): KubeEvent => ({
    metadata: { namespace: NAMESPACE, name: `web.${of}.${minute}` },
    eventTime: `2026-01-01T12:${String(minute).padStart(2, '0')}:00.000000Z`,
    reportingController: 'fairlead.dev/gateway',
    reportingInstance: 'fairlead-0',
    action: 'Reconcile',
    reason: `Reason${minute}`,
    type: 'Normal',
    regarding: { kind: 'Service', namespace: NAMESPACE, name: 'web', uid: of },
  });
  for (let minute = 0; minute < 12; minute += 1) {
    await cluster.client.create(events, event(minute, uid));
    await cluster.client.create(events, event(minute, 'of-a-service-before'));
  }
  const subject = { kind: 'service', namespace: NAMESPACE, name: 'web' };
  const seen = await seenObject(cluster.client, subject, new AbortController().signal);
  const told = seen?.there.filter((text) => text.startsWith('Event ')).map((text) => /Reason\d+/.exec(text)?.[0]);
  expect(told).toEqual(Array.from({ length: 10 }, (_, index) => `Reason${index + 2}`));
});
