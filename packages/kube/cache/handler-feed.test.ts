import { silentLogger, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { WorkSlices } from '../watch/work-slices.ts';
import type { CacheChange } from './change.ts';
import { HandlerFeed } from './handler-feed.ts';

/** A feed that has to pause after each object, as in a cache of many. */
async function setUp() {
  const clock = new VirtualClock();
  const slices = new WorkSlices(clock);
  await clock.advance(1000);
  const told: CacheChange<string>[] = [];
  const feed = new HandlerFeed<string>((change) => {
    told.push(change);
  }, silentLogger);
  return { clock, slices, feed, told };
}

describe('HandlerFeed', () => {
  it('tells first what was there, and then in order what happened meanwhile', async () => {
    const { clock, slices, feed, told } = await setUp();
    const objects = new Map([
      ['a', 'a1'],
      ['b', 'b1'],
    ]);
    const replayed = feed.replay(objects, slices);
    expect(told).toHaveLength(1);
    const update: CacheChange<string> = { type: 'update', key: 'b', before: 'b1', after: 'b2', initial: false };
    const addition: CacheChange<string> = { type: 'add', key: 'c', after: 'c1', initial: false };
    objects.set('b', 'b2');
    objects.set('c', 'c1');
    feed.deliver(update);
    feed.deliver(addition);
    await clock.advance(0);
    await replayed;
    const last: CacheChange<string> = { type: 'delete', key: 'a', before: 'a1', initial: false };
    feed.deliver(last);
    expect(told).toEqual([
      { type: 'add', key: 'a', after: 'a1', initial: true },
      { type: 'add', key: 'b', after: 'b1', initial: true },
      update,
      addition,
      last,
    ]);
  });

  it('tells what happens while it tells what waits after that', async () => {
    const { clock, slices } = await setUp();
    const told: string[] = [];
    const feed = new HandlerFeed<string>((change) => {
      told.push(change.type === 'delete' ? 'deleted' : change.after);
      if (change.type === 'update' && change.after === 'a2') {
        feed.deliver({ type: 'delete', key: 'a', before: 'a3', initial: false });
      }
    }, silentLogger);
    const replayed = feed.replay(new Map([['a', 'a1']]), slices);
    feed.deliver({ type: 'update', key: 'a', before: 'a1', after: 'a2', initial: false });
    feed.deliver({ type: 'update', key: 'a', before: 'a2', after: 'a3', initial: false });
    await clock.advance(0);
    await replayed;
    expect(told).toEqual(['a1', 'a2', 'a3', 'deleted']);
  });

  it('tells nothing more once it is cancelled, not even what waits', async () => {
    const { clock, slices, feed, told } = await setUp();
    const replayed = feed.replay(new Map(Object.entries({ a: 'a1', b: 'b1' })), slices);
    feed.cancel();
    feed.deliver({ type: 'add', key: 'c', after: 'c1', initial: false });
    await clock.advance(0);
    await replayed;
    expect(told).toHaveLength(1);
  });

  it('tells what happens while it is held when it is released, in order', async () => {
    const { slices } = await setUp();
    const told: string[] = [];
    let isHeld = false;
    const feed = new HandlerFeed<string>(
      ({ key, type }) => void told.push(`${type} ${key}`),
      silentLogger,
      () => isHeld,
    );
    await feed.replay(new Map(), slices);
    isHeld = true;
    feed.deliver({ type: 'add', key: 'a', after: 'a1', initial: false });
    feed.deliver({ type: 'delete', key: 'b', before: 'b1', initial: false });
    expect(told).toEqual([]);
    isHeld = false;
    feed.release();
    feed.deliver({ type: 'add', key: 'c', after: 'c1', initial: false });
    expect(told).toEqual(['add a', 'delete b', 'add c']);
  });

  it('begins with what is there when it is released, where it came while it was held', async () => {
    const { clock, slices, told } = await setUp();
    let isHeld = true;
    const feed = new HandlerFeed<string>(
      (change) => void told.push(change),
      silentLogger,
      () => isHeld,
    );
    const objects = new Map([['a', 'a1']]);
    const replayed = feed.replay(objects, slices);
    objects.set('a', 'a2');
    feed.deliver({ type: 'update', key: 'a', before: 'a1', after: 'a2', initial: false });
    await clock.advance(0);
    expect(told).toEqual([]);
    isHeld = false;
    feed.release();
    await clock.advance(0);
    await replayed;
    expect(told).toEqual([{ type: 'add', key: 'a', after: 'a2', initial: true }]);
  });
});
