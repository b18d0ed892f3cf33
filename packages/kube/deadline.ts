import { type Clock, deadlineSignal, FairleadError, messageOf } from '@fairlead/control';

/** How long a call may take: `name` begins the error's message when time is up. */
export interface CallDeadline {
  readonly name: string;
  readonly milliseconds: number;
}

/**
 * Runs `work` with a signal that aborts when time is up or when the caller's signal does, and does not wait for work
 * that ignores it: a call that hangs must not hang its caller.
 */
export async function withDeadline<Result>(
  clock: Clock,
  { name, milliseconds }: CallDeadline,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  caller?.throwIfAborted();
  const deadline = deadlineSignal(clock, milliseconds, caller);
  const aborted = new Promise<never>((_, reject) => {
    deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason), { once: true });
  });
  try {
    return await Promise.race([work(deadline.signal), aborted]);
  } catch (error) {
    caller?.throwIfAborted();
    if (!deadline.signal.aborted) throw error;
    throw new FairleadError(`${name}: ${messageOf(deadline.signal.reason)}`, {
      verdict: 'retriable',
      code: 'deadline-exceeded',
    });
  } finally {
    deadline.cancel();
  }
}
