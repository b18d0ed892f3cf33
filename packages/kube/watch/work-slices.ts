import type { Clock } from '@fairlead/control';

/** Short enough that timers and sockets hardly notice, long enough that the turns in between cost nothing. */
const SLICE_MILLISECONDS = 8;

/**
 * Cuts long work into slices, with a turn of the event loop after each. All long work of a process shares one of
 * these: of those who wait, one goes on per turn, so that the slices of many caches never add up.
 */
export class WorkSlices {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #startedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** Whether it is time to `pause`. */
  get isOver(): boolean {
    return this.#clock.monotonic() - this.#startedAt >= SLICE_MILLISECONDS;
  }

  /** Resolves when a new slice begins. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) void this.#turn();
    });
  }

  async #turn(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#clock.turn();
      this.#startedAt = this.#clock.monotonic();
      this.#waiting.shift()?.();
    }
  }
}
