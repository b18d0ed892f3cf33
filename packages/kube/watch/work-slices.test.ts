import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { response } from '../testing/responses.ts';
import { readListPage, readWatchEvents } from './read-body.ts';
import { WorkSlices } from './work-slices.ts';

/** A clock under which each look at the time takes a millisecond, as if that much work had been done. */
class BusyClock extends VirtualClock {
  turns = 0;
  #worked = 0;

  override monotonic(): number {
    this.#worked += 1;
    return super.monotonic() + this.#worked;
  }

  override turn(): Promise<void> {
    this.turns += 1;
    return Promise.resolve();
  }
}

const hundred = Array.from({ length: 100 }, (_, number) => ({ metadata: { name: `service-${number}` } }));

describe('WorkSlices', () => {
  it('lets the event loop turn every few milliseconds of a long watch', async () => {
    const clock = new BusyClock();
    const lines = hundred.map((object) => `${JSON.stringify({ type: 'ADDED', object })}\n`).join('');
    let events = 0;
    for await (const event of readWatchEvents('/', response(200, lines).body, new WorkSlices(clock))) {
      if (event.type === 'ADDED') events += 1;
    }
    expect(events).toBe(100);
    expect(clock.turns).toBeGreaterThanOrEqual(10);
  });

  it('lets the event loop turn every few milliseconds of a long page', async () => {
    const clock = new BusyClock();
    const items: unknown[] = [];
    const list = { metadata: { resourceVersion: '7' }, items: hundred };
    const take = (item: unknown) => void items.push(item);
    const page = await readListPage('/', response(200, list).body, new WorkSlices(clock), take);
    expect(page).toEqual({ resourceVersion: '7', continueToken: undefined });
    expect(items).toEqual(hundred);
    expect(clock.turns).toBeGreaterThanOrEqual(10);
  });

  it('lets one of those who wait go on per turn, in the order in which they came', async () => {
    const clock = new VirtualClock();
    const slices = new WorkSlices(clock);
    const log: string[] = [];
    const work = async (name: string) => {
      for (let slice = 1; slice <= 2; slice += 1) {
        await slices.pause();
        log.push(`${name} ${slice}`);
      }
    };
    const all = Promise.all(['a', 'b', 'c'].map(work));
    await clock.runNext();
    expect(log).toEqual(['a 1']);
    await clock.advance(0);
    await all;
    expect(log).toEqual(['a 1', 'b 1', 'c 1', 'a 2', 'b 2', 'c 2']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('begins a slice anew at each turn', async () => {
    const clock = new VirtualClock();
    const slices = new WorkSlices(clock);
    expect(slices.isOver).toBe(false);
    await clock.advance(20);
    expect(slices.isOver).toBe(true);
    const paused = slices.pause();
    await clock.advance(0);
    await paused;
    expect(slices.isOver).toBe(false);
  });
});

describe('readListPage', () => {
  it('refuses what is no list, or only the beginning of one', async () => {
    const slices = new WorkSlices(new VirtualClock());
    for (const body of ['<html>', '[]', '{"items":[]}', '{"metadata":{},"items":[{"a":1},']) {
      await expect(readListPage('/api/v1/services', response(200, body).body, slices, () => {})).rejects.toMatchObject({
        code: 'unexpected-answer',
        verdict: 'retriable',
      });
    }
  });
});
