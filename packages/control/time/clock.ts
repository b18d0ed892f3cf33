/** A pending timer. Cancelling one that has fired, or twice, does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * Time as everything in Fairlead sees it. Nothing outside the adapters asks the system for it, so that a
 * simulation can run hours of it in a second and replay them exactly.
 */
export interface Clock {
  /**
   * Wall time in milliseconds since the epoch. It may jump, also backwards: compare it with what others wrote, never
   * measure with it.
   */
  now(): number;
  /** Milliseconds that never go back, from an arbitrary start: for deadlines and durations. */
  monotonic(): number;
  /** Calls back once, after at least `delayMilliseconds`. */
  setTimer(delayMilliseconds: number, callback: () => void): Timer;
  /** Resolves in a later turn of the event loop: lets sockets and timers in between two slices of long work. */
  turn(): Promise<void>;
}

/** Resolves after `delayMilliseconds`; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, delayMilliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(delayMilliseconds, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Works now, and again each time that so long has passed since, until the signal aborts. */
export async function every(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal,
  work: () => Promise<void> | void,
): Promise<void> {
  while (!signal.aborted) {
    await work();
    await sleep(clock, milliseconds, signal).catch(() => {});
  }
}
