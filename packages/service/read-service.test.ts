import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import type { ClaimRules } from './claim/class-claim.ts';
import { refusal, requireSupported } from './demands/refusals.ts';
import { readClaimed, readService } from './read-service.ts';

const CLASS = 'fairlead.dev/gateway';
const rules: ClaimRules = { loadBalancerClass: CLASS, finalizer: CLASS, isDefault: false };

function service(spec: Service['spec'], metadata: Partial<Service['metadata']> = {}): Service {
  return { metadata: { namespace: 'shop', name: 'web', ...metadata }, spec };
}

const ours = service({ type: 'LoadBalancer', loadBalancerClass: CLASS });

describe('readService', () => {
  it('gives what a Service of ours wants', () => {
    const reading = readService(ours, rules, ({ metadata }) => `an address for ${metadata.name}`);
    expect(reading).toMatchObject({ kind: 'serve', wanted: 'an address for web' });
  });

  it('asks nothing of a Service that is not ours, or no longer', () => {
    const never = () => {
      throw new Error('it was asked');
    };
    expect(readService(service({ type: 'ClusterIP' }), rules, never).kind).toBe('foreign');
    expect(readService(service({ type: 'ClusterIP' }, { finalizers: [CLASS] }), rules, never).kind).toBe('release');
  });

  it('refuses what cannot be honoured, with everything that is wrong in one message', () => {
    const reading = readService(ours, rules, () =>
      requireSupported([{ code: 'first', message: 'it is round' }], [{ code: 'second', message: 'it is blue' }]),
    );
    expect(reading).toMatchObject({ kind: 'refuse', refusal: { code: 'first', message: 'it is round; it is blue' } });
    const single = readService(ours, rules, () => {
      throw refusal('alone', 'it is alone');
    });
    expect(single).toMatchObject({ kind: 'refuse', refusal: { code: 'alone', message: 'it is alone' } });
  });

  it('leaves a Service alone that it fails to read, and throws nothing', () => {
    const broken = readService(ours, rules, () => {
      throw new TypeError('ports is not iterable');
    });
    expect(broken).toMatchObject({ kind: 'unreadable', error: new TypeError('ports is not iterable') });
  });
});

describe('readClaimed', () => {
  it('reads what takes more to know than the Service alone in the same way', () => {
    const { claim } = readService(ours, rules, () => undefined);
    if (claim.state !== 'claimed') throw new Error('it is not claimed');
    const read = (want: () => string) => readClaimed(claim, want);
    expect(read(() => 'an address')).toEqual({ kind: 'serve', claim, wanted: 'an address' });
    const refused = read(() => {
      throw refusal('too-many', 'it has too many endpoints');
    });
    expect(refused).toMatchObject({ kind: 'refuse', refusal: { code: 'too-many' } });
    const broken = read(() => {
      throw new TypeError('endpoints is not iterable');
    });
    expect(broken).toMatchObject({ kind: 'unreadable', error: new TypeError('endpoints is not iterable') });
  });
});
