import type { Clock } from '@fairlead/control';
import type { ServiceKey } from './service-key.ts';
import type { ServiceState } from './service-state.ts';

/** The state of every service, and what is worth knowing about all of them together without asking each. */
export class StateLedger {
  readonly #clock: Clock;
  readonly #states = new Map<ServiceKey, ServiceState>();
  readonly #counts = new Map<ServiceState['kind'], number>();
  readonly #pendingDeletions = new Set<ServiceKey>();
  /** Service that is not as it should be -> since when; the longest first. */
  readonly #unsettledSince = new Map<ServiceKey, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get states(): ReadonlyMap<ServiceKey, ServiceState> {
    return this.#states;
  }

  /** How many services are in each state. */
  get counts(): ReadonlyMap<ServiceState['kind'], number> {
    return this.#counts;
  }

  get pendingDeletions(): ReadonlySet<ServiceKey> {
    return this.#pendingDeletions;
  }

  /** The monotonic time since which some service has been waiting to be as it should, if any is. */
  get oldestUnsettledSince(): number | undefined {
    const [oldest] = this.#unsettledSince.values();
    return oldest;
  }

  /** Undefined: nothing is left to be known of the service. */
  set(key: ServiceKey, state: ServiceState | undefined): void {
    const before = this.#states.get(key);
    if (before !== undefined) this.#count(before.kind, -1);
    if (state === undefined) this.#states.delete(key);
    else {
      this.#states.set(key, state);
      this.#count(state.kind, 1);
    }
    if (state?.kind === 'DeletionPending') this.#pendingDeletions.add(key);
    else this.#pendingDeletions.delete(key);
    if (state === undefined || state.kind === 'Created' || state.kind === 'Parked') this.#unsettledSince.delete(key);
    else if (!this.#unsettledSince.has(key)) this.#unsettledSince.set(key, this.#clock.monotonic());
  }

  #count(kind: ServiceState['kind'], by: 1 | -1): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + by);
  }
}
