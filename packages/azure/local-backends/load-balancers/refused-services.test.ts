import { FairleadError, seededRandom, VirtualClock } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import { type ServiceKey, toServiceKey } from '@fairlead/service';
import { describe, expect, it } from 'vitest';
import { RefusedServices } from './refused-services.ts';

const KEY: ServiceKey = toServiceKey('shop/web');
const MINUTE = 60_000;
const refusal = new FairleadError('no', { verdict: 'terminal', code: 'NotFound' });

function setUp() {
  const clock = new VirtualClock();
  const refused = new RefusedServices(clock, { next: () => 0.5 });
  const add = (resourceVersion: string) => {
    const service: Service = { metadata: { namespace: 'shop', name: 'web', resourceVersion }, spec: {} };
    return (refused.add(service, refusal).retryAfterMilliseconds ?? 0) / MINUTE;
  };
  return { clock, refused, add };
}

describe('RefusedServices', () => {
  it('has a Service wait for as long as it has waited, from five minutes to half an hour', async () => {
    const { clock, add } = setUp();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const wait = add('1');
      waits.push(wait);
      await clock.advance(wait * MINUTE);
    }
    expect(waits).toEqual([5, 5, 10, 20, 30, 30]);
  });

  it('begins anew when the Service has changed, or has been forgotten', async () => {
    const { clock, refused, add } = setUp();
    add('1');
    await clock.advance(60 * MINUTE);
    expect([add('1'), add('2'), add('2')]).toEqual([30, 5, 5]);
    await clock.advance(60 * MINUTE);
    refused.delete(KEY);
    expect([refused.has(KEY), add('2'), refused.has(KEY)]).toEqual([false, 5, true]);
  });

  it('lets those come back apart that were refused together', () => {
    const refused = new RefusedServices(new VirtualClock(), seededRandom(1));
    const waits = Array.from({ length: 20 }, (_, index) => {
      const metadata = { namespace: 'shop', name: `s${index}`, resourceVersion: '1' };
      return refused.add({ metadata, spec: {} }, refusal).retryAfterMilliseconds ?? 0;
    });
    expect(new Set(waits).size).toBe(20);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(4.5 * MINUTE);
    expect(Math.max(...waits)).toBeLessThanOrEqual(5.5 * MINUTE);
  });

  it('says of the refusal what it was', () => {
    const { refused } = setUp();
    const service: Service = { metadata: { namespace: 'shop', name: 'web' }, spec: {} };
    expect(refused.add(service, refusal)).toMatchObject({
      message: 'no',
      verdict: 'terminal',
      code: 'NotFound',
      cause: refusal,
    });
  });
});
