import {
  type Clock,
  codeOf,
  jitter,
  type Logger,
  messageOf,
  type Random,
  sleep,
  WakeablePause,
} from '@fairlead/control';
import type { Health } from './health.ts';

/** A suspicion is looked into soon, but not again and again. */
const SOON_MILLISECONDS = 1_000;
const SHORTEST_INTERVAL_MILLISECONDS = 30_000;

export interface ComparisonOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly health: Health;
  /** What is compared with, for people: `Azure`. */
  readonly outside: string;
  /** How often; infinity: only when something is suspected. */
  readonly intervalMilliseconds: number;
  /**
   * One look at everything. What it cannot put right itself it has queued when it resolves; with a number, it wants to
   * look again after so many milliseconds, be the interval longer.
   */
  readonly compare: (signal: AbortSignal) => Promise<number | void>;
}

/** An interval as configurations have it; 0: never. */
export function intervalOf(seconds: number): number {
  return seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1_000;
}

/** Compares what exists outside with what should, now and then, and soon when something does not go together. */
export class Comparison {
  readonly #options: ComparisonOptions;
  readonly #untilSuspected: WakeablePause;
  #isSuspected = false;
  #comparedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ComparisonOptions) {
    this.#options = options;
    this.#untilSuspected = new WakeablePause(options.clock);
  }

  /** Something does not go with what is known of the outside. */
  suspect(why: string): void {
    const { logger, outside } = this.#options;
    logger.info({ why }, `something is not as it should be: comparing with ${outside}`);
    this.#isSuspected = true;
    this.#untilSuspected.wake();
  }

  /**
   * Compares after each interval until the signal aborts, and at once where it `startsNow`. What fails is tried again,
   * and told by the health.
   */
  async run(signal: AbortSignal, { startsNow = false } = {}): Promise<void> {
    const { clock, random, logger, health, outside, intervalMilliseconds } = this.#options;
    const what = `comparing with ${outside}`;
    let asked: number | void = startsNow ? 0 : undefined;
    while (!signal.aborted) {
      try {
        const pause = Math.min(jitter(random, intervalMilliseconds, 0.1), asked ?? Number.POSITIVE_INFINITY);
        if (pause > 0) await this.#pause(pause, signal);
        asked = await this.compare(signal);
        health.round(what, undefined);
      } catch (error) {
        if (signal.aborted) return;
        health.round(what, error);
        logger.warn({ code: codeOf(error), error: messageOf(error) }, `${what} failed: trying again`);
        await sleep(clock, SHORTEST_INTERVAL_MILLISECONDS, signal).catch(() => {});
        this.#isSuspected = true;
      }
    }
  }

  /** Compares once, now. */
  async compare(signal: AbortSignal): Promise<number | void> {
    this.#isSuspected = false;
    this.#comparedAt = this.#options.clock.monotonic();
    return this.#options.compare(signal);
  }

  /** Resolves after the interval, or soon after a suspicion. */
  async #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    if (!this.#isSuspected) {
      await this.#untilSuspected.wait(milliseconds, signal);
      if (!this.#isSuspected) return;
    }
    const sinceLast = clock.monotonic() - this.#comparedAt;
    await sleep(clock, Math.max(SOON_MILLISECONDS, SHORTEST_INTERVAL_MILLISECONDS - sinceLast), signal);
  }
}
