import { type Clock, FairleadError, type Timer } from '@fairlead/control';

/** What the leader may rely on while it leads. */
export interface Leadership {
  /** Rises with each new leadership; who is told an older one refuses. */
  readonly epoch: number;
  /** Aborts when the leadership ends, before another candidate can lead; its reason says why. */
  readonly signal: AbortSignal;
  /** Whether we surely still lead after this long: asked before a call, with the call's deadline. */
  covers(milliseconds: number): boolean;
}

/** A moment by both clocks. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** Now, by both clocks. */
export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/**
 * At least the milliseconds that have passed since. Monotonic time stands still while a machine is suspended; wall time
 * goes on, but may be set, also back while the machine sleeps. Where they disagree by more than the slack, either may be
 * wrong: that counts as for ever, and costs a leader no more than to wait for its next renewal.
 */
export function millisecondsSince(moment: Moment, clock: Clock, slack: number): number {
  const byMonotonic = clock.monotonic() - moment.monotonic;
  const byWall = clock.now() - moment.wall;
  return Math.abs(byWall - byMonotonic) > slack ? Number.POSITIVE_INFINITY : Math.max(byMonotonic, byWall);
}

/** How long a leadership lasts without a renewal, and by how much its clocks may disagree. */
export interface Term {
  readonly milliseconds: number;
  readonly slackMilliseconds: number;
}

/** A leadership that ends by itself unless it is extended in time. */
export class LimitedLeadership implements Leadership {
  readonly epoch: number;
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #term: Term;
  #renewedAt: Moment;
  #coveredUntil = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  /** `renewedAt`: just before the request that took the Lease was sent. */
  constructor(clock: Clock, epoch: number, term: Term, renewedAt: Moment) {
    this.#clock = clock;
    this.epoch = epoch;
    this.#term = term;
    this.#renewedAt = renewedAt;
    this.#watch();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds until all that it covered is over, also once it has ended itself. */
  get coveredMilliseconds(): number {
    return Math.max(0, this.#coveredUntil - this.#clock.monotonic());
  }

  // Asks the clocks and not the signal alone: after a pause of the whole process, code may run before timers do, and
  // after a suspension of the machine, timers have missed all of it.
  covers(milliseconds: number): boolean {
    const elapsed = millisecondsSince(this.#renewedAt, this.#clock, this.#term.slackMilliseconds);
    if (this.signal.aborted || elapsed + milliseconds >= this.#term.milliseconds) return false;
    this.#coveredUntil = Math.max(this.#coveredUntil, this.#clock.monotonic() + milliseconds);
    return true;
  }

  extend(renewedAt: Moment): void {
    this.#renewedAt = renewedAt;
    this.#watch();
  }

  end(reason: FairleadError): void {
    this.#timer?.cancel();
    this.#controller.abort(reason);
  }

  // By monotonic time alone: a clock that was set ends no leadership, as the next renewal tells who leads.
  #watch(): void {
    this.#timer?.cancel();
    if (this.signal.aborted) return;
    const validUntil = this.#renewedAt.monotonic + this.#term.milliseconds;
    this.#timer = this.#clock.setTimer(validUntil - this.#clock.monotonic(), () =>
      this.end(leadershipEnded('leadership-lost', 'the Lease could not be renewed in time')),
    );
  }
}

/** Why a leadership ended; `stale`, for what was begun in it is to be dropped quietly. */
export function leadershipEnded(code: 'leadership-lost' | 'shutting-down', message: string): FairleadError {
  return new FairleadError(message, { verdict: 'stale', code });
}
