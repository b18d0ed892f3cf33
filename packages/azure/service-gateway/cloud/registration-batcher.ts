import {
  type BatchLimits,
  type BatchOutcome,
  type BatchProbe,
  type Clock,
  FairleadError,
  sendInBatches,
  type Timer,
} from '@fairlead/control';
import type { ServiceRequest } from '../../arm/index.ts';

export interface RegistrationBatcherOptions {
  readonly clock: Clock;
  /** Sends one updateServices: all of it takes effect, or none. */
  readonly send: (requests: readonly ServiceRequest[]) => Promise<void>;
  /** Whether more registrations are about to come, for which it is worth waiting a little. */
  readonly expectsMore: () => boolean;
  readonly limits: BatchLimits<ServiceRequest>;
  readonly probe?: BatchProbe<ServiceRequest>;
  /** Whether Azure refuses such calls whatever is in them: then one request asks whether that is over. */
  readonly isRefused?: () => boolean;
}

interface Waiting {
  readonly request: ServiceRequest;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** In a burst the first to be ready waits at most this long for the others; twice as long each time it goes on, ... */
const SHORTEST_WAIT_MILLISECONDS = 2_000;
/** ... up to this. */
const LONGEST_WAIT_MILLISECONDS = 8_000;

const CLOSED = new FairleadError('shutting down: no further registration is sent', {
  verdict: 'stale',
  code: 'shutting-down',
});

/**
 * Collects registrations of many services into few calls. Those that wait when the previous call returns travel in the
 * next one; while others are on their way, that one waits for them a little. A refused call is bisected, so that only
 * the service to blame hears of it.
 */
export class RegistrationBatcher {
  readonly #options: RegistrationBatcherOptions;
  #waiting: Waiting[] = [];
  #isSending = false;
  #timer: Timer | undefined;
  #wait = SHORTEST_WAIT_MILLISECONDS;
  #isClosed = false;

  constructor(options: RegistrationBatcherOptions) {
    this.#options = options;
  }

  /** Resolves when the service is registered or unregistered as asked. */
  submit(request: ServiceRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(CLOSED);
        return;
      }
      this.#waiting.push({ request, resolve, reject });
      this.consider();
    });
  }

  /** To be called when a registration that was expected will not come after all. */
  consider(): void {
    if (this.#isSending || this.#isClosed || this.#waiting.length === 0) return;
    const { expectsMore, limits, clock } = this.#options;
    if (!expectsMore()) {
      this.#wait = SHORTEST_WAIT_MILLISECONDS;
      void this.#sendAll();
    } else if (this.#waiting.length >= limits.maximumCount) {
      void this.#sendAll();
    } else {
      this.#timer ??= clock.setTimer(this.#wait, () => {
        this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT_MILLISECONDS);
        void this.#sendAll();
      });
    }
  }

  /** Refuses those that wait. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const { reject } of this.#waiting.splice(0)) reject(CLOSED);
  }

  async #sendAll(): Promise<void> {
    const { clock } = this.#options;
    this.#isSending = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    // Many come in the same breath, as when the addresses of many services have left at once.
    await clock.turn();
    const batch = this.#waiting;
    this.#waiting = [];
    const errors = await this.#deliver(batch.map(({ request }) => request));
    this.#isSending = false;
    for (const { request, resolve, reject } of batch) {
      if (errors.has(request)) reject(errors.get(request));
      else resolve();
    }
    this.consider();
  }

  /** Gives the errors of those that were not taken. */
  async #deliver(requests: readonly ServiceRequest[]): Promise<ReadonlyMap<ServiceRequest, unknown>> {
    const { send, limits, probe, isRefused } = this.#options;
    const sender = { limits, send, ...(probe === undefined ? {} : { probe }) };
    const errors = new Map<ServiceRequest, unknown>();
    const picked = isRefused?.() === true ? probe?.pick(requests) : undefined;
    if (picked !== undefined) note(errors, await sendInBatches([picked], sender));
    const rest = requests.filter((request) => request !== picked);
    if (picked === undefined || isRefused?.() !== true) note(errors, await sendInBatches(rest, sender));
    else for (const request of rest) errors.set(request, errors.get(picked));
    return errors;
  }
}

function note(errors: Map<ServiceRequest, unknown>, { refused, postponed }: BatchOutcome<ServiceRequest>): void {
  for (const { entry, error } of refused) errors.set(entry, error);
  for (const { entries, error } of postponed) for (const entry of entries) errors.set(entry, error);
}
