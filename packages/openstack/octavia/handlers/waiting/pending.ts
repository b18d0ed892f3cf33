import type { Clock } from '@fairlead/control';

const FIRST_MILLISECONDS = 1_000;
const FACTOR = 1.6;
const LONGEST_MILLISECONDS = 15_000;
/** After this, it is told, and looked at less often. */
const PATIENCE_MILLISECONDS = 300_000;
const STUCK_MILLISECONDS = 60_000;
/** More than a Service of many ports takes: one that is never as it should be is not changed every second. */
const MOST_CHANGES = 100;

interface Wait {
  readonly since: number;
  readonly looks: number;
  readonly changes: number;
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
    const { since, looks, changes } = this.#waits.get(key) ?? { since: now, looks: 0, changes: 0 };
    this.#waits.set(key, { since, looks: looks + 1, changes });
    const isStuck = now - since >= PATIENCE_MILLISECONDS;
    const grown = Math.min(FIRST_MILLISECONDS * FACTOR ** looks, LONGEST_MILLISECONDS);
    return { afterMilliseconds: isStuck ? STUCK_MILLISECONDS : grown, isStuck };
  }

  /** It is at another change: how long the one before took says nothing about it. */
  changed(key: string): void {
    const { changes = 0, looks = 0 } = this.#waits.get(key) ?? {};
    const isMany = changes >= MOST_CHANGES;
    this.#waits.set(key, { since: this.#clock.monotonic(), looks: isMany ? looks : 0, changes: changes + 1 });
  }

  /** It is PENDING no more. */
  over(key: string): void {
    this.#waits.delete(key);
  }
}
