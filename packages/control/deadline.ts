import type { Clock } from './clock.ts';
import { FairleadError, messageOf } from './errors.ts';

/** A signal that aborts by itself; cancel it when the work is done, or its timer stays behind. */
export interface Deadline {
  readonly signal: AbortSignal;
  cancel(): void;
}

/**
 * Aborts after `milliseconds`, with a retriable error of code `deadline-exceeded`, or together with the parent, with
 * its reason.
 */
export function deadlineSignal(clock: Clock, milliseconds: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  if (parent?.aborted) {
    controller.abort(parent.reason);
    return { signal: controller.signal, cancel() {} };
  }
  const cancel = () => {
    timer.cancel();
    parent?.removeEventListener('abort', onParentAbort);
  };
  const onParentAbort = () => {
    cancel();
    controller.abort(parent?.reason);
  };
  const timer = clock.setTimer(milliseconds, () => {
    cancel();
    controller.abort(
      new FairleadError(`not done within ${milliseconds / 1000} s`, {
        verdict: 'retriable',
        code: 'deadline-exceeded',
      }),
    );
  });
  parent?.addEventListener('abort', onParentAbort, { once: true });
  return { signal: controller.signal, cancel };
}

/**
 * Runs `work` with a signal that aborts when time is up or when the caller's signal does, and does not wait for work
 * that ignores it: a call that hangs must not hang its caller. `name` begins the message when time is up.
 */
export async function withDeadline<Result>(
  clock: Clock,
  { name, milliseconds }: { readonly name: string; readonly milliseconds: number },
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
