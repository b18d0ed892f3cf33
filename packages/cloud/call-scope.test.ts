import { sleep, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { CallScope } from './call-scope.ts';

const NAME = 'PUT loadBalancers/web';
const hang = () => new Promise<never>(() => {});
const failureOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

describe('the time a call has', () => {
  it('is shared by everything the call waits for', async () => {
    const clock = new VirtualClock();
    const scope = new CallScope(clock, NAME, 5000, undefined);
    const work = scope.wait((signal) => sleep(clock, 3000, signal)).then(() => scope.wait(hang));
    const failure = failureOf(work);
    await clock.advance(3000);
    expect(scope.remainingMilliseconds).toBe(2000);
    await clock.advance(2000);
    expect(await failure).toMatchObject({
      verdict: 'retriable',
      code: 'deadline-exceeded',
      message: `${NAME}: not done within 5 s`,
    });
    expect(clock.monotonic()).toBe(5000);
    await expect(scope.wait(() => expect.unreachable('the time was over'))).rejects.toThrow('not done within 5 s');
  });

  it('is not used up by one request that gets no answer', async () => {
    const clock = new VirtualClock();
    const scope = new CallScope(clock, NAME, 5000, undefined);
    const failure = failureOf(scope.wait(hang, 1000));
    await clock.advance(1000);
    expect(await failure).toMatchObject({ message: `${NAME}: not done within 1 s` });
    expect(await scope.wait(async () => 'answered', 1000)).toBe('answered');
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends when the caller aborts, with the reason given', async () => {
    const clock = new VirtualClock();
    const caller = new AbortController();
    const scope = new CallScope(clock, NAME, 5000, caller.signal);
    const failure = failureOf(scope.wait(hang));
    scope.throwIfAborted();
    caller.abort(new Error('lease lost'));
    expect(await failure).toMatchObject({ message: 'lease lost' });
    expect(() => scope.throwIfAborted()).toThrow('lease lost');
    expect(clock.pendingTimers).toBe(0);
  });
});
