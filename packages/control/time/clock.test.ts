import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { every, sleep } from './clock.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('sleep', () => {
  it('ends when the time is over', async () => {
    const clock = new VirtualClock();
    let awakeAt = -1;
    void sleep(clock, 100).then(() => (awakeAt = clock.monotonic()));
    await clock.advance(99);
    expect(awakeAt).toBe(-1);
    await clock.advance(1);
    expect(awakeAt).toBe(100);
  });

  it('ends with the reason of the signal as soon as it aborts, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const sleeping = sleep(clock, 100, controller.signal);
    controller.abort(new Error('stopped'));
    await expect(sleeping).rejects.toThrow('stopped');
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves no listener behind, however it ends', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const slept = sleep(clock, 100, controller.signal);
    await clock.advance(100);
    await slept;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    const sleeping = sleep(clock, 100, controller.signal);
    controller.abort(new Error('stopped'));
    await expect(sleeping).rejects.toThrow('stopped');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('does not begin when the signal has aborted before', async () => {
    const clock = new VirtualClock();
    await expect(sleep(clock, 100, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('every', () => {
  it('works at once, then after each pause, until the signal aborts', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const workedAt: number[] = [];
    const ended = every(clock, 1_000, stop.signal, () => void workedAt.push(clock.monotonic()));
    await clock.advance(2_500);
    stop.abort();
    await clock.advance(5_000);
    await ended;
    expect(workedAt).toEqual([0, 1_000, 2_000]);
  });

  it('pauses only once the work is done', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const workedAt: number[] = [];
    const ended = every(clock, 1_000, stop.signal, async () => {
      workedAt.push(clock.monotonic());
      await sleep(clock, 5_000);
    });
    await clock.advance(13_000);
    expect(workedAt).toEqual([0, 6_000, 12_000]);
    stop.abort();
    await clock.advance(5_000);
    await ended;
  });

  it('ends with the failure of its work', async () => {
    const work = () => Promise.reject(new Error('fog'));
    await expect(every(new VirtualClock(), 1_000, new AbortController().signal, work)).rejects.toThrow('fog');
  });
});
