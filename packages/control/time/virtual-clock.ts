import { systemClock } from '../adapters/clock.ts';
import type { Random } from '../random.ts';
import type { Clock, Timer } from './clock.ts';
import { type ScheduledTimer, Timeline } from './timeline.ts';

export interface VirtualClockOptions {
  /** Wall time at the start, in milliseconds since the epoch. The same fixed day unless told otherwise. */
  readonly startsAt?: number;
  /** Shuffles timers that are due at the same time; without it they fire in the order in which they were set. */
  readonly tiebreak?: Random;
  /** Lets all pending promise work run. One turn of the real event loop unless told otherwise. */
  readonly drain?: () => Promise<void>;
  /** So many timers may fire without time moving on before the clock calls it a livelock. */
  readonly timersPerInstant?: number;
}

const DEFAULT_START = Date.UTC(2026, 0, 1);
const DEFAULT_TIMERS_PER_INSTANT = 1_000_000;

/**
 * Time that stands still until it is driven. Between two timers all promise work is drained, so that the same
 * timers set in the same order (and the same tiebreak) give the same history.
 */
export class VirtualClock implements Clock {
  readonly #timeline: Timeline;
  readonly #drain: () => Promise<void>;
  readonly #timersPerInstant: number;
  #wallOffset: number;
  #firedThisInstant = 0;
  #driving = false;

  constructor(options: VirtualClockOptions = {}) {
    this.#timeline = new Timeline(options.tiebreak);
    this.#drain = options.drain ?? (() => systemClock.turn());
    this.#timersPerInstant = options.timersPerInstant ?? DEFAULT_TIMERS_PER_INSTANT;
    this.#wallOffset = options.startsAt ?? DEFAULT_START;
  }

  now(): number {
    return this.#wallOffset + this.#timeline.time;
  }

  monotonic(): number {
    return this.#timeline.time;
  }

  setTimer(delayMilliseconds: number, callback: () => void): Timer {
    const timer = this.#timeline.timer(delayMilliseconds, callback);
    this.#timeline.add(timer);
    return { cancel: () => this.#timeline.remove(timer) };
  }

  turn(): Promise<void> {
    return new Promise((resolve) => void this.setTimer(0, resolve));
  }

  /** Moves the wall clock of all processes, forwards or backwards, without time passing: an operator sets it. */
  jumpWall(milliseconds: number): void {
    this.#wallOffset += milliseconds;
  }

  /** How many timers wait to fire; those of a paused process are not among them. */
  get pendingTimers(): number {
    return this.#timeline.size;
  }

  /** Milliseconds until the next timer fires, if any waits: 0 when one is overdue. */
  untilNextTimer(): number | undefined {
    const next = this.#timeline.peek();
    return next === undefined ? undefined : Math.max(0, next.at - this.#timeline.time);
  }

  /** A clock for one simulated process, whose wall clock is `wallSkew` ahead of this one, and which runs so much faster. */
  process(wallSkew = 0, rate = 1): ProcessClock {
    return new ProcessClock(this, this.#timeline, wallSkew, rate);
  }

  /** Fires the next timer, whenever it is due, and drains. False when none waits. */
  runNext(): Promise<boolean> {
    return this.#drive(() => this.#fireNext(Number.MAX_VALUE));
  }

  /** Lets the time pass, firing every timer that comes due in it. `advance(0)` runs what is due now. */
  advance(milliseconds: number): Promise<void> {
    return this.#drive(async () => {
      const end = this.#timeline.time + milliseconds;
      while (await this.#fireNext(end));
      this.#moveTo(end);
    });
  }

  /**
   * Fires timers until the condition holds, which is asked after each of them. False when it does not hold within
   * `limitMilliseconds`, which have then passed.
   */
  runUntil(condition: () => boolean, limitMilliseconds: number): Promise<boolean> {
    return this.#drive(async () => {
      const end = this.#timeline.time + limitMilliseconds;
      while (!condition()) {
        if (await this.#fireNext(end)) continue;
        this.#moveTo(end);
        return condition();
      }
      return true;
    });
  }

  async #drive<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#driving) throw new Error('the virtual clock is already being driven: await the call that drives it');
    this.#driving = true;
    try {
      await this.#drain();
      return await work();
    } finally {
      this.#driving = false;
    }
  }

  async #fireNext(end: number): Promise<boolean> {
    const timer = this.#timeline.peek();
    if (timer === undefined || timer.at > end) return false;
    this.#timeline.remove(timer);
    this.#moveTo(timer.at);
    this.#firedThisInstant += 1;
    if (this.#firedThisInstant > this.#timersPerInstant) {
      throw new Error(
        `${this.#timersPerInstant} timers fired at one instant of virtual time: something keeps itself busy`,
      );
    }
    timer.callback();
    await this.#drain();
    return true;
  }

  /** Timers of a process that was paused fire late, and never turn time back. */
  #moveTo(time: number): void {
    if (time <= this.#timeline.time) return;
    this.#timeline.time = time;
    this.#firedThisInstant = 0;
  }
}

