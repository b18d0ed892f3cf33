import { type Clock, FairleadError, type Timer } from '@fairlead/control';

/**
 * Aborts its signal when nothing was heard for too long: a connection whose other end vanished without a word stays
 * open for ever. Aborts together with the parent, too.
 */
export class IdleTimeout {
  readonly #clock: Clock;
  readonly #parent: AbortSignal;
  readonly #limitMilliseconds: () => number;
  readonly #controller = new AbortController();
  #heardAt: number;
  #timer: Timer;

  /** The limit may change as time goes on. */
  constructor(clock: Clock, parent: AbortSignal, limitMilliseconds: () => number) {
    this.#clock = clock;
    this.#parent = parent;
    this.#limitMilliseconds = limitMilliseconds;
    this.#heardAt = clock.monotonic();
    this.#timer = clock.setTimer(limitMilliseconds(), this.#check);
    if (parent.aborted) this.#onParentAbort();
    else parent.addEventListener('abort', this.#onParentAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Passes the pieces of a body through and takes each as a sign of life. */
  async *listen(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      this.#heardAt = this.#clock.monotonic();
      yield piece;
    }
  }

  stop(): void {
    this.#timer.cancel();
    this.#parent.removeEventListener('abort', this.#onParentAbort);
  }

  readonly #onParentAbort = (): void => {
    this.stop();
    this.#controller.abort(this.#parent.reason);
  };

  /** Looks again when the limit could be reached, instead of setting a timer anew for each piece. */
  readonly #check = (): void => {
    const silent = this.#clock.monotonic() - this.#heardAt;
    const limit = this.#limitMilliseconds();
    if (silent < limit) {
      this.#timer = this.#clock.setTimer(limit - silent, this.#check);
      return;
    }
    this.stop();
    const seconds = Math.round(silent / 1000);
    this.#controller.abort(
      new FairleadError(`nothing came from the API server for ${seconds} s: taking the connection for dead`, {
        verdict: 'retriable',
        code: 'connection-silent',
      }),
    );
  };
}
