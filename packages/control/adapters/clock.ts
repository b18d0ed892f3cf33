import type { Clock } from '../clock.ts';

/** Node's longest timer; a longer one fires at once. */
const LONGEST_TIMER_MILLISECONDS = 2_147_483_647;

/** The system's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMilliseconds, callback) {
    const handle = setTimeout(callback, Math.min(Math.max(0, delayMilliseconds), LONGEST_TIMER_MILLISECONDS));
    return { cancel: () => clearTimeout(handle) };
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};
