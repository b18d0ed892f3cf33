import type { Clock } from '../clock.ts';

/** Node's longest timer; a longer one would fire at once, so it is set again in slices. */
const LONGEST_TIMER_MILLISECONDS = 2_147_483_647;

/** The system's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMilliseconds, callback) {
    let handle: NodeJS.Timeout;
    const arm = (remaining: number) => {
      // Node counts in whole milliseconds, and would fire a fraction too early.
      const slice = Math.min(Math.max(0, Math.ceil(remaining)), LONGEST_TIMER_MILLISECONDS);
      handle = setTimeout(() => (remaining > slice ? arm(remaining - slice) : callback()), slice);
    };
    arm(delayMilliseconds);
    return { cancel: () => clearTimeout(handle) };
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};
