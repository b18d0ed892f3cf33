import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { KeyBatcher } from './key-batcher.ts';

describe('KeyBatcher', () => {
  it('works on what comes together at once, and on what comes meanwhile afterwards', async () => {
    const clock = new VirtualClock();
    const batches: (readonly string[])[] = [];
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const batcher = new KeyBatcher<string>(clock, async (keys) => {
      batches.push(keys);
      await gates[batches.length - 1]?.promise;
      return new Map();
    });
    const first = [batcher.submit('a'), batcher.submit('b'), batcher.submit('a')];
    await clock.advance(0);
    const second = [batcher.submit('a'), batcher.submit('c')];
    await clock.advance(0);
    expect(batches).toEqual([['a', 'b']]);
    gates[0]?.resolve();
    await Promise.all(first);
    await clock.advance(0);
    expect(batches).toEqual([
      ['a', 'b'],
      ['a', 'c'],
    ]);
    gates[1]?.resolve();
    await Promise.all(second);
  });

  it('tells each key how it went', async () => {
    const clock = new VirtualClock();
    const batcher = new KeyBatcher<string>(clock, async () => new Map([['bad', new Error('refused')]]));
    const results = Promise.allSettled([batcher.submit('good'), batcher.submit('bad')]);
    await clock.advance(0);
    expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('goes on after work that failed as a whole', async () => {
    const clock = new VirtualClock();
    let isBroken = true;
    const batcher = new KeyBatcher<string>(clock, async () => {
      if (isBroken) throw new Error('locked');
      return new Map();
    });
    const results = Promise.allSettled([batcher.submit('a'), batcher.submit('b')]);
    await clock.advance(0);
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    const again = batcher.submit('a');
    await clock.advance(0);
    await expect(again).resolves.toBeUndefined();
  });
});
