import { type RateLimit, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import type { ApiRequest } from './connection.ts';
import { Pacing } from './pacing.ts';

const write: ApiRequest = { method: 'PATCH', path: '/api/v1/namespaces/shop/services/web' };
const watch: ApiRequest = { method: 'GET', path: '/api/v1/services', streaming: true };
const lease: ApiRequest = { method: 'PATCH', path: '/apis/coordination.k8s.io/v1/namespaces/f/leases/fairlead' };

const throttled = (retryAfterMilliseconds?: number) =>
  new ApiError('PATCH', { kind: 'Status', code: 429 }, retryAfterMilliseconds);

function setUp(rate?: RateLimit) {
  const clock = new VirtualClock();
  const pacing = new Pacing(clock, rate);
  const admitted: number[] = [];
  const ask = (request: ApiRequest, count = 1) => {
    for (let asked = 0; asked < count; asked += 1) {
      void pacing.admit(request).then(() => admitted.push(clock.monotonic()));
    }
  };
  return { clock, pacing, admitted, ask };
}

describe('the pacing of a connection', () => {
  it('bounds the rate of all requests but watches and those about Leases, and keeps their order', async () => {
    const { clock, admitted, ask } = setUp({ perSecond: 10, burst: 3 });
    ask(write, 6);
    ask(watch, 2);
    ask(lease, 2);
    await clock.advance(0);
    expect(admitted).toHaveLength(3 + 2 + 2);
    await clock.advance(10_000);
    expect(admitted.slice(7)).toEqual([100, 200, 300]);
  });

  it('lets ten thousand Services with three writes each through in a minute', async () => {
    const { clock, admitted, ask } = setUp();
    ask(write, 30_000);
    await clock.advance(60_000);
    expect(admitted).toHaveLength(30_000);
    expect(admitted.at(-1)).toBeGreaterThan(50_000);
  });

  it('makes all wait whom a 429 did not meet, but not the Leases', async () => {
    const { clock, pacing, admitted, ask } = setUp();
    pacing.refused(write, throttled(5_000));
    ask(write);
    ask(watch);
    ask(lease);
    await clock.advance(4_999);
    expect(admitted).toEqual([0]);
    await clock.advance(200);
    expect(admitted).toEqual([0, 5_000, 5_100]);
  });

  it.each([
    ['nothing where the server names no delay', throttled(), 0],
    ['ten seconds where it asks for more', throttled(60_000), 10_000],
    ['nothing when it fails otherwise', new ApiError('PATCH', { kind: 'Status', code: 503 }, 5_000), 0],
  ])('waits for %s', async (_, error, expected) => {
    const { clock, pacing, admitted, ask } = setUp();
    pacing.refused(write, error);
    ask(write);
    await clock.advance(60_000);
    expect(admitted).toEqual([expected]);
  });

  it('lets a throttled Lease slow down nothing else', async () => {
    const { clock, pacing, admitted, ask } = setUp();
    pacing.refused(lease, throttled(5_000));
    ask(write);
    await clock.advance(0);
    expect(admitted).toEqual([0]);
  });

  it('lets a request go that waits for its turn or for the gate', async () => {
    const { clock, pacing } = setUp({ perSecond: 1, burst: 1 });
    const controller = new AbortController();
    await pacing.admit(write);
    const paced = pacing.admit({ ...write, signal: controller.signal });
    pacing.refused(write, throttled(5_000));
    const held = pacing.admit({ ...watch, signal: controller.signal });
    controller.abort(new Error('lease lost'));
    await expect(paced).rejects.toThrow('lease lost');
    await expect(held).rejects.toThrow('lease lost');
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves the turns of those who gave up to others', async () => {
    const { clock, pacing, admitted, ask } = setUp({ perSecond: 1, burst: 1 });
    const controller = new AbortController();
    await pacing.admit(write);
    const wild = Array.from({ length: 100 }, () => pacing.admit({ ...write, signal: controller.signal }));
    controller.abort(new Error('given up'));
    await Promise.allSettled(wild);
    ask(write);
    await clock.advance(60_000);
    expect(admitted).toEqual([1_000]);
  });
});
