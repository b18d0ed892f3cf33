import { requireIpAddress, VirtualClock } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { site } from '../testing/wanted.ts';
import { desiredOptions } from './desired.ts';
import { decide } from './outcome.ts';
import { writesAfterAzure, writesBeforeAzure } from './service-writes.ts';

const FINALIZER = 'fairlead.dev/azure-local';
const PLACE = { 'azure-local.fairlead.dev/load-balancer': 'one' };
const clock = new VirtualClock();
const address = requireIpAddress('198.51.100.1');

function local(more: { metadata?: Partial<Service['metadata']>; spec?: Partial<Service['spec']> } = {}): Service {
  return {
    metadata: { namespace: 'shop', name: 'web', uid: 'u1', ...more.metadata },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: FINALIZER,
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 30_123,
      ports: [{ port: 80 }],
      ...more.spec,
    },
  };
}

/** The writes before and after Azure, as the journal names them, and the first patch. */
function writesFor(service: Service) {
  const options = desiredOptions(site, undefined);
  const outcomes = decide({ site, options, services: [service], cluster: [service], loadBalancers: new Map() });
  return [...outcomes.values()].map((outcome) => {
    const before = writesBeforeAzure(outcome);
    const after = writesAfterAzure(outcome, [address], clock);
    return { before: before.map(({ name }) => name), after: after.map(({ name }) => name), first: before[0]?.patch };
  })[0];
}

describe('what is written to a Service', () => {
  it('is our finalizer with its place before anything exists, and its address at the end', () => {
    expect(writesFor(local())).toEqual({
      before: ['record-placement'],
      after: ['publish-status'],
      first: { metadata: { finalizers: [FINALIZER], annotations: PLACE } },
    });
    expect(writesFor(local({ metadata: { finalizers: [FINALIZER], annotations: PLACE } }))?.before).toEqual([]);
  });

  it('is our finalizer also for one that is refused, before its status says so', () => {
    const refused = local({ spec: { externalTrafficPolicy: 'Cluster' } });
    expect(writesFor(refused)).toEqual({
      before: ['hold'],
      after: ['publish-status'],
      first: { metadata: { finalizers: [FINALIZER] } },
    });
  });

  it('is all taken back from one that leaves, and nothing is written to one that never was ours', () => {
    const leaving = local({
      metadata: { finalizers: [FINALIZER], annotations: PLACE, deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    expect(writesFor(leaving)).toMatchObject({ before: [], after: ['let-go'] });
    expect(writesFor(local({ spec: { loadBalancerClass: 'example.com/other' } }))).toMatchObject({
      before: [],
      after: [],
    });
  });
});
