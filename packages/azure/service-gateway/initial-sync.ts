import { orAborted } from '@fairlead/control';
import type { StateChange } from './engine-listener.ts';
import type { ServiceKey } from './service-key.ts';
import type { ServiceState } from './service-state.ts';

export interface InitialSyncOptions {
  readonly areLocationsInStep: () => boolean;
  /** Whether the service is to be deleted and has an address that stays: it waits for a pod, and not for us. */
  readonly waitsForPod: (key: ServiceKey) => boolean;
}

/**
 * Knows when what initialization found to do was done. A service that fails counts as done once it was tried, and one
 * that waits for a pod does not count: one bad object must not keep the whole part from being ready.
 */
export class InitialSync {
  readonly #options: InitialSyncOptions;
  readonly #pendingServiceOps = new Set<ServiceKey>();
  #phase: 'not-begun' | 'services' | 'locations' | 'complete' = 'not-begun';
  readonly #complete = Promise.withResolvers<void>();

  constructor(options: InitialSyncOptions) {
    this.#options = options;
  }

  /** How many services have not been tried yet. */
  get pending(): number {
    return this.#pendingServiceOps.size;
  }

  get isComplete(): boolean {
    return this.#phase === 'complete';
  }

  /** From now on it waits for these services, as far as they are not as they should be, and then for the addresses. */
  begin(states: ReadonlyMap<ServiceKey, ServiceState>): void {
    for (const [key, state] of states) if (!isSettled(state)) this.#pendingServiceOps.add(key);
    this.#phase = 'services';
    this.#checkInitializationComplete();
  }

  stateChanged({ key, after, outcome }: StateChange): void {
    if (outcome !== undefined || isSettled(after)) this.#pendingServiceOps.delete(key);
    this.#checkInitializationComplete();
  }

  /** Addresses were sent; the error is that of what has to be sent again. */
  locationsRound(error: unknown): void {
    if (error !== undefined) return;
    // In a busy cluster some address always differs: one round that went well since the services were there is enough.
    if (this.#phase === 'locations') this.#finish();
    else this.#checkInitializationComplete();
  }

  /** Rejects with the signal's reason. */
  waitForInitialSync(signal: AbortSignal): Promise<void> {
    return orAborted(this.#complete.promise, signal);
  }

  #checkInitializationComplete(): void {
    if (this.#phase !== 'services') return;
    const { areLocationsInStep, waitsForPod } = this.#options;
    if ([...this.#pendingServiceOps].some((key) => !waitsForPod(key))) return;
    this.#phase = 'locations';
    if (areLocationsInStep()) this.#finish();
  }

  #finish(): void {
    this.#phase = 'complete';
    this.#complete.resolve();
  }
}

function isSettled(state: ServiceState | undefined): boolean {
  return state === undefined || state.kind === 'Created' || state.kind === 'Parked';
}
