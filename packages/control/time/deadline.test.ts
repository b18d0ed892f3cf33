import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { orAborted, withDeadline } from './deadline.ts';
import { VirtualClock } from './virtual-clock.ts';

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

  it('aborts the work together with its caller, and when time is up', async () => {
    const clock = new VirtualClock();
    const signals: AbortSignal[] = [];
    const hang = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<never>(() => {});
    };
    const caller = new AbortController();
    const followed = withDeadline(clock, limit, caller.signal, hang);
    caller.abort('lease lost');
    await expect(followed).rejects.toBe('lease lost');
    const late = withDeadline(clock, limit, undefined, hang).catch((error: unknown) => error);
    await clock.advance(999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await clock.advance(1);
    expect(await late).toMatchObject({ code: 'deadline-exceeded' });
    expect(signals[0]?.reason).toBe('lease lost');
    expect(signals[1]?.reason).toMatchObject({ verdict: 'retriable', code: 'deadline-exceeded' });
  });

  it('leaves the work alone once it is done, whatever becomes of the caller', async () => {
    const clock = new VirtualClock();
    const caller = new AbortController();
    let given: AbortSignal | undefined;
    await withDeadline(clock, limit, caller.signal, async (signal) => {
      given = signal;
    });
    caller.abort('later');
    await clock.advance(2000);
    expect(given?.aborted).toBe(false);
  });

  it('begins nothing when no time is left, and tells how much there was', async () => {
    const clock = new VirtualClock();
    const none = { ...limit, milliseconds: 0, outOf: 5000 };
    const work = () => expect.unreachable('the time was over');
    await expect(withDeadline(clock, none, undefined, work)).rejects.toMatchObject({
      code: 'deadline-exceeded',
      message: 'GET /version: not done within 5 s',
    });
    expect(clock.pendingTimers).toBe(0);
  });
});

const never = () => new Promise<never>(() => {});

describe('orAborted', () => {
  it('passes on what came in time, and leaves no listener behind', async () => {
    const { signal } = new AbortController();
    await expect(orAborted(Promise.resolve('head'), signal)).resolves.toBe('head');
    await expect(orAborted(Promise.reject(new Error('refused')), signal)).rejects.toThrow('refused');
    await expect(orAborted(Promise.resolve('head'), undefined)).resolves.toBe('head');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('does not wait for a promise that ignores the signal, aborted before or meanwhile', async () => {
    const controller = new AbortController();
    const waiting = orAborted(never(), controller.signal);
    controller.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect(orAborted(never(), controller.signal)).rejects.toThrow('stopped');
  });
});
