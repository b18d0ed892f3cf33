import type { Clock } from '@fairlead/control';

const FIRST_MILLISECONDS = 1_000;
const FACTOR = 1.6;
const LONGEST_MILLISECONDS = 15_000;
/** After this, it is told, and looked at less often. */
const PATIENCE_MILLISECONDS = 300_000;
const STUCK_MILLISECONDS = 60_000;

interface Wait {
  readonly since: number;
  readonly looks: number;
}

/** How long load balancers have been PENDING, and when to look again: soon at first, and never in a hot loop. */
export class PendingWaits {
  readonly #clock: Clock;
  readonly #waits = new Map<string, Wait>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes that it is still PENDING; says when to look again. */
  again(key: string): { readonly afterMilliseconds: number; readonly isStuck: boolean } {
    const now = this.#clock.monotonic();
    const { since, looks } = this.#waits.get(key) ?? { since: now, looks: 0 };
    this.#waits.set(key, { since, looks: looks + 1 });
    const isStuck = now - since >= PATIENCE_MILLISECONDS;
    const grown = Math.min(FIRST_MILLISECONDS * FACTOR ** looks, LONGEST_MILLISECONDS);
    return { afterMilliseconds: isStuck ? STUCK_MILLISECONDS : grown, isStuck };
  }

  /** It is PENDING no more. */
  over(key: string): void {
    this.#waits.delete(key);
  }
}
