import type { Service } from '@fairlead/kube';
import { expect, it } from 'vitest';
import type { ClaimRules } from './claim/class-claim.ts';
import { refusal } from './demands/refusals.ts';
import { readService } from './read-service.ts';
import { problemsOf, serviceChanges } from './service-report.ts';

const rules: ClaimRules = { loadBalancerClass: 'fairlead.dev/lamps', finalizer: 'fairlead.dev/lamps', isDefault: true };

function shownWith(metadata: Partial<Service['metadata']> = {}): Service {
  return {
    metadata: { name: 'web', namespace: 'shop', finalizers: [rules.finalizer], ...metadata },
    spec: { type: 'LoadBalancer' },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }] } },
  };
}

function lossOf(service: Service, addresses?: readonly string[], isRefused = false) {
  const reading = readService(service, rules, () => {
    if (isRefused) throw refusal('too-bright', 'it asks for too much light');
    return {};
  });
  const reported = { reading, writes: 1, detail: 'has light', isThere: true, ...(addresses && { addresses }) };
  const [change] = serviceChanges([['shop/web', reported]]);
  return [change?.action, change?.loses];
}

it('a Service that cannot be read is for the operator to see to', () => {
  expect(problemsOf({ unreadable: 0 })).toEqual([]);
  expect(problemsOf({ unreadable: 1 })[0]).toMatch(/^a Service cannot be read, /);
  expect(problemsOf({ unreadable: 3 })[0]).toMatch(/^3 Services cannot be read, /);
});

it('a Service loses what it shows when it is let go, or is known to show less', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  expect(lossOf(shownWith({ deletionTimestamp }))).toEqual(['delete', ['192.0.2.1', '192.0.2.2']]);
  expect(lossOf(shownWith(), ['192.0.2.1'])).toEqual(['update', ['192.0.2.2']]);
  expect(lossOf(shownWith())).toEqual(['update', undefined]);
});

it('a Service that is refused loses what it shows only where its part says so', () => {
  expect(lossOf(shownWith(), undefined, true)).toEqual(['refuse', undefined]);
  expect(lossOf(shownWith(), [], true)).toEqual(['refuse', ['192.0.2.1', '192.0.2.2']]);
});
