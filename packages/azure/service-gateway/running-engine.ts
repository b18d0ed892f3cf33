import type { Clock, Journal, Logger, Metrics, Random } from '@fairlead/control';
import { DiffTracker } from './difftracker.ts';
import type { EngineListener } from './engine-listener.ts';
import { Engine } from './engine.ts';
import { type LocationLimits, LocationsUpdater } from './locations-updater.ts';
import type { Place, ServiceList } from './places.ts';
import type { Repository } from './repository.ts';
import type { ServiceKey } from './service-key.ts';
import { ServiceUpdater } from './service-updater.ts';

/** What happens in the engine that others have something to do with. */
export interface EngineObserver extends Pick<EngineListener, 'stateChanged' | 'podsDrained'> {
  /** The gateway refuses this address by itself; everything else goes on without it. */
  addressRefused(place: Place, services: ServiceList, error: unknown): void;
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
  readonly journalKey: (key: ServiceKey) => string;
}

/** The engine with its two updaters behind it. Until it is released, it takes wishes and nothing is done outside. */
export class RunningEngine {
  readonly engine: Engine;
  readonly #services: ServiceUpdater;
  readonly #locations: LocationsUpdater;
  #heldBack: Set<ServiceKey> | undefined = new Set();

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
      onRefused: (place, services, error) => observer.addressRefused(place, services, error),
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

  #triggerService(key: ServiceKey): void {
    if (this.#heldBack === undefined) this.#services.trigger(key);
    else this.#heldBack.add(key);
  }

  #triggerLocations(): void {
    if (this.#heldBack === undefined) this.#locations.trigger();
  }
}
