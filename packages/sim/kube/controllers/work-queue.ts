import type { Clock } from '@fairlead/control';

/** Keys that need looking at: each once, a little later, in the order in which they came. */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #delayMilliseconds: number;
  readonly #work: (key: string) => void;
  #waiting = new Set<string>();

  constructor(clock: Clock, delayMilliseconds: number, work: (key: string) => void) {
    this.#clock = clock;
    this.#delayMilliseconds = delayMilliseconds;
    this.#work = work;
  }

  add(key: string): void {
    if (this.#waiting.size === 0) this.#clock.setTimer(this.#delayMilliseconds, () => this.#run());
    this.#waiting.add(key);
  }

  /** Looks again after a while, also when nothing reports a change until then. */
  addLater(key: string, milliseconds: number): void {
    this.#clock.setTimer(milliseconds, () => this.add(key));
  }

  #run(): void {
    const keys = this.#waiting;
    this.#waiting = new Set();
    for (const key of keys) this.#work(key);
  }
}

export interface Place {
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The namespace and name that a key of the store stands for. */
export function placeOf(key: string): Place {
  const slash = key.indexOf('/');
  if (slash < 0) return { namespace: undefined, name: key };
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
