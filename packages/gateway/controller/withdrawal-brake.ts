import { CONFIRM_AFTER_MILLISECONDS, type Clock, DeletionBrake, type Hold } from '@fairlead/control';
import { WorkSlices } from '@fairlead/kube';
import type { Releases } from '@fairlead/part';
import { type ServiceKey, shownAddresses } from '@fairlead/service';
import type { Outcome } from './outcome.ts';

/**
 * Holds back taking away, or exchanging, the addresses of many Services at once: a pool that lost its addresses by a
 * mistake in the configuration must not empty a cluster. What is still so after a while was meant.
 */
export class WithdrawalBrake {
  readonly #clock: Clock;
  readonly #brake: DeletionBrake<ServiceKey>;
  #held: ReadonlySet<ServiceKey> = new Set();
  /** Monotonic. */
  #until = 0;

  constructor(clock: Clock, releases?: Releases) {
    this.#clock = clock;
    this.#brake = new DeletionBrake(clock, {
      things: 'addresses that Services show',
      releaseCommand: releases?.command,
    });
    releases?.onRelease(() => this.#release());
  }

  /** Wall time from which what is held goes ahead. */
  get heldUntil(): number {
    return this.#clock.now() + this.#until - this.#clock.monotonic();
  }

  /** Judges what a leader found when it began. */
  async judge(outcomes: ReadonlyMap<ServiceKey, Outcome>): Promise<Hold<ServiceKey> | undefined> {
    const slices = new WorkSlices(this.#clock);
    const losing: ServiceKey[] = [];
    let served = 0;
    for (const [key, outcome] of outcomes) {
      if (slices.isOver) await slices.pause();
      if (shownAddresses(outcome.claim.service).length === 0) continue;
      served += 1;
      if (losesAddress(outcome)) losing.push(key);
    }
    const { hold } = this.#brake.judge(losing, served, this.#clock.monotonic());
    this.#held = new Set(hold?.held ?? []);
    this.#until = this.#clock.monotonic() + CONFIRM_AFTER_MILLISECONDS;
    return hold;
  }

  /** What an operator lets go is let through when it is looked at next, and stays so when all is judged afresh. */
  #release(): void {
    this.#brake.release();
    this.#held = new Set();
  }

  /** Whether this is to wait. A Service that would not lose anything any more is let through. */
  holds(key: ServiceKey, outcome: Outcome): boolean {
    return this.#held.has(key) && losesAddress(outcome) && this.#clock.monotonic() < this.#until;
  }
}

/** What its owner gave up is not lost, and what would let in whom the owner shuts out is not held. */
function losesAddress(outcome: Outcome): boolean {
  if (outcome.kind === 'refuse') return outcome.shutsOut !== true && shownAddresses(outcome.claim.service).length > 0;
  if (outcome.kind !== 'serve') return false;
  const kept = new Set(outcome.l2Ports.map((l2Port) => l2Port.ingress));
  return shownAddresses(outcome.claim.service).some((address) => !kept.has(address));
}
