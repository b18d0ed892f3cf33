import type { Clock, Journal, Logger, Metrics, Random } from '@fairlead/control';
import { type LocationLimits, LocationsUpdater } from './cloud/locations-updater.ts';
import type { Repository } from './cloud/repository.ts';
import { ServiceUpdater } from './cloud/service-updater.ts';
import type { AddressEntry, ServiceList } from './engine/address-table.ts';
import { DiffTracker } from './engine/difftracker.ts';
import type { EngineListener } from './engine/effects.ts';
import { Engine } from './engine/engine.ts';
import type { NrpKey } from './engine/nrp-key.ts';

/** What happens in the engine that others have something to do with. */
export interface EngineObserver extends Pick<EngineListener, 'stateChanged' | 'podsDrained'> {
  /** The gateway refuses this address by itself; everything else goes on without it. */
  addressRefused(entry: AddressEntry, services: ServiceList, error: unknown): void;
  /** Addresses were sent; the error is that of what has to be sent again. */
  locationsRound(error: unknown): void;
  /** Azure has told something that does not go with what we know of it. */
  driftSuspected(why: string): void;
}

export interface RunningEngineOptions {
  readonly repository: Repository;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly journal: Journal;
  readonly limits: LocationLimits;
  readonly signal: AbortSignal;
  readonly observer: EngineObserver;
  readonly journalKey: (key: NrpKey) => string;
}

/** The engine with its two updaters behind it. Until it is released, it takes requests and nothing is done outside. */
export class RunningEngine {
  readonly engine: Engine;
  readonly #services: ServiceUpdater;
  readonly #locations: LocationsUpdater;
  #heldBack: Set<NrpKey> | undefined = new Set();

  constructor(options: RunningEngineOptions) {
    const { clock, random, observer } = options;
    this.engine = new Engine(new DiffTracker(clock), clock, random, {
      serviceTriggered: (key) => this.#triggerService(key),
      locationsTriggered: () => this.#triggerLocations(),
      podsDrained: (pods) => observer.podsDrained(pods),
      stateChanged: (change) => observer.stateChanged(change),
    });
    const suspectDrift = (why: string) => observer.driftSuspected(why);
    this.#services = new ServiceUpdater(this.engine, { ...options, suspectDrift });
    this.#locations = new LocationsUpdater(this.engine, {
      ...options,
      suspectDrift,
      onRefused: (entry, services, error) => observer.addressRefused(entry, services, error),
      onRound: (error) => observer.locationsRound(error),
    });
  }

  /** All that exists and all that is wanted is known: the work begins. */
  release(): void {
    const heldBack = this.#heldBack ?? [];
    this.#heldBack = undefined;
    for (const key of heldBack) this.#services.trigger(key);
    this.#locations.trigger();
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    await Promise.all([this.#services.idle(), this.#locations.idle()]);
  }

  #triggerService(key: NrpKey): void {
    if (this.#heldBack === undefined) this.#services.trigger(key);
    else this.#heldBack.add(key);
  }

  #triggerLocations(): void {
    if (this.#heldBack === undefined) this.#locations.trigger();
  }
}
