import { type Clock, type Logger, type Metrics, messageOf, type Random } from '@fairlead/control';
import { type LocationLimits, LocationsUpdater } from './cloud/locations-updater.ts';
import type { Repository } from './cloud/repository.ts';
import { ServiceUpdater } from './cloud/service-updater.ts';
import { DiffTracker } from './engine/difftracker.ts';
import type { Effect, Notice } from './engine/effects.ts';
import { Engine } from './engine/engine.ts';
import type { StateJournal } from './report/state-journal.ts';

export interface EnginePumpOptions {
  readonly repository: Repository;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly journal: StateJournal;
  readonly limits: LocationLimits;
  readonly signal: AbortSignal;
}

/** The engine, and what does the effects it queues: its two updaters, and who is given the notices. */
export class EnginePump {
  readonly engine: Engine;
  readonly #logger: Logger;
  readonly #services: ServiceUpdater;
  readonly #locations: LocationsUpdater;

  constructor(options: EnginePumpOptions) {
    const { clock, random, logger } = options;
    this.#logger = logger;
    this.engine = new Engine(new DiffTracker(clock), clock, random);
    this.#services = new ServiceUpdater(this.engine, options);
    this.#locations = new LocationsUpdater(this.engine, options);
  }

  /** Does effects until the signal aborts. Not to be begun before all that exists and all that is wanted is known. */
  async run(onNotice: (notice: Notice) => void, signal: AbortSignal): Promise<void> {
    const { effects } = this.engine;
    signal.addEventListener('abort', () => effects.wake(), { once: true });
    effects.triggerLocations();
    while (!signal.aborted) {
      for (const effect of effects.take()) this.#do(effect, onNotice);
      await effects.some();
    }
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    await Promise.all([this.#services.idle(), this.#locations.idle()]);
  }

  /** What fails to be done, which is a defect of ours, must not keep the rest from being done. */
  #do(effect: Effect, onNotice: (notice: Notice) => void): void {
    try {
      if (effect.kind === 'service-triggered') this.#services.trigger(effect.key);
      else if (effect.kind === 'locations-triggered') this.#locations.trigger();
      else onNotice(effect);
    } catch (error) {
      this.#logger.error({ effect: effect.kind, error: messageOf(error) }, 'an effect of the engine was lost');
    }
  }
}
