import { isWithoutEffect } from '@fairlead/cloud';
import {
  Backoff,
  type BatchLimits,
  type BatchProbe,
  type Clock,
  codeOf,
  DEADLINE_EXCEEDED_CODE,
  findFairleadError,
  type Logger,
  type Metrics,
  messageOf,
  type Random,
  randomPick,
  sendInBatches,
  type Timer,
} from '@fairlead/control';
import type { AddressEntry } from '../engine/address-table.ts';
import type { AddressUpdate, DiffTracker } from '../engine/difftracker.ts';
import type { Engine } from '../engine/engine.ts';
import { BACKOFF } from '../engine/retry-policy.ts';
import {
  addressesOutOfStep,
  endpointLatencySeconds,
  locationBatchSize,
  quarantinedAddressesTotal,
} from '../metrics.ts';
import { isSignOfDrift } from './azure-errors.ts';
import { type Repository, UPDATE_LOCATIONS } from './repository.ts';
import { sizeInRequest } from './request-bodies.ts';

/** How much goes into one request; Azure publishes no limits. */
export interface LocationLimits {
  readonly addresses: number;
  readonly bytes: number;
}

export interface LocationsUpdaterOptions {
  readonly repository: Repository;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly limits: LocationLimits;
  readonly signal: AbortSignal;
}

/**
 * Brings the addresses in the gateway in step with the cluster, one request at a time: what has changed while one was
 * under way goes into the next. What is sent is worked out when its call begins: what changes while that waits for a
 * throttle gate goes into the next, too.
 */
export class LocationsUpdater {
  readonly #engine: Engine;
  readonly #tracker: DiffTracker;
  readonly #options: LocationsUpdaterOptions;
  readonly #limits: BatchLimits<AddressEntry>;
  /** Fewer than the limit allows after a request has run out of time, until some have succeeded. Never none. */
  #ceiling: number;
  readonly #probe: BatchProbe<AddressEntry>;
  readonly #backoff: Backoff;
  #isTriggered = false;
  #isRunning = false;
  #timer: Timer | undefined;
  #onIdle: (() => void) | undefined;

  constructor(engine: Engine, options: LocationsUpdaterOptions) {
    this.#engine = engine;
    this.#tracker = engine.tracker;
    this.#options = options;
    const { addresses, bytes } = options.limits;
    this.#ceiling = addresses;
    this.#limits = { maximumCount: addresses, bytes: { maximum: bytes, sizeOf: sizeInRequest } };
    this.#probe = {
      pick: (batch) => randomPick(options.random, batch),
      postponedWith: (error) => options.repository.refusesAll(UPDATE_LOCATIONS, error),
    };
    this.#backoff = new Backoff(options.random, BACKOFF);
    options.signal.addEventListener('abort', () => this.#timer?.cancel(), { once: true });
  }

  /** There may be something to send. Returns at once; after a failure nothing is sent before its time. */
  trigger(): void {
    this.#isTriggered = true;
    if (!this.#isRunning && this.#timer === undefined && !this.#options.signal.aborted) void this.#run();
  }

  /** Resolves when no request is under way. */
  async idle(): Promise<void> {
    if (this.#isRunning) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  async #run(): Promise<void> {
    const { clock, signal } = this.#options;
    this.#isRunning = true;
    // More addresses may change in the same turn.
    await clock.turn();
    while (this.#isTriggered && this.#timer === undefined && !signal.aborted) {
      this.#isTriggered = false;
      await this.#round();
    }
    this.#isRunning = false;
    this.#onIdle?.();
  }

  async #round(): Promise<void> {
    const { metrics, random, repository, signal } = this.#options;
    const changes = this.#tracker.locationChanges();
    // While Azure refuses everything, one address asks whether that is over; then come all others.
    const isProbe = changes.length > 1 && repository.isRefused(UPDATE_LOCATIONS);
    // After a request that ran out of time, each that succeeds lets the next be larger.
    const isSmall = this.#ceiling < this.#limits.maximumCount;
    const entries = isProbe ? [randomPick(random, changes)] : isSmall ? changes.slice(0, this.#ceiling) : changes;
    const isPart = entries.length < changes.length;
    if (isPart) this.#isTriggered = true;
    const limits = { ...this.#limits, maximumCount: this.#ceiling };
    const send = (batch: readonly AddressEntry[]) => this.#send(batch);
    const outcome = await sendInBatches(entries, { limits, send, probe: this.#probe });
    if (signal.aborted) return;
    for (const { entry, error } of outcome.refused) this.#refuse(entry, error);
    metrics.set(addressesOutOfStep, this.#tracker.dirtyCount);
    const [postponed] = outcome.postponed;
    if (postponed === undefined) {
      this.#backoff.reset();
      this.#ceiling = Math.min(this.#limits.maximumCount, 2 * this.#ceiling);
    } else {
      const { error, entries: late } = postponed;
      if (codeOf(error) === DEADLINE_EXCEEDED_CODE) this.#ceiling = Math.max(1, late.length >> 1);
      this.#postpone(error);
    }
    // That part of them was taken says nothing about the others.
    if (isPart && postponed === undefined) return;
    this.#engine.effects.push({ kind: 'locations-round', error: postponed?.error });
  }

  async #send(batch: readonly AddressEntry[]): Promise<void> {
    const { repository, metrics, signal } = this.#options;
    const updates = this.#tracker.beginUpdate(batch);
    if (updates.length === 0) return;
    metrics.observe(locationBatchSize, updates.length);
    try {
      await repository.updateAddressLocations(updates, { signal });
    } catch (error) {
      // Anything but a refusal leaves it open whether the addresses were taken: they stay where they may be.
      if (!signal.aborted && isWithoutEffect(error)) this.#tracker.refuseUpdate(updates);
      else this.#tracker.loseUpdate(updates);
      throw error;
    }
    this.#confirm(updates);
  }

  #confirm(updates: readonly AddressUpdate[]): void {
    const { clock, metrics } = this.#options;
    const now = clock.monotonic();
    for (const { since } of updates) metrics.observe(endpointLatencySeconds, (now - since) / 1000);
    this.#engine.checkPendingDeletions(this.#tracker.confirmUpdate(updates));
  }

  #refuse(entry: AddressEntry, error: unknown): void {
    this.#suspectDrift(error, `address ${entry.address}: ${messageOf(error)}`);
    this.#options.metrics.increment(quarantinedAddressesTotal);
    const services = this.#tracker.quarantine(entry);
    this.#engine.effects.push({ kind: 'address-refused', entry, services, error });
  }

  #postpone(error: unknown): void {
    const { clock, logger } = this.#options;
    this.#suspectDrift(error, messageOf(error));
    const delay = this.#backoff.next(findFairleadError(error)?.retryAfterMilliseconds);
    logger.warn({ code: codeOf(error), error: messageOf(error), delay }, 'addresses were not updated: trying again');
    this.#timer = clock.setTimer(delay, () => {
      this.#timer = undefined;
      this.trigger();
    });
  }

  #suspectDrift(error: unknown, why: string): void {
    if (isSignOfDrift(error)) this.#engine.effects.push({ kind: 'drift-suspected', why });
  }
}
