/** Runs one task at a time, in the order in which they came. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  /** How many are under way or wait. */
  get count(): number {
    return this.#count;
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#count += 1;
    const turn = this.#last.then(work, work).finally(() => {
      this.#count -= 1;
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}
