import { noMetrics, seededRandom, silentLogger, VirtualClock } from '@fairlead/control';
import { EventRecorder, KubeClient, type Service } from '@fairlead/kube';
import { FakeApi } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { describeServiceEvents, recordOnService, serviceEvents } from './service-events.ts';

const web: Service = { metadata: { namespace: 'shop', name: 'web', uid: 'u1' }, spec: { type: 'LoadBalancer' } };

describe('recordOnService', () => {
  it('puts an Event of the right type on the Service', async () => {
    const api = new FakeApi();
    const clock = new VirtualClock();
    const recorder = new EventRecorder({
      client: new KubeClient(api.connect(clock), clock),
      clock,
      random: seededRandom(1),
      logger: silentLogger,
      metrics: noMetrics,
      controller: 'fairlead.dev/gateway',
      instance: 'test',
    });
    recordOnService(recorder, web, 'LoadBalancerRefused', 'it asks for SCTP');
    recordOnService(recorder, web, 'EnsuredLoadBalancer', 'it is reachable at 192.0.2.10');
    await clock.advance(0);
    recorder.close();
    const regarding = { apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'web', uid: 'u1' };
    expect(api.all()).toMatchObject([
      { regarding, type: 'Warning', reason: 'LoadBalancerRefused', note: 'it asks for SCTP' },
      { regarding, type: 'Normal', reason: 'EnsuredLoadBalancer', note: 'it is reachable at 192.0.2.10' },
    ]);
  });
});

describe('serviceEvents', () => {
  it('are camel case within what the API allows, each with a meaning', () => {
    const bad = Object.entries(serviceEvents).filter(
      ([reason, { meaning }]) => !/^([A-Z][a-z]+){2,}$/.test(reason) || reason.length > 128 || meaning.length < 20,
    );
    expect(bad).toEqual([]);
  });

  it('describe themselves for the page of a part', () => {
    expect(describeServiceEvents('DeletionHeldBack', 'EnsuredLoadBalancer')).toEqual([
      { reason: 'DeletionHeldBack', meaning: serviceEvents.DeletionHeldBack.meaning },
      { reason: 'EnsuredLoadBalancer', meaning: serviceEvents.EnsuredLoadBalancer.meaning },
    ]);
  });
});
