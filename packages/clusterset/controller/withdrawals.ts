import type { Clock } from '@fairlead/control';
import type { DeletionGuard } from '@fairlead/part';

/** What would go within this time is judged together. */
const GATHER_MILLISECONDS = 1_000;
const CONFIRM_AFTER_MILLISECONDS = 600_000;

export const BRAKE = {
  things: 'imported Services',
  fraction: 0.3,
  minimumCount: 10,
  confirmAfterMilliseconds: CONFIRM_AFTER_MILLISECONDS,
};

/** The brake on imports that would lose clusters, seen one at a time. */
export class Withdrawals {
  readonly #clock: Clock;
  readonly #guard: Pick<DeletionGuard<string>, 'allow'>;
  /** Key -> since when it would lose something. */
  readonly #asked = new Map<string, number>();

  constructor(clock: Clock, guard: Pick<DeletionGuard<string>, 'allow'>) {
    this.#clock = clock;
    this.#guard = guard;
  }

  /** How long the import has to keep what it would lose, out of `knownCount` imports; 0: it may lose it now. */
  waitsFor(key: string, knownCount: number): number {
    const now = this.#clock.monotonic();
    const since = this.#asked.get(key) ?? now;
    this.#asked.set(key, since);
    if (now - since < GATHER_MILLISECONDS) return since + GATHER_MILLISECONDS - now;
    const isAllowed = this.#guard.allow([...this.#asked.keys()], knownCount, now).includes(key);
    return isAllowed ? 0 : CONFIRM_AFTER_MILLISECONDS;
  }

  /** It would lose nothing any more. */
  settle(key: string): void {
    this.#asked.delete(key);
  }
}
