import { FairleadError } from '../errors.ts';
import type { MetricDefinition, Metrics } from '../report/metrics.ts';
import type { Clock, Timer } from '../time/clock.ts';

export type ThrottleGateState =
  | { readonly kind: 'open' }
  /** `reopensAt` is wall time. */
  | { readonly kind: 'closed'; readonly reopensAt: number; readonly waiting: number }
  /** The time is over, and those who waited are being let out. */
  | { readonly kind: 'reopening'; readonly waiting: number };

const closuresTotal: MetricDefinition = {
  name: 'fairlead_throttle_gate_closures_total',
  kind: 'counter',
  help: 'Times a server asked all callers to slow down, by gate.',
  labels: ['gate'],
};

const refusalsTotal: MetricDefinition = {
  name: 'fairlead_throttle_gate_refusals_total',
  kind: 'counter',
  help: 'Calls refused on our side because the gate was closed.',
  labels: ['gate'],
};

const reopensTimestamp: MetricDefinition = {
  name: 'fairlead_throttle_gate_reopens_timestamp_seconds',
  kind: 'gauge',
  help: 'When the gate opens again, or opened last, in seconds since the epoch.',
  labels: ['gate'],
};

export const throttleGateMetrics: readonly MetricDefinition[] = [closuresTotal, refusalsTotal, reopensTimestamp];

/** Those who waited are let out in waves, each twice as large as the one before, this far apart. */
const WAVE_MILLISECONDS = 100;

/**
 * Stands before one cloud account: when the server asks one caller to slow down, all callers do. A call either
 * waits until the gate opens or is refused at once; the server is not asked before its time either way.
 */
export class ThrottleGate {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  /** In order of arrival. */
  readonly #waiters = new Set<() => void>();
  #reopensAt = Number.NEGATIVE_INFINITY;
  #isNamed = false;
  #wave = 1;
  #timer: Timer | undefined;

  /** `name` is the account as people know it; one of few, as it labels metrics. */
  constructor(name: string, clock: Clock, metrics: Metrics) {
    this.#name = name;
    this.#clock = clock;
    this.#metrics = metrics;
    for (const definition of throttleGateMetrics) metrics.declare(definition);
  }

  /**
   * The server asked for a pause. While the gate is closed already, the later end counts. `isNamed`: the server itself
   * said how long.
   */
  closeFor(milliseconds: number, isNamed = false): void {
    const reopensAt = this.#clock.monotonic() + milliseconds;
    if (!(milliseconds > 0) || reopensAt <= this.#reopensAt) return;
    this.#reopensAt = reopensAt;
    this.#isNamed = isNamed;
    this.#wave = 1;
    this.#metrics.increment(closuresTotal, { gate: this.#name });
    this.#metrics.set(reopensTimestamp, (this.#clock.now() + milliseconds) / 1000, { gate: this.#name });
    if (this.#waiters.size > 0) this.#letOutAfter(milliseconds);
  }

  /** Whether a call may be made at once: the server asks for no pause, and no earlier call still waits. */
  get isOpen(): boolean {
    return this.#remaining() <= 0 && this.#waiters.size === 0;
  }

  /** Resolves when the gate is open and all who came before are through; rejects with the signal's reason. */
  async wait(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.isOpen) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      this.#waiters.delete(resolve);
      if (this.#waiters.size === 0) this.#cancelTimer();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiters.add(resolve);
    if (this.#timer === undefined) this.#letOutAfter(this.#remaining());
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Throws while the gate is closed. The error carries the time where the server named one: who does not wait for the
   * gate has a rhythm of its own, and must not mistake our guess for the server's answer.
   */
  refuse(): void {
    const remaining = this.#remaining();
    if (remaining <= 0) return;
    this.#metrics.increment(refusalsTotal, { gate: this.#name });
    throw new FairleadError(`${this.#name} has asked us to slow down, so the call was not made; try again later`, {
      verdict: 'retriable',
      code: 'throttle-gate-closed',
      ...(this.#isNamed ? { retryAfterMilliseconds: remaining } : {}),
    });
  }

  state(): ThrottleGateState {
    const remaining = this.#remaining();
    const waiting = this.#waiters.size;
    if (remaining > 0) return { kind: 'closed', reopensAt: this.#clock.now() + remaining, waiting };
    return waiting > 0 ? { kind: 'reopening', waiting } : { kind: 'open' };
  }

  #remaining(): number {
    return this.#reopensAt - this.#clock.monotonic();
  }

  #letOutAfter(milliseconds: number): void {
    this.#cancelTimer();
    this.#timer = this.#clock.setTimer(milliseconds, () => this.#letOut());
  }

  #cancelTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #letOut(): void {
    this.#timer = undefined;
    let left = this.#wave;
    for (const letThrough of this.#waiters) {
      if (left === 0) break;
      left -= 1;
      this.#waiters.delete(letThrough);
      letThrough();
    }
    this.#wave *= 2;
    if (this.#waiters.size > 0) this.#letOutAfter(WAVE_MILLISECONDS);
  }
}
