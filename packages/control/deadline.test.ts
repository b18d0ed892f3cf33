import { describe, expect, it } from 'vitest';
import { deadlineSignal, withDeadline } from './deadline.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('deadline', () => {
  it('aborts when the time is over, with a retriable error that says so', async () => {
    const clock = new VirtualClock();
    const { signal } = deadlineSignal(clock, 2500);
    await clock.advance(2499);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.reason).toMatchObject({
      verdict: 'retriable',
      code: 'deadline-exceeded',
      message: 'not done within 2.5 s',
    });
  });

  it('aborts with its parent and leaves no timer', () => {
    const clock = new VirtualClock();
    const parent = new AbortController();
    const { signal } = deadlineSignal(clock, 1000, parent.signal);
    parent.abort('lease lost');
    expect(signal.reason).toBe('lease lost');
    expect(clock.pendingTimers).toBe(0);
  });

  it('is over from the start when its parent is', () => {
    const clock = new VirtualClock();
    const deadline = deadlineSignal(clock, 1000, AbortSignal.abort('lease lost'));
    deadline.cancel();
    expect(deadline.signal.reason).toBe('lease lost');
    expect(clock.pendingTimers).toBe(0);
  });

  it('never aborts once cancelled, and no longer follows its parent', async () => {
    const clock = new VirtualClock();
    const parent = new AbortController();
    const deadline = deadlineSignal(clock, 1000, parent.signal);
    deadline.cancel();
    parent.abort('lease lost');
    await clock.advance(2000);
    expect(deadline.signal.aborted).toBe(false);
  });

  it('leaves its parent alone when the time is over', async () => {
    const clock = new VirtualClock();
    const parent = new AbortController();
    const deadline = deadlineSignal(clock, 1000, parent.signal);
    await clock.advance(1000);
    parent.abort('later');
    expect(deadline.signal.reason).toMatchObject({ code: 'deadline-exceeded' });
  });
});

describe('work with a deadline', () => {
  const limit = { name: 'GET /version', milliseconds: 1000 };

  it('gives what the work gives, and leaves no timer', async () => {
    const clock = new VirtualClock();
    expect(await withDeadline(clock, limit, undefined, async () => 'done')).toBe('done');
    await expect(withDeadline(clock, limit, undefined, () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not wait for work that hangs, and names it', async () => {
    const clock = new VirtualClock();
    const late = withDeadline(clock, limit, undefined, () => new Promise(() => {})).catch((error: unknown) => error);
    await clock.advance(1000);
    expect(await late).toMatchObject({
      verdict: 'retriable',
      code: 'deadline-exceeded',
      message: 'GET /version: not done within 1 s',
    });
  });

  it('ends with the reason of its caller', async () => {
    const clock = new VirtualClock();
    const caller = new AbortController();
    const work = withDeadline(clock, limit, caller.signal, () => new Promise(() => {}));
    caller.abort(new Error('lease lost'));
    await expect(work).rejects.toThrow('lease lost');
    await expect(withDeadline(clock, limit, caller.signal, async () => 'never')).rejects.toThrow('lease lost');
    expect(clock.pendingTimers).toBe(0);
  });
});
