import type { Clock } from '@fairlead/control';

/** Of work: a query is one unit, and each KB of its reply another. A millisecond, or a few. */
const UNITS_AT_A_TIME = 100;
const UNIT_BYTES = 1_024;

/**
 * How much the TCP sessions may do in one turn of the event loop. Clients may send queries over TCP as fast as they
 * like, and datagrams are read only between two turns. A session that finds the budget spent waits for the next turn,
 * in the order in which the sessions came.
 */
export class WorkBudget {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #left = UNITS_AT_A_TIME;
  #isEnding = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the next query has to wait. */
  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** A query was answered with so many bytes. */
  spend(bytes: number): void {
    this.#left -= 1 + Math.floor(bytes / UNIT_BYTES);
    if (this.#isEnding) return;
    this.#isEnding = true;
    void this.#next();
  }

  /** Calls back in a later turn. Only for when the budget is spent. */
  wait(goOn: () => void): void {
    this.#waiting.push(goOn);
  }

  async #next(): Promise<void> {
    await this.#clock.turn();
    this.#isEnding = false;
    this.#left = UNITS_AT_A_TIME;
    while (!this.isSpent) {
      const goOn = this.#waiting.shift();
      if (goOn === undefined) return;
      goOn();
    }
  }
}
