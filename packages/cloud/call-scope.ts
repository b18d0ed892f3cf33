import { type Clock, deadlineExceeded, withDeadline } from '@fairlead/control';

/** How long a call may go on, with all of its requests and everything it waits for in between. */
export class CallScope {
  readonly #clock: Clock;
  readonly #name: string;
  readonly #milliseconds: number;
  readonly #caller: AbortSignal | undefined;
  readonly #endsAt: number;

  /** `name` begins the message when time is up. The caller's signal ends the call before its time. */
  constructor(clock: Clock, name: string, milliseconds: number, caller: AbortSignal | undefined) {
    this.#clock = clock;
    this.#name = name;
    this.#milliseconds = milliseconds;
    this.#caller = caller;
    this.#endsAt = clock.monotonic() + milliseconds;
  }

  get remainingMilliseconds(): number {
    return this.#endsAt - this.#clock.monotonic();
  }

  throwIfAborted(): void {
    this.#caller?.throwIfAborted();
  }

  /** Throws when nothing may be begun any more. */
  throwIfOver(): void {
    this.throwIfAborted();
    if (this.remainingMilliseconds <= 0) throw deadlineExceeded(this.#name, this.#milliseconds);
  }

  /** Waits for the work as long as the call may go on; no longer than `atMost`, if that is less. */
  wait<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    atMost: number = Number.POSITIVE_INFINITY,
  ): Promise<Result> {
    const remaining = this.remainingMilliseconds;
    const limit =
      atMost < remaining
        ? { name: this.#name, milliseconds: atMost }
        : { name: this.#name, milliseconds: remaining, outOf: this.#milliseconds };
    return withDeadline(this.#clock, limit, this.#caller, work);
  }
}
