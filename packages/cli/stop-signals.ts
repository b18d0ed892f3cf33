/** A terminal, and npm or a script between it and us, each pass on what was one keystroke. */
const SAME_KEYSTROKE_MILLISECONDS = 1_000;

/** What is to be done about a signal to stop: the first ends the work cleanly, a later one ends the process. */
export class StopSignals {
  readonly #now: () => number;
  readonly #stop: AbortController;
  #firstAt: number | undefined;

  constructor(now: () => number, stop: AbortController) {
    this.#now = now;
    this.#stop = stop;
  }

  /** Whether the process is to end at once. */
  received(name: string): boolean {
    if (this.#firstAt !== undefined) return this.#now() - this.#firstAt >= SAME_KEYSTROKE_MILLISECONDS;
    this.#firstAt = this.#now();
    this.#stop.abort(new Error(`stopped by ${name}`));
    return false;
  }
}
