import type { Pod } from '@fairlead/kube';
import type { AddressEntry, ServiceList } from './address-table.ts';
import type { NrpKey, PodUid } from './nrp-key.ts';
import type { ServiceState } from './service-state.ts';

/** A service has gone from one state to another. Undefined stands for one that is not known, or not any more. */
export interface StateChange {
  readonly kind: 'state-changed';
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

/** What happened that concerns the reconcilers of Services and pods, not the updaters. */
export type Notice =
  | StateChange
  /** All addresses of these pods have left NRP: they may go. */
  | { readonly kind: 'pods-drained'; readonly pods: readonly PodUid[] }
  /** The pod cannot have the gateway it names, or cannot be read. */
  | { readonly kind: 'pod-refused'; readonly pod: Pod; readonly error: unknown }
  /** The gateway refuses this address by itself; everything else goes on without it. */
  | {
      readonly kind: 'address-refused';
      readonly entry: AddressEntry;
      readonly services: ServiceList;
      readonly error: unknown;
    }
  /** Addresses were sent; the error is that of what has to be sent again. */
  | { readonly kind: 'locations-round'; readonly error: unknown }
  /** Something does not go with what we know of Azure. */
  | { readonly kind: 'drift-suspected'; readonly why: string };

/** What is to be done after the engine's own work. */
export type Effect =
  /** The ServiceUpdater may have something to do for the service. */
  | { readonly kind: 'service-triggered'; readonly key: NrpKey }
  /** The LocationsUpdater may have something to do. */
  | { readonly kind: 'locations-triggered' }
  | Notice;

/** Effects in the order in which they came about, until the pump does them. */
export class Effects {
  #queued: Effect[] = [];
  #areLocationsTriggered = false;
  #wake: (() => void) | undefined;

  push(effect: Effect): void {
    this.#queued.push(effect);
    this.wake();
  }

  /** However many addresses change before the pump has its turn, this is one effect. */
  triggerLocations(): void {
    if (this.#areLocationsTriggered) return;
    this.#areLocationsTriggered = true;
    this.push({ kind: 'locations-triggered' });
  }

  take(): readonly Effect[] {
    const taken = this.#queued;
    this.#queued = [];
    this.#areLocationsTriggered = false;
    return taken;
  }

  /** Resolves when there are some, or when the pump is woken. Never in the middle of the engine's own work. */
  some(): Promise<void> {
    if (this.#queued.length > 0) return Promise.resolve();
    return new Promise((resolve) => (this.#wake = resolve));
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
