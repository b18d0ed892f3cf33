import type { Clock, Timer } from '../time/clock.ts';

/** Node's longest timer; a longer one would fire at once, so it is set again in slices. */
const LONGEST_TIMER_MILLISECONDS = 2_147_483_647;

/** The system's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMilliseconds, callback) {
    // Node counts in whole milliseconds, and would fire a fraction too early.
    const delay = Math.max(0, Math.ceil(delayMilliseconds));
    if (delay > LONGEST_TIMER_MILLISECONDS) return timerInSlices(delay, callback);
    const handle = setTimeout(callback, delay);
    return { cancel: () => clearTimeout(handle) };
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};

function timerInSlices(delay: number, callback: () => void): Timer {
  const continued = () => {
    timer = systemClock.setTimer(delay - LONGEST_TIMER_MILLISECONDS, callback);
  };
  let timer = systemClock.setTimer(LONGEST_TIMER_MILLISECONDS, continued);
  return { cancel: () => timer.cancel() };
}