/** A timer of a process. */
interface ProcessTimer {
  /** By the monotonic time of the process. */
  readonly due: number;
  readonly fire: () => void;
  /** Its place in the time of the world, which moves when the clock of the process is disturbed. */
  scheduled: ScheduledTimer;
}

/**
 * The clock of one simulated process. Whatever reaches the process from outside has to come by a timer of this
 * clock (a message's latency, say): then a paused process hears nothing and a killed one never runs again.
 */
export class ProcessClock implements Clock {
  readonly #world: VirtualClock;
  readonly #timeline: Timeline;
  readonly #timers = new Set<ProcessTimer>();
  #wallSkew: number;
  /** Of its own milliseconds to those of the world. */
  #rate: number;
  /** When the rate last changed, in the time of the world, and its own monotonic time then. */
  #since: number;
  #monotonicThen = 0;
  #isPaused = false;
  #isSuspended = false;
  #isKilled = false;

  constructor(world: VirtualClock, timeline: Timeline, wallSkew: number, rate: number) {
    this.#world = world;
    this.#timeline = timeline;
    this.#since = timeline.time;
    this.#wallSkew = wallSkew;
    this.#rate = rate;
  }

  get state(): 'running' | 'paused' | 'killed' {
    if (this.#isKilled) return 'killed';
    return this.#isPaused || this.#isSuspended ? 'paused' : 'running';
  }

  now(): number {
    return this.#world.now() + this.wallSkew;
  }

  /** How far its wall clock is ahead of that of the world. */
  get wallSkew(): number {
    return this.#wallSkew + (this.#isSuspended ? 0 : (this.#timeline.time - this.#since) * (this.#rate - 1));
  }

  get rate(): number {
    return this.#rate;
  }

  /** Counts from the start of the process, so that comparing it between two processes shows as the mistake it is. */
  monotonic(): number {
    return this.#monotonicThen + (this.#isSuspended ? 0 : (this.#timeline.time - this.#since) * this.#rate);
  }

  setTimer(delayMilliseconds: number, callback: () => void): Timer {
    if (this.#isKilled) return { cancel() {} };
    const fire = () => {
      this.#timers.delete(timer);
      callback();
    };
    const scheduled = this.#timeline.timer(delayMilliseconds / this.#rate, fire);
    const timer: ProcessTimer = { due: this.monotonic() + delayMilliseconds, fire, scheduled };
    this.#timers.add(timer);
    if (this.state === 'running') this.#timeline.add(scheduled);
    return {
      cancel: () => {
        this.#timers.delete(timer);
        this.#timeline.remove(timer.scheduled);
      },
    };
  }

  turn(): Promise<void> {
    return new Promise((resolve) => void this.setTimer(0, resolve));
  }

  /** Moves the wall clock of this process alone. */
  jumpWall(milliseconds: number): void {
    this.#wallSkew += milliseconds;
  }

  /** From now on, both its clocks run so much faster than those of the world, or slower. */
  drift(rate: number): void {
    this.#settle();
    this.#rate = rate;
    this.#freeze();
    this.#thaw('reschedule');
  }

  /** Freezes the process: time goes on without it. */
  pause(): void {
    this.#isPaused = true;
    this.#freeze();
  }

  /** Goes on; timers that came due meanwhile fire at once, the earliest first. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#thaw('as they were');
  }

  /** Freezes the machine: its wall clock goes on, its monotonic clock and with it all timers stand still. */
  suspend(): void {
    this.#settle();
    this.#isSuspended = true;
    this.#freeze();
  }

  /** Timers still have to wait for as long as they had when the machine was suspended. */
  wake(): void {
    if (!this.#isSuspended) return;
    this.#settle();
    this.#isSuspended = false;
    this.#thaw('reschedule');
  }

  /** None of its timers fires again, and what waits for one of them waits for ever. */
  kill(): void {
    this.#isKilled = true;
    this.#freeze();
    this.#timers.clear();
  }

  #settle(): void {
    const { wallSkew } = this;
    this.#monotonicThen = this.monotonic();
    this.#wallSkew = wallSkew;
    this.#since = this.#timeline.time;
  }

  #freeze(): void {
    for (const { scheduled } of this.#timers) this.#timeline.remove(scheduled);
  }

  #thaw(how: 'as they were' | 'reschedule'): void {
    for (const timer of this.#timers) {
      if (how === 'reschedule') {
        timer.scheduled = this.#timeline.timer((timer.due - this.monotonic()) / this.#rate, timer.fire);
      }
      if (this.state === 'running') this.#timeline.add(timer.scheduled);
    }
  }
}
