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

/** A leadership that ends by itself unless it is extended in time. */
export class LimitedLeadership implements Leadership {
  readonly epoch: number;
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  #validUntil: number;
  #coveredUntil = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  /** `validUntil` is of the monotonic clock: no other clock has a say in this. */
  constructor(clock: Clock, epoch: number, validUntil: number) {
    this.#clock = clock;
    this.epoch = epoch;
    this.#validUntil = validUntil;
    this.#watch();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds until all that it covered is over, also once it has ended itself. */
  get coveredMilliseconds(): number {
    return Math.max(0, this.#coveredUntil - this.#clock.monotonic());
  }

  // Asks the clock and not the signal alone: after a pause of the whole process, code may run before timers do.
  covers(milliseconds: number): boolean {
    const end = this.#clock.monotonic() + milliseconds;
    if (this.signal.aborted || end >= this.#validUntil) return false;
    this.#coveredUntil = Math.max(this.#coveredUntil, end);
    return true;
  }

  extend(validUntil: number): void {
    this.#validUntil = Math.max(this.#validUntil, validUntil);
    this.#watch();
  }

  end(reason: FairleadError): void {
    this.#timer?.cancel();
    this.#controller.abort(reason);
  }

  #watch(): void {
    this.#timer?.cancel();
    if (this.signal.aborted) return;
    this.#timer = this.#clock.setTimer(this.#validUntil - this.#clock.monotonic(), () =>
      this.end(leadershipEnded('leadership-lost', 'the Lease could not be renewed in time')),
    );
  }
}

/** Why a leadership ended; `stale`, for what was begun in it is to be dropped quietly. */
export function leadershipEnded(code: 'leadership-lost' | 'shutting-down', message: string): FairleadError {
  return new FairleadError(message, { verdict: 'stale', code });
}
