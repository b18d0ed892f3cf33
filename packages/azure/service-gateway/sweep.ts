import type { Clock, Hold, Logger, Metrics } from '@fairlead/control';
import type { Engine } from './engine.ts';
import { heldDeletions } from './metrics.ts';
import type { RegisteredServices } from './nrp-state.ts';
import { findOrphans, OrphanBrake } from './orphans.ts';
import type { Repository } from './repository.ts';
import { DEFAULT_OUTBOUND_KEY, type ServiceKey } from './service-key.ts';
import { isLive } from './service-state.ts';

export interface SweepOptions {
  readonly engine: Engine;
  readonly repository: Repository;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Whether we see to the default outbound service. */
  readonly keepsDefaultOutbound: boolean;
  /** Many deletions are held back until they are confirmed. */
  readonly onHold: (hold: Hold<ServiceKey>) => void;
}

/** What may be deleted: services now, and what are only their public addresses when everything else is done. */
export interface SweepPlan {
  readonly services: readonly ServiceKey[];
  readonly addresses: readonly ServiceKey[];
}

/** Finds what was left behind and carries our marks, and has it taken down like any service that goes. */
export class Sweep {
  readonly #options: SweepOptions;
  readonly #brake: OrphanBrake;

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#brake = new OrphanBrake(options.clock);
  }

  /** Decides from a completed list that was begun at this time. */
  plan({ ours }: RegisteredServices, listBegunAt: number): SweepPlan {
    const { repository, metrics, logger, onHold } = this.#options;
    const orphans = findOrphans(repository.scope, repository.inventory, ours, (key) => this.#isSpokenFor(key));
    const { allowed, hold } = this.#brake.judge(orphans, listBegunAt);
    metrics.set(heldDeletions, hold?.held.length ?? 0);
    if (hold !== undefined) {
      logger.warn({ code: hold.code, held: hold.held.length }, hold.message);
      onHold(hold);
    }
    return {
      services: allowed.filter((key) => orphans.services.has(key)),
      addresses: allowed.filter((key) => orphans.addresses.has(key)),
    };
  }

  /** Has leftovers taken down, except those that somebody has come to want since they were found. */
  carryOut(keys: readonly ServiceKey[]): void {
    for (const key of keys) if (!this.#isSpokenFor(key)) this.#options.engine.deleteService(key);
  }

  /** What the cluster wants stays; what is being made or taken down needs no sweep. What was abandoned does. */
  #isSpokenFor(key: ServiceKey): boolean {
    const { engine, keepsDefaultOutbound } = this.#options;
    if (key === DEFAULT_OUTBOUND_KEY) return keepsDefaultOutbound;
    const state = engine.state(key);
    return engine.tracker.wanted.has(key) || (state !== undefined && !isLive(state));
  }
}
