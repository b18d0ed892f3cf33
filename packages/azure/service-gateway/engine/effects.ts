import type { PodUid, NrpKey } from './nrp-key.ts';
import type { ServiceState } from './service-state.ts';

/** Whom the engine tells. None of these may call back into the engine before it returns. */
export interface EngineListener {
  /** The ServiceUpdater may have something to do for the service. */
  serviceTriggered(key: NrpKey): void;
  /** The LocationsUpdater may have something to do. */
  locationsTriggered(): void;
  /** All addresses of these pods have left NRP: they may go. */
  podsDrained(pods: readonly PodUid[]): void;
  stateChanged(change: StateChange): void;
}

/** A service has gone from one state to another. Undefined stands for one that is not known, or not any more. */
export interface StateChange {
  readonly key: NrpKey;
  readonly before: ServiceState | undefined;
  readonly after: ServiceState | undefined;
  /** Of the operation that has just ended, if one has. */
  readonly outcome: Outcome | undefined;
}

/** `changed`: whether anything had to be written. */
export type Outcome =
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly error: unknown };

/** Listeners are told in the middle of the engine's own work, and call it back only after that. */
export function afterTheEngine(): Promise<void> {
  return Promise.resolve();
}
