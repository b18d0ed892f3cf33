import type { Clock } from './clock.ts';
import { orAborted } from './deadline.ts';

/** A pause of a loop, which ends at once when there is work for the loop. */
export class WakeablePause {
  readonly #clock: Clock;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the pause that is under way, if there is one. */
  wake(): void {
    this.#wake?.();
  }

  /** Resolves after so long, which may be infinity, or when woken; rejects when the signal aborts. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = Number.isFinite(milliseconds) ? this.#clock.setTimer(milliseconds, resolve) : undefined;
    this.#wake = resolve;
    try {
      await orAborted(promise, signal);
    } finally {
      timer?.cancel();
      this.#wake = undefined;
    }
  }
}
