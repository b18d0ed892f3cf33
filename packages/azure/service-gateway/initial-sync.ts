import type { StateChange } from './engine.ts';
import type { ServiceKey } from './service-key.ts';
import type { ServiceState } from './service-state.ts';

/**
 * Knows when what initialization found to do was done. A service that fails counts as done once it was tried: one bad
 * object must not keep the whole part from being ready.
 */
export class InitialSync {
  readonly #areLocationsInStep: () => boolean;
  readonly #pendingServiceOps = new Set<ServiceKey>();
  #phase: 'not-begun' | 'services' | 'locations' | 'complete' = 'not-begun';
  readonly #complete = Promise.withResolvers<void>();

  constructor(areLocationsInStep: () => boolean) {
    this.#areLocationsInStep = areLocationsInStep;
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
    // In a busy cluster some address always differs: one round that went well since the services were there is enough.
    if (error === undefined && this.#phase === 'locations') this.#finish();
  }

  /** Rejects with the signal's reason. */
  async waitForInitialSync(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([this.#complete.promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #checkInitializationComplete(): void {
    if (this.#phase !== 'services' || this.#pendingServiceOps.size > 0) return;
    this.#phase = 'locations';
    if (this.#areLocationsInStep()) this.#finish();
  }

  #finish(): void {
    this.#phase = 'complete';
    this.#complete.resolve();
  }
}

function isSettled(state: ServiceState | undefined): boolean {
  return state === undefined || state.kind === 'Created' || state.kind === 'Parked';
}
