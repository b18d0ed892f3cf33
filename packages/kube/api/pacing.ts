import { type Clock, noMetrics, type RateLimit, sleep, ThrottleGate, TokenBucket } from '@fairlead/control';
import { type ApiError, isThrottled } from './api-error.ts';
import type { ApiRequest } from './connection.ts';

/**
 * Bounds a loop that went wild; what controllers do of their own is far below. Ten thousand Services that come at once,
 * with three writes each, take a minute.
 */
const DEFAULT_RATE: RateLimit = { perSecond: 500, burst: 1_000 };

/**
 * All requests wait for no more than this, whatever one of them was told: within the deadlines of those that wait. When
 * it is over a single one goes ahead, and closes the gate again if it is still too early.
 */
const LONGEST_PAUSE_MILLISECONDS = 10_000;

/**
 * Paces the requests of one connection: so many in a second, and none while the server asks one of them to come later.
 * Leases are a flow of their own, as in the server: a leader that must wait with its work need not lose its Lease.
 */
export class Pacing {
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;
  readonly #gate: ThrottleGate;

  constructor(clock: Clock, rate: RateLimit = DEFAULT_RATE) {
    this.#clock = clock;
    this.#bucket = new TokenBucket(clock, rate);
    this.#gate = new ThrottleGate('the API server', clock, noMetrics);
  }

  /** Resolves when it is the turn of the request; rejects with the reason of its signal. */
  async admit(request: ApiRequest): Promise<void> {
    if (isOfLeases(request)) return;
    // A watch is opened every few minutes, and stays.
    const wait = request.streaming === true ? 0 : this.#bucket.reserve();
    if (wait > 0) await this.#waitForToken(wait, request.signal);
    if (!this.#gate.isOpen) await this.#gate.wait(request.signal);
  }

  /** Who gives up waiting leaves the token to others: else one wild loop would slow down all that comes after it. */
  async #waitForToken(wait: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await sleep(this.#clock, wait, signal);
    } catch (error) {
      this.#bucket.giveBack();
      throw error;
    }
  }

  /** The server refused a request. */
  refused(request: ApiRequest, error: ApiError): void {
    if (!isThrottled(error) || isOfLeases(request)) return;
    this.#gate.closeFor(Math.min(error.retryAfterMilliseconds ?? 0, LONGEST_PAUSE_MILLISECONDS));
  }
}

function isOfLeases({ path }: ApiRequest): boolean {
  return path.startsWith('/apis/coordination.k8s.io/');
}
