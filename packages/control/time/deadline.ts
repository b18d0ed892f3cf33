import { FairleadError } from '../errors.ts';
import type { Clock } from './clock.ts';

export interface Deadline {
  /** Begins the message when time is up. */
  readonly name: string;
  readonly milliseconds: number;
  /** Told when time is up, where the milliseconds are what is left of so many. */
  readonly outOf?: number;
}

/**
 * Runs `work` with a signal that aborts when time is up or when the caller's signal does, and does not wait for work
 * that ignores it: a call that hangs must not hang its caller.
 */
export function withDeadline<Result>(
  clock: Clock,
  { name, milliseconds, outOf = milliseconds }: Deadline,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (caller?.aborted) return Promise.reject(caller.reason);
  if (milliseconds <= 0) return Promise.reject(deadlineExceeded(name, outOf));
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const letGo = () => {
      timer.cancel();
      caller?.removeEventListener('abort', onCallerAbort);
    };
    const giveUp = (reason: unknown) => {
      letGo();
      reject(reason);
      controller.abort(reason);
    };
    const onCallerAbort = () => giveUp(caller?.reason);
    const timer = clock.setTimer(milliseconds, () => giveUp(deadlineExceeded(name, outOf)));
    caller?.addEventListener('abort', onCallerAbort, { once: true });
    const run = async () => {
      try {
        resolve(await work(controller.signal));
      } catch (error) {
        reject(error);
      } finally {
        letGo();
      }
    };
    void run();
  });
}

/** Of what was not done in time. */
export const DEADLINE_EXCEEDED_CODE = 'deadline-exceeded';

/** `name` is what was not done in time. */
export function deadlineExceeded(name: string, milliseconds: number): FairleadError {
  return new FairleadError(`${name}: not done within ${milliseconds / 1000} s`, {
    verdict: 'retriable',
    code: DEADLINE_EXCEEDED_CODE,
  });
}

/** The same promise, but waited for only until the signal aborts, with whose reason it then rejects. */
export async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
