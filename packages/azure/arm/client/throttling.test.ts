import { isWithoutEffect } from '@fairlead/cloud';
import type { HttpTransport } from '@fairlead/control';
import { failure, result } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { armId } from '../arm-id.ts';
import { bodies, emulated, group, ids } from '../testing/emulated.ts';

const refusedWith = (headers: Readonly<Record<string, string>>) =>
  ({ kind: 'refuse', status: 429, code: 'TooManyRequests', headers }) as const;
const closed = { code: 'throttle-gate-closed', verdict: 'retriable' };

describe('throttling', () => {
  it.each(['seconds', 'date'] as const)(
    'tells the caller when to come back, said in %s, and keeps to it itself',
    async (form) => {
      const { client, clock, emulator } = emulated();
      emulator.faults.throttle({ method: 'PUT' }, 30_000, form);
      const error = await failure(clock, client.put(ids.publicIp('a'), bodies.publicIp));
      expect(error).toMatchObject({
        status: 429,
        verdict: 'retriable',
        isThrottling: true,
        retryAfterMilliseconds: 30_000,
      });
      await result(clock, client.put(ids.publicIp('b'), bodies.publicIp));
      expect(emulator.log.calls.map(({ at, outcome }) => [at, outcome])).toEqual([
        [0, 429],
        [30_000, 201],
      ]);
    },
  );

  it('does not take a write for refused whose result Azure then refuses to show', async () => {
    const { client, clock, emulator } = emulated({ behaviour: { operationTime: { minimum: 2_000, maximum: 2_000 } } });
    emulator.faults.next({ method: 'GET', kind: 'publicIPAddresses' }, refusedWith({ 'retry-after': '2' }));
    const error = await failure(clock, client.put(ids.publicIp('a'), bodies.publicIp));
    expect(error).toMatchObject({ status: 429, mayHaveTakenEffect: true });
    expect(isWithoutEffect(error)).toBe(false);
  });

  it('waits for the result of a write that Azure took, though the caller wants to wait for no gate', async () => {
    const between = (emulator: HttpTransport): HttpTransport => ({
      async send(request) {
        const response = await emulator.send(request);
        const isPoll = request.url.includes('/operations/');
        const empty = isPoll ? { 'x-ms-ratelimit-remaining-subscription-reads': '0' } : {};
        return { ...response, headers: { ...response.headers, ...empty } };
      },
    });
    const operationTime = { minimum: 2_000, maximum: 2_000 };
    const { client, clock } = emulated({ between, behaviour: { operationTime } });
    const made = await result(clock, client.put(ids.publicIp('a'), bodies.publicIp, { throttle: 'refuse' }));
    expect(made.properties).toMatchObject({ provisioningState: 'Succeeded', ipAddress: '198.18.0.1' });
  });

  it('keeps reads, writes and deletions apart, as Azure counts them, and subscriptions too', async () => {
    const { client, clock, emulator } = emulated();
    emulator.faults.next({ method: 'PUT' }, refusedWith({ 'retry-after': '600' }));
    await failure(clock, client.put(ids.publicIp('a'), bodies.publicIp));
    expect(await result(clock, client.list('publicIPAddresses', group))).toEqual([]);
    const elsewhere = { subscriptionId: 'other', resourceGroup: 'x' };
    expect(await failure(clock, client.list('publicIPAddresses', elsewhere))).toMatchObject({ status: 404 });
    const writing = client.put(ids.publicIp('a'), bodies.publicIp, { throttle: 'refuse' });
    expect(await failure(clock, writing)).toMatchObject({ ...closed, retryAfterMilliseconds: 600_000 });
    await result(clock, client.delete(ids.publicIp('a'), { throttle: 'refuse' }));
    emulator.faults.next({ method: 'GET' }, refusedWith({ 'retry-after': '600' }));
    await failure(clock, client.list('publicIPAddresses', group));
    const reading = client.list('publicIPAddresses', group, { throttle: 'refuse' });
    expect(await failure(clock, reading)).toMatchObject(closed);
    expect(clock.monotonic()).toBe(0);
  });

  it.each([
    ['sub', 'SUB'],
    ['Sub', 'sub'],
    ['SUB', 'sUb'],
  ])('knows a subscription by each spelling of its id: %s and %s', async (first, second) => {
    const { client, clock, emulator } = emulated();
    const remove = (subscriptionId: string) =>
      client.delete(armId('publicIPAddresses', { ...group, subscriptionId }, 'a'), { throttle: 'refuse' });
    emulator.faults.next({ method: 'DELETE' }, refusedWith({ 'retry-after': '600' }));
    expect(await failure(clock, remove(first))).toMatchObject({ status: 429 });
    for (const spelling of [second, first, 'SuB']) expect(await failure(clock, remove(spelling))).toMatchObject(closed);
    expect(emulator.log.calls).toHaveLength(1);
  });

  it('holds no other call up for a 429 that is about one busy resource', async () => {
    const { client, clock, emulator } = emulated({
      behaviour: { operationTime: { minimum: 60_000, maximum: 60_000 } },
    });
    const creating = client.put(ids.publicIp('a'), bodies.publicIp);
    await clock.advance(1);
    const early = await failure(clock, client.put(ids.loadBalancer('a'), bodies.loadBalancer('a')));
    expect(early).toMatchObject({
      status: 429,
      isThrottling: false,
      verdict: 'retriable',
      codes: ['RetryableError', 'ReferencedResourceNotProvisioned'],
      retryAfterMilliseconds: 10_000,
    });
    emulator.behave({ operationTime: { minimum: 0, maximum: 0 } });
    await result(clock, client.put(ids.publicIp('b'), bodies.publicIp, { throttle: 'refuse' }));
    await result(clock, creating);
  });

  it('asks about an operation again when it was told to, though no gate is closed for it', async () => {
    const { client, clock, emulator } = emulated({ behaviour: { operationTime: { minimum: 5_000, maximum: 5_000 } } });
    const busy = { kind: 'refuse', status: 429, code: 'RetryableError', headers: { 'retry-after': '40' } } as const;
    emulator.faults.next({ method: 'GET', kind: 'operations' }, busy);
    await result(clock, client.put(ids.publicIp('a'), bodies.publicIp));
    const polls = emulator.log.calls.filter(({ kind }) => kind === 'operations').map(({ at }) => at);
    expect((polls[1] ?? 0) - (polls[0] ?? 0)).toBeGreaterThanOrEqual(40_000);
  });

  it.each([
    ['x-ms-ratelimit-remaining-subscription-writes', '0'],
    ['x-ms-ratelimit-remaining-resource', 'Microsoft.Network/PutThis;12,Microsoft.Network/PutThat;0'],
  ])('pauses when %s is used up, before Azure has to refuse', async (header, value) => {
    const remaining = { [header]: value };
    const { client, clock } = emulated({
      between: (emulator) => ({
        async send(request) {
          const response = await emulator.send(request);
          return { ...response, headers: { ...response.headers, ...remaining } };
        },
      }),
    });
    await result(clock, client.put(ids.publicIp('a'), bodies.publicIp));
    expect(await failure(clock, client.put(ids.publicIp('b'), bodies.publicIp, { throttle: 'refuse' }))).toMatchObject(
      closed,
    );
    remaining[header] = '1';
    await result(clock, client.put(ids.publicIp('b'), bodies.publicIp));
    expect(clock.monotonic()).toBe(1_000);
    await result(clock, client.put(ids.publicIp('c'), bodies.publicIp, { throttle: 'refuse' }));
  });

  it('never runs into a refusal on a bucket that is told to be empty', async () => {
    const rateLimits = {
      reads: { size: 5, refillPerSecond: 5 },
      writes: { size: 5, refillPerSecond: 5 },
      deletes: { size: 5, refillPerSecond: 5 },
    };
    const { client, clock, emulator } = emulated({ behaviour: { rateLimits } });
    for (let index = 0; index < 50; index += 1) {
      await result(clock, client.put(ids.publicIp(`s${index}`), bodies.publicIp));
    }
    expect(emulator.log.calls.filter(({ outcome }) => outcome === 429)).toEqual([]);
    expect(clock.monotonic()).toBeLessThanOrEqual(10_000);
  });
});
