import type { Clock, Random } from '@fairlead/control';
import { drawSpan, type Span } from '../../cloud/span.ts';

/** How long Octavia is at a change, and how often it fails at one. */
export interface OperationRules {
  readonly duration: Span;
  /** From 0 to 1. */
  readonly failures: number;
}

export type Outcome = 'done' | 'failed';

interface Operation {
  readonly dueAt: number;
  readonly end: () => void;
}

/** The changes that Octavia is at. They end when the clock says so, seen from the next request on. */
export class Operations {
  readonly #clock: Clock;
  readonly #random: Random;
  #running: readonly Operation[] = [];
  #failing = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The next so many changes fail. */
  failNext(count: number): void {
    this.#failing += count;
  }

  begin({ duration, failures }: OperationRules, end: (outcome: Outcome) => void): void {
    const isChosen = this.#failing > 0;
    if (isChosen) this.#failing -= 1;
    const outcome = isChosen || (failures > 0 && this.#random.next() < failures) ? 'failed' : 'done';
    const dueAt = this.#clock.monotonic() + drawSpan(duration, this.#random);
    this.#running = [...this.#running, { dueAt, end: () => end(outcome) }];
  }

  /** Ends those whose time has come, in the order of their time. */
  settle(): void {
    const now = this.#clock.monotonic();
    const due = this.#running.filter(({ dueAt }) => dueAt <= now).toSorted((left, right) => left.dueAt - right.dueAt);
    this.#running = this.#running.filter(({ dueAt }) => dueAt > now);
    for (const { end } of due) end();
  }
}
