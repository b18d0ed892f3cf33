import type { Clock } from './clock.ts';
import { FairleadError } from './errors.ts';

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
