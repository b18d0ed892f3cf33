import { type Clock, FairleadError } from '@fairlead/control';

/** How long a call may take: `name` begins the error's message when time is up. */
export interface Deadline {
  readonly name: string;
  readonly milliseconds: number;
}

/**
 * Runs `work` with a signal that aborts when time is up or when the caller's signal does, and does not wait for work
 * that ignores it: a call that hangs must not hang its caller.
 */
export async function withDeadline<Result>(
  clock: Clock,
  deadline: Deadline,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.setTimer(deadline.milliseconds, () => controller.abort(timeIsUp(deadline)));
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  try {
    return await Promise.race([work(controller.signal), aborted]);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}

function timeIsUp(deadline: Deadline): FairleadError {
  const seconds = Math.round(deadline.milliseconds / 100) / 10;
  return new FairleadError(`${deadline.name}: no answer within ${seconds} s`, {
    verdict: 'retriable',
    code: 'deadline-exceeded',
  });
}
