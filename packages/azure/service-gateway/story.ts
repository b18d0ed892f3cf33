import { type Clock, codeOf, type Journal } from '@fairlead/control';
import type { StateChange } from './engine-listener.ts';
import { isOutbound, nrpName, type ServiceKey } from './service-key.ts';
import type { ServiceState } from './service-state.ts';

/** Writes down what becomes of services, for whoever asks why. */
export class Story {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #nameOf: (key: ServiceKey) => string | undefined;

  constructor(journal: Journal, clock: Clock, nameOf: (key: ServiceKey) => string | undefined) {
    this.#journal = journal;
    this.#clock = clock;
    this.#nameOf = nameOf;
  }

  /** The service as people name it: `service shop/web`, `egress blue`. */
  keyOf(key: ServiceKey): string {
    return isOutbound(key) ? `egress ${nrpName(key)}` : `service ${this.#nameOf(key) ?? nrpName(key)}`;
  }

  stateChanged({ key, after, outcome }: StateChange): void {
    const story = this.keyOf(key);
    const because = outcome?.ok === false ? { because: codeOf(outcome.error) } : {};
    this.#journal.record(story, { kind: 'state', state: after?.kind ?? 'gone', ...because });
    const waiting = after === undefined ? undefined : waitOf(after);
    if (waiting === undefined) return;
    const { reason, notBefore } = waiting;
    const delay = notBefore - this.#clock.monotonic();
    const retryAt = delay > 0 ? { retryAt: this.#clock.now() + delay } : {};
    this.#journal.record(story, { kind: 'waiting', for: reason, ...retryAt });
  }
}

function waitOf(state: ServiceState): { readonly reason: string; readonly notBefore: number } | undefined {
  switch (state.kind) {
    case 'NotStarted':
    case 'UpdatePending':
      return { reason: 'its turn to be worked on', notBefore: state.wait.notBefore };
    case 'DeletionPending':
      return { reason: 'its addresses to leave the gateway', notBefore: state.wait.notBefore };
    case 'Parked':
      return { reason: `a change of what it asks for: ${state.failure.code}`, notBefore: Number.NEGATIVE_INFINITY };
    case 'Created':
    case 'CreationInProgress':
    case 'UpdateInProgress':
    case 'DeletionInProgress':
      return undefined;
  }
}
