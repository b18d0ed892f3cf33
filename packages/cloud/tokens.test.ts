import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { result } from '@fairlead/control/testing';
import { TokenCache } from './tokens.ts';

const HOUR = 3_600_000;

function cached(newToken: (number: number) => Promise<string>) {
  const clock = new VirtualClock();
  let asked = 0;
  const cache = new TokenCache(
    'Azure',
    {
      async newToken() {
        asked += 1;
        return { text: await newToken(asked), expiresAt: clock.now() + HOUR };
      },
    },
    clock,
  );
  const current = async () => (await result(clock, cache.current())).text;
  return { clock, cache, current, asked: () => asked };
}

describe('TokenCache', () => {
  it('keeps a token until shortly before it expires', async () => {
    const { clock, current } = cached(async (number) => `token-${number}`);
    expect(await current()).toBe('token-1');
    await clock.advance(HOUR - 300_001);
    expect(await current()).toBe('token-1');
    await clock.advance(1);
    expect(await current()).toBe('token-2');
  });

  it('asks once for all who need one at the same time', async () => {
    const { cache, asked, clock } = cached(async (number) => `token-${number}`);
    const tokens = await result(clock, Promise.all([cache.current(), cache.current(), cache.current()]));
    expect(new Set(tokens.map(({ text }) => text))).toEqual(new Set(['token-1']));
    expect(asked()).toBe(1);
  });

  it('goes on with the old token while a new one cannot be had, and asks now and then', async () => {
    const { clock, current, asked } = cached(async (number) => {
      if (number === 1) return 'token-1';
      throw new Error('the token service is down');
    });
    await current();
    await clock.advance(HOUR - 60_000);
    expect(await current()).toBe('token-1');
    expect(await current()).toBe('token-1');
    expect(asked()).toBe(2);
    await clock.advance(5_000);
    expect(await current()).toBe('token-1');
    expect(asked()).toBe(3);
    await clock.advance(60_000);
    await expect(current()).rejects.toThrow('the token service is down');
  });

  it('gives up a token that the cloud refused, but does not ask for another without end', async () => {
    const { clock, cache, current } = cached(async (number) => `token-${number}`);
    const first = await result(clock, cache.current());
    expect(cache.renew(first)).toBe(false);
    await clock.advance(5_000);
    expect(cache.renew(first)).toBe(true);
    expect(await current()).toBe('token-2');
    expect(cache.renew(first)).toBe(true);
    expect(await current()).toBe('token-2');
  });

  it('does not wait for ever', async () => {
    const { current } = cached(() => new Promise(() => {}));
    await expect(current()).rejects.toMatchObject({ code: 'deadline-exceeded', verdict: 'retriable' });
  });
});
