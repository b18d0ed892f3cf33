import { type Clock, messageOf, type Timer, VirtualClock } from '@fairlead/control';
import { captureUncaughtErrors } from './adapters/uncaught-errors.ts';
import type { History } from './history.ts';
import { RandomStreams } from './random-streams.ts';

/** Something that must hold at every step. */
export interface Invariant {
  readonly name: string;
  /** A sentence that says what is broken; undefined when all is well. Asked after every step: keep it cheap. */
  check(): string | undefined;
}

/** Why a run stopped. */
export interface Failure {
  readonly invariant: string;
  readonly sentence: string;
  /** More for the person who looks into it, such as a stack. */
  readonly details?: string;
  readonly step: number;
  /** Virtual milliseconds since the start. */
  readonly at: number;
  /** The last lines of the history. */
  readonly tail: readonly string[];
}

/** Whose code is running. */
export interface Owner {
  readonly name: string;
  readonly alive: boolean;
}

/** Timers that may fire without time moving on before it counts as a livelock. */
const TIMERS_PER_INSTANT = 100_000;

/** The heart of a simulation: time that moves in steps, the history, and the first thing that went wrong. */
export class Kernel {
  readonly clock: VirtualClock;
  readonly streams: RandomStreams;
  readonly history: History;
  readonly #invariants: Invariant[] = [];
  #failure: Failure | undefined;
  #steps = 0;
  #running: Owner | undefined;

  constructor(seed: number, history: History) {
    this.streams = new RandomStreams(seed);
    this.history = history;
    this.clock = new VirtualClock({
      tiebreak: this.streams.named('ties'),
      timersPerInstant: TIMERS_PER_INSTANT,
    });
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get steps(): number {
    return this.#steps;
  }

  addInvariant(invariant: Invariant): void {
    this.#invariants.push(invariant);
  }

  /** A line in the history, with the time. */
  record(line: string): void {
    this.history.record(`${(this.clock.monotonic() / 1000).toFixed(3)} ${line}`);
  }

  /** Stops the run. Only the first failure counts. */
  fail(invariant: string, sentence: string, details?: string): void {
    if (this.#failure !== undefined) return;
    this.record(`BROKEN ${invariant}: ${sentence}`);
    this.#failure = {
      invariant,
      sentence,
      ...(details === undefined ? {} : { details }),
      step: this.#steps,
      at: this.clock.monotonic(),
      tail: this.history.tail(),
    };
  }

  /** Calls back later, on behalf of the owner of the clock, if it has one. */
  later(clock: Clock, delayMilliseconds: number, owner: Owner | undefined, callback: () => void): Timer {
    return clock.setTimer(delayMilliseconds, () => {
      this.#running = owner;
      try {
        callback();
      } catch (error) {
        this.uncaughtError(error);
      }
    });
  }

  /** An uncaught error. What a dead process leaves behind does not count. */
  uncaughtError(error: unknown): void {
    const owner = this.#running;
    if (owner?.alive === false) return;
    const where = owner === undefined ? 'the simulated world' : `process ${owner.name}`;
    const details = error instanceof Error ? error.stack : undefined;
    this.fail('no error goes uncaught', `${where}: ${messageOf(error)}`, details);
  }

  /** Lets time pass until the condition holds, something fails, or the limit is reached. True when it holds. */
  async runUntil(condition: () => boolean, limitMilliseconds: number): Promise<boolean> {
    const release = captureUncaughtErrors((error) => this.uncaughtError(error));
    let holds = false;
    try {
      await this.clock.runUntil(() => {
        this.#step();
        if (this.#failure !== undefined) return true;
        holds = condition();
        return holds;
      }, limitMilliseconds);
    } catch (error) {
      this.fail('time goes on', messageOf(error));
    } finally {
      release();
    }
    return holds && this.#failure === undefined;
  }

  #step(): void {
    this.#steps += 1;
    this.#running = undefined;
    if (this.#failure !== undefined) return;
    for (const invariant of this.#invariants) {
      const broken = invariant.check();
      if (broken !== undefined) {
        this.fail(invariant.name, broken);
        return;
      }
    }
  }
}
