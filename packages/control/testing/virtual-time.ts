import type { VirtualClock } from '../time/virtual-clock.ts';

const LONGEST_MILLISECONDS = 86_400_000;

/** Lets time pass until the work is done; throws what it throws. */
export async function result<Result>(clock: VirtualClock, work: Promise<Result>): Promise<Result> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  work.then(settle, settle);
  if (!(await clock.runUntil(() => isSettled, LONGEST_MILLISECONDS))) throw new Error('the work does not end');
  return work;
}

/** Lets time pass until the work has failed; gives the error. */
export async function failure(clock: VirtualClock, work: Promise<unknown>): Promise<unknown> {
  const failed = work.then(
    () => Promise.reject(new Error('the work was expected to fail')),
    (error: unknown) => error,
  );
  return result(clock, failed);
}
