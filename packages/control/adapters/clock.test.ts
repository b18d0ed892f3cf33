import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from './clock.ts';

const DAY = 86_400_000;

describe('system clock', () => {
  afterEach(() => void vi.useRealTimers());

  it('fires a timer that is longer than the longest of the system only when it is due', () => {
    vi.useFakeTimers();
    let fired = false;
    systemClock.setTimer(60 * DAY, () => {
      fired = true;
    });
    vi.advanceTimersByTime(60 * DAY - 1);
    expect(fired).toBe(false);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(true);
  });

  it('rounds a fraction of a millisecond up, as a timer must not fire before its time', () => {
    vi.useFakeTimers();
    let fired = false;
    systemClock.setTimer(1.5, () => {
      fired = true;
    });
    vi.advanceTimersByTime(1);
    expect(fired).toBe(false);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(true);
  });

  it('cancels a timer in any of its slices', () => {
    vi.useFakeTimers();
    const timer = systemClock.setTimer(60 * DAY, () => expect.unreachable('the timer was cancelled'));
    vi.advanceTimersByTime(40 * DAY);
    timer.cancel();
    vi.advanceTimersByTime(40 * DAY);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('lets other work in between two turns', async () => {
    const order: string[] = [];
    const other = new Promise<void>((resolve) => {
      setImmediate(() => {
        order.push('other');
        resolve();
      });
    });
    await systemClock.turn();
    order.push('after the turn');
    await other;
    expect(order).toEqual(['other', 'after the turn']);
  });
});
