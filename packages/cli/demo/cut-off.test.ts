import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { nowAndThenCut } from './cut-off.ts';

describe('a way that is cut now and then', () => {
  it('is open at first, then cut for five minutes, also for what is being read, and comes back', async () => {
    const clock = new VirtualClock();
    async function* body() {
      yield Buffer.from('first');
      await clock.advance(3 * 60_000);
      yield Buffer.from('second');
    }
    const way = nowAndThenCut({ send: async () => ({ status: 200, headers: {}, body: body() }) }, clock);
    const request = { method: 'GET', path: '/' } as const;
    const read: string[] = [];
    const response = await way.send(request);
    await expect(
      (async () => {
        for await (const piece of response.body) read.push(Buffer.from(piece).toString());
      })(),
    ).rejects.toThrow('the way is cut');
    expect(read).toEqual(['first']);
    await expect(way.send(request)).rejects.toThrow('the way is cut');
    await clock.advance(4 * 60_000);
    expect(await way.send(request)).toMatchObject({ status: 200 });
  });
});
