import type { BrakeOptions, Clock, Logger, Metrics } from '@fairlead/control';
import { type ClusterEvents, DeletionGuard } from '@fairlead/part';
import type { Engine } from './engine.ts';
import { heldDeletions } from './metrics.ts';
import type { RegisteredServices } from './nrp-state.ts';
import { findOrphans } from './orphans.ts';
import type { Repository } from './repository.ts';
import { DEFAULT_OUTBOUND_KEY, type ServiceKey } from './service-key.ts';
import { isLive } from './service-state.ts';

const BRAKE: BrakeOptions = {
  things: 'services of this cluster in Azure',
  fraction: 0.3,
  minimumCount: 10,
  confirmAfterMilliseconds: 600_000,
};

export interface SweepOptions {
  readonly engine: Engine;
  readonly repository: Repository;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly cluster: Pick<ClusterEvents, 'record'>;
  /** Whether we see to the default outbound service. */
  readonly keepsDefaultOutbound: boolean;
}

/** What may be deleted: services now, and what are only their public addresses when everything else is done. */
export interface SweepPlan {
  readonly services: readonly ServiceKey[];
  readonly addresses: readonly ServiceKey[];
}

/** Finds what was left behind and carries our marks, and has it taken down like any service that goes. */
export class Sweep {
  readonly #options: SweepOptions;
  readonly #guard: DeletionGuard<ServiceKey>;

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#guard = new DeletionGuard({ ...options, brake: BRAKE, gauge: heldDeletions });
  }

  /** Decides from a completed list that was begun at this time. */
  plan({ ours }: RegisteredServices, listBegunAt: number): SweepPlan {
    const { scope, inventory } = this.#options.repository;
    const { services, addresses, known } = findOrphans(scope, inventory, ours, (key) => this.#isInUse(key));
    const allowed = this.#guard.allow([...services, ...addresses], known, listBegunAt);
    return {
      services: allowed.filter((key) => services.has(key)),
      addresses: allowed.filter((key) => addresses.has(key)),
    };
  }

  /** Has leftovers taken down, except those that the cluster has come to want since they were found. */
  carryOut(keys: readonly ServiceKey[]): void {
    for (const key of keys) if (!this.#isInUse(key)) this.#options.engine.deleteService(key);
  }

  /** What the cluster wants stays; what is being made or taken down needs no sweep. What was abandoned does. */
  #isInUse(key: ServiceKey): boolean {
    const { engine, keepsDefaultOutbound } = this.#options;
    if (key === DEFAULT_OUTBOUND_KEY) return keepsDefaultOutbound;
    const state = engine.state(key);
    return engine.tracker.wanted.has(key) || (state !== undefined && !isLive(state));
  }
}
