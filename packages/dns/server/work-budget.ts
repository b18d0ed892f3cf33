import type { Clock } from '@fairlead/control';

/** Of work: a query is one unit, and each KB of its reply another. A millisecond, or a few. */
const UNITS_AT_A_TIME = 100;
const UNIT_BYTES = 1_024;

/**
 * Shares the process between what connections ask and all else: clients may send queries over TCP as fast as they like,
 * and datagrams are looked at only between two turns. What is too much for one turn waits for the next, in the order in
 * which it came.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #left = UNITS_AT_A_TIME;
  #isEnding = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether what comes has to wait. */
  get isOver(): boolean {
    return this.#left <= 0;
  }

  /** A query was answered with so many bytes. */
  spend(bytes: number): void {
    this.#left -= 1 + Math.floor(bytes / UNIT_BYTES);
    if (this.#isEnding) return;
    this.#isEnding = true;
    void this.#next();
  }

  /** Calls back in a later turn. Only for when this one is over. */
  wait(goOn: () => void): void {
    this.#waiting.push(goOn);
  }

  async #next(): Promise<void> {
    await this.#clock.turn();
    this.#isEnding = false;
    this.#left = UNITS_AT_A_TIME;
    while (!this.isOver) {
      const goOn = this.#waiting.shift();
      if (goOn === undefined) return;
      goOn();
    }
  }
}
