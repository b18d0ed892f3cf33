import { FairleadError, sleep, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import type { ServiceRequest } from '../../arm/index.ts';
import { RegistrationBatcher } from './registration-batcher.ts';

const request = (name: string): ServiceRequest => ({
  isDelete: true,
  service: { name, properties: { serviceType: 'Inbound' } },
});

/** A batcher whose calls take 50 ms each and are written down. */
function newBatcher(refuses: (names: readonly string[]) => Error | undefined = () => undefined) {
  const clock = new VirtualClock();
  const calls: string[][] = [];
  const expected = { more: false };
  const batcher = new RegistrationBatcher({
    clock,
    limits: { maximumCount: 4 },
    expectsMore: () => expected.more,
    send: async (requests) => {
      const names = requests.map(({ service }) => service.name);
      calls.push(names);
      await sleep(clock, 50);
      const error = refuses(names);
      if (error !== undefined) throw error;
    },
  });
  return { clock, calls, expected, batcher };
}

describe('RegistrationBatcher', () => {
  it('sends at once when no other is on the way', async () => {
    const { clock, calls, batcher } = newBatcher();
    const submitted = batcher.submit(request('a'));
    await clock.advance(50);
    await submitted;
    expect(calls).toEqual([['a']]);
  });

  it('puts those that wait when a call returns into the next one', async () => {
    const { clock, calls, batcher } = newBatcher();
    const first = batcher.submit(request('a'));
    await clock.advance(10);
    const all = ['b', 'c'].map((name) => batcher.submit(request(name)));
    await clock.advance(100);
    await Promise.all([first, ...all]);
    expect(calls).toEqual([['a'], ['b', 'c']]);
  });

  it('sends those who come in the same breath together', async () => {
    const { clock, calls, batcher } = newBatcher();
    const all = ['a', 'b', 'c'].map((name) => batcher.submit(request(name)));
    await clock.advance(50);
    await Promise.all(all);
    expect(calls).toEqual([['a', 'b', 'c']]);
  });

  it('waits a little for those on their way, but not for long', async () => {
    const { clock, calls, expected, batcher } = newBatcher();
    expected.more = true;
    const submitted = batcher.submit(request('a'));
    await clock.advance(1_900);
    expect(calls).toEqual([]);
    await clock.advance(200);
    await submitted;
    expect(calls).toEqual([['a']]);
  });

  it('waits longer each time while a burst goes on, and little again after it', async () => {
    const { clock, calls, expected, batcher } = newBatcher();
    expected.more = true;
    const sentAfter = async () => {
      const begin = clock.monotonic();
      const before = calls.length;
      void batcher.submit(request(`s${before}`));
      await clock.runUntil(() => calls.length > before, 60_000);
      const delay = clock.monotonic() - begin;
      await clock.advance(50);
      return delay;
    };
    expect([await sentAfter(), await sentAfter(), await sentAfter(), await sentAfter()]).toEqual([2e3, 4e3, 8e3, 8e3]);
    expected.more = false;
    expect(await sentAfter()).toBe(0);
    expected.more = true;
    expect(await sentAfter()).toBe(2e3);
  });

  it('sends as soon as the last of those on their way has come, or will not come', async () => {
    const { clock, calls, expected, batcher } = newBatcher();
    expected.more = true;
    void batcher.submit(request('a'));
    void batcher.submit(request('b'));
    await clock.advance(10);
    expected.more = false;
    batcher.consider();
    await clock.advance(50);
    expect(calls).toEqual([['a', 'b']]);
  });

  it('does not wait when a call is full', async () => {
    const { clock, calls, expected, batcher } = newBatcher();
    expected.more = true;
    for (const name of ['a', 'b', 'c', 'd']) void batcher.submit(request(name));
    await clock.advance(1);
    expect(calls).toEqual([['a', 'b', 'c', 'd']]);
  });

  it('tells only the one to blame of a refusal, and all of a failure', async () => {
    const refusal = new FairleadError('no', { verdict: 'terminal', code: 'bad' });
    const { clock, batcher, expected } = newBatcher((names) => (names.includes('b') ? refusal : undefined));
    expected.more = true;
    const settled = Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => batcher.submit(request(name))));
    await clock.advance(10_000);
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    const failure = new FairleadError('later', { verdict: 'retriable', code: 'busy' });
    const failing = newBatcher(() => failure);
    failing.expected.more = true;
    const both = Promise.allSettled(['a', 'b'].map((name) => failing.batcher.submit(request(name))));
    await failing.clock.advance(10_000);
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(failing.calls).toEqual([['a', 'b']]);
  });

  it('refuses those who wait when it is closed', async () => {
    const { expected, batcher } = newBatcher();
    expected.more = true;
    const submitted = batcher.submit(request('a'));
    batcher.close();
    await expect(submitted).rejects.toMatchObject({ verdict: 'stale' });
    await expect(batcher.submit(request('b'))).rejects.toMatchObject({ verdict: 'stale' });
  });
});
