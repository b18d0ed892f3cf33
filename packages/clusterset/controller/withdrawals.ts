import type { Clock } from '@fairlead/control';
import type { DeletionGuard } from '@fairlead/part';

/** Imports that go within this time go at once. */
const WINDOW_MILLISECONDS = 60_000;
export const CONFIRM_AFTER_MILLISECONDS = 600_000;

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
  /** Key -> when it was let through, or infinity while it is held. */
  readonly #asked = new Map<string, number>();

  constructor(clock: Clock, guard: Pick<DeletionGuard<string>, 'allow'>) {
    this.#clock = clock;
    this.#guard = guard;
  }

  /** Whether the import may lose what it would, out of `knownCount` imports. */
  allows(key: string, knownCount: number): boolean {
    const now = this.#clock.monotonic();
    for (const [other, at] of this.#asked) if (at + WINDOW_MILLISECONDS < now) this.#asked.delete(other);
    this.#asked.set(key, this.#asked.get(key) ?? Number.POSITIVE_INFINITY);
    const isAllowed = this.#guard.allow([...this.#asked.keys()], knownCount, now).includes(key);
    this.#asked.set(key, isAllowed ? now : Number.POSITIVE_INFINITY);
    return isAllowed;
  }

  /** It would lose nothing any more. */
  settle(key: string): void {
    if (this.#asked.get(key) === Number.POSITIVE_INFINITY) this.#asked.delete(key);
  }
}
