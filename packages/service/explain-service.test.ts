import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import type { ClaimRules } from './claim/class-claim.ts';
import { refusal } from './demands/refusals.ts';
import { explainUnserved, pendingWrites } from './explain-service.ts';
import { readService, type UnservedService } from './read-service.ts';

const CLASS = 'fairlead.dev/gateway';
const rules: ClaimRules = { loadBalancerClass: CLASS, finalizer: CLASS, isDefault: false };
const options = { subject: 'Service shop/web', servedBy: 'the gateways' };
const shown: NonNullable<Service['status']> = { loadBalancer: { ingress: [{ ip: '192.0.2.10' }] } };

function unserved(spec: Service['spec'], error?: unknown): UnservedService {
  const service = { metadata: { namespace: 'shop', name: 'web', finalizers: [CLASS] }, spec, status: shown };
  const reading = readService(service, rules, () => {
    throw error;
  });
  if (reading.kind === 'serve') throw new Error('it is served');
  return reading;
}

const ours: Service['spec'] = { type: 'LoadBalancer', loadBalancerClass: CLASS };

describe('explainUnserved', () => {
  it('says of a refusal what it is, what is there nevertheless, and what ends it', () => {
    const explanation = explainUnserved(unserved(ours, refusal('no-light', 'it asks for light')), options);
    expect(explanation).toMatchObject({
      answer: 'Service shop/web is refused (no-light): it asks for light.',
      state: 'stuck',
      there: ['192.0.2.10 in status.loadBalancer.ingress'],
      waitsFor: 'a change of the Service: what it asks for cannot be honoured',
    });
    const remedied = { ...options, waitsFor: 'a lamp', there: ['a candle'] };
    expect(explainUnserved(unserved(ours, refusal('no-light', 'it asks for light')), remedied)).toMatchObject({
      there: ['192.0.2.10 in status.loadBalancer.ingress', 'a candle'],
      waitsFor: 'a lamp',
    });
  });

  it('calls a defect of ours one', () => {
    const explanation = explainUnserved(unserved(ours, new TypeError('boom')), options);
    expect(explanation).toMatchObject({ state: 'stuck', answer: expect.stringContaining('reading it failed: boom') });
    expect(explanation.waitsFor).toContain('a defect worth reporting');
  });

  it('says of one that leaves, or is not ours, why', () => {
    const leaving = explainUnserved(unserved({ type: 'ClusterIP' }), options);
    expect(leaving).toMatchObject({
      state: 'working',
      answer: expect.stringContaining('is being let go: it is of type'),
    });
    const foreign = readService({ metadata: { name: 'web' }, spec: { type: 'ClusterIP' } }, rules, () => 0);
    if (foreign.kind !== 'foreign') throw new Error(foreign.kind);
    expect(explainUnserved(foreign, options)).toMatchObject({
      answer: 'Service shop/web is not served by the gateways: it is of type ClusterIP, which we do not serve.',
      state: 'not-ours',
    });
  });
});

describe('pendingWrites', () => {
  it('names the writes in order, and is silent when there are none', () => {
    expect(pendingWrites([])).toBeUndefined();
    expect(pendingWrites([{ name: 'hold' }, { name: 'let-go' }])).toBe('the leader to write: hold, then let-go');
  });
});
