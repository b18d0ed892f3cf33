import type { Clock } from '../time/clock.ts';

/** The code under which the brake names itself in Events, metrics and the journal. */
export const BRAKE_CODE = 'mass-deletion-held';

/** A held deletion is believed when a list begun so much later still asks for it, unless told otherwise. */
export const CONFIRM_AFTER_MILLISECONDS = 600_000;

const DEFAULTS = { fraction: 0.3, minimumCount: 10, confirmAfterMilliseconds: CONFIRM_AFTER_MILLISECONDS };

/** What counts as a sudden mass deletion. */
export interface BrakeOptions {
  /** What is counted, for people: `load balancers`. */
  readonly things: string;
  /** Holds when more than this fraction of the known set would go at once, 0.3 unless told otherwise, ... */
  readonly fraction?: number;
  /** ... and at least so many; 10 unless told otherwise. */
  readonly minimumCount?: number;
  readonly confirmAfterMilliseconds?: number;
  /** What a person types to let it go ahead at once. */
  readonly releaseCommand?: string | undefined;
}

/** What the brake says about deletions that it did not let through. */
export interface Hold<Id extends string> {
  readonly code: typeof BRAKE_CODE;
  readonly message: string;
  readonly held: readonly Id[];
}

export interface BrakeDecision<Id extends string> {
  readonly allowed: readonly Id[];
  readonly hold?: Hold<Id>;
}

/**
 * Holds back a sudden mass deletion: an API that answers with an empty list, a selector that was changed by mistake.
 * What is really to go is still asked for by a later list, and goes then, or as soon as an operator releases it.
 */
export class DeletionBrake<Id extends string> {
  readonly #clock: Clock;
  readonly #options: BrakeOptions & typeof DEFAULTS;
  /** What was asked for last -> the monotonic time from which a list confirms it; long ago for what may go. */
  #confirmedFrom = new Map<Id, number>();
  #held: readonly Id[] = [];

  constructor(clock: Clock, options: BrakeOptions) {
    this.#clock = clock;
    this.#options = { ...DEFAULTS, ...options };
  }

  /** What is held now. */
  get held(): readonly Id[] {
    return this.#held;
  }

  /**
   * Which of the deletions may go ahead, out of `knownCount` things that are there. `listBegunAt` is the monotonic
   * time at which the completed list behind the decision was begun. What was let through and is asked for again,
   * because deleting it failed, is let through again.
   */
  judge(deletions: readonly Id[], knownCount: number, listBegunAt: number): BrakeDecision<Id> {
    const before = this.#confirmedFrom;
    const isConfirmed = (id: Id) => (before.get(id) ?? Number.POSITIVE_INFINITY) <= listBegunAt;
    const fresh = deletions.filter((id) => !isConfirmed(id));
    const isSudden = this.#isSudden(fresh.length, knownCount);
    const later = this.#clock.monotonic() + this.#options.confirmAfterMilliseconds;
    const mayGoFrom = (id: Id) => (isSudden ? (before.get(id) ?? later) : Number.NEGATIVE_INFINITY);
    this.#confirmedFrom = new Map(deletions.map((id) => [id, mayGoFrom(id)]));
    this.#held = isSudden ? fresh : [];
    if (!isSudden) return { allowed: deletions };
    return { allowed: deletions.filter(isConfirmed), hold: this.#hold(knownCount) };
  }

  /** Lets through what is held now; it does not loosen the brake for what comes later. */
  release(): void {
    for (const id of this.#held) this.#confirmedFrom.set(id, Number.NEGATIVE_INFINITY);
  }

  #isSudden(count: number, knownCount: number): boolean {
    return count >= this.#options.minimumCount && count > this.#options.fraction * knownCount;
  }

  #hold(knownCount: number): Hold<Id> {
    const { things, fraction, confirmAfterMilliseconds, releaseCommand } = this.#options;
    const held = this.#held;
    const what = `Holding back the deletion of ${held.length} of ${knownCount} ${things}`;
    const why = `more than ${fraction * 100} % at once`;
    const released = releaseCommand === undefined ? '' : `; to let it go ahead now: ${releaseCommand}`;
    const end = `It goes ahead if a list after ${confirmAfterMilliseconds / 1000} s still asks for it${released}.`;
    return { code: BRAKE_CODE, message: `${what}: ${why}. ${end}`, held };
  }
}
