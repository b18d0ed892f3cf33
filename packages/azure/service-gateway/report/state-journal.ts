import { type Clock, codeOf, type Journal, type StepRecord } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import { findArmError } from '../../arm/index.ts';
import type { StateChange } from '../engine/effects.ts';
import { isOutbound, type NrpKey, nrpName } from '../engine/nrp-key.ts';
import { type ServiceState, specOf } from '../engine/service-state.ts';

/** Writes down what becomes of services, for `fairlead why`. */
export class StateJournal {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #names: ReadonlyMap<NrpKey, ServiceKey>;
  /** Service whose attempts fail, and whose request has not changed since -> the codes of the failures. */
  readonly #failing = new Map<NrpKey, Set<string>>();

  /** `names`: the Services that the engine was told of. */
  constructor(journal: Journal, clock: Clock, names: ReadonlyMap<NrpKey, ServiceKey>) {
    this.#journal = journal;
    this.#clock = clock;
    this.#names = names;
  }

  /** The service as people name it: `service shop/web`, `egress blue`. */
  keyOf(key: NrpKey): string {
    return isOutbound(key) ? `egress ${nrpName(key)}` : `service ${this.#names.get(key) ?? nrpName(key)}`;
  }

  /** Where steps for the service are written down. */
  recordOf(key: NrpKey): StepRecord {
    return { journal: this.#journal, key: this.keyOf(key) };
  }

  /** A loop of attempts is told by what they fail with: that each one begins is no news. */
  stateChanged(change: StateChange): void {
    const { key, before, after, outcome } = change;
    const isRepeat = before?.kind === after?.kind || this.#failing.has(key);
    if (isRepeat && isAnotherAttempt(change)) return;
    if (outcome?.ok === false) this.#noteCall(key, outcome.error);
    // What it asks for instead meanwhile gets a first attempt of its own.
    if (outcome?.ok !== false || specOf(before) !== specOf(after)) this.#failing.delete(key);
    const journalKey = this.keyOf(key);
    const because = outcome?.ok === false ? { because: codeOf(outcome.error) } : {};
    this.#journal.record(journalKey, { kind: 'state', state: after?.kind ?? 'gone', ...because });
    const waiting = after === undefined ? undefined : waitOf(after);
    if (waiting === undefined) return;
    const { reason, notBefore } = waiting;
    const delay = notBefore - this.#clock.monotonic();
    const retryAt = delay > 0 ? { retryAt: this.#clock.now() + delay } : {};
    this.#journal.record(journalKey, { kind: 'waiting', for: reason, ...retryAt });
  }

  /** One id is enough to ask Azure's support what went wrong; that of each attempt would leave no room for the rest. */
  #noteCall(key: NrpKey, error: unknown): void {
    const code = codeOf(error);
    const id = findArmError(error)?.correlationId;
    const told = this.#failing.get(key) ?? new Set();
    if (id !== undefined && !told.has(code)) {
      const text = `Azure knows the first call that failed with ${code} as ${id}`;
      this.#journal.record(this.keyOf(key), { kind: 'note', text });
    }
    this.#failing.set(key, told.add(code));
  }
}

/** Whether what was wanted before is being worked on, or is to be tried again. */
function isAnotherAttempt({ before, after, outcome }: StateChange): boolean {
  if (outcome !== undefined) return false;
  switch (after?.kind) {
    case 'CreationInProgress':
    case 'UpdateInProgress':
    case 'DeletionInProgress':
      return true;
    case 'NotStarted':
    case 'UpdatePending':
      return before?.kind === 'Parked' && before.spec === after.spec;
    case undefined:
    case 'Created':
    case 'Parked':
    case 'DeletionPending':
      return false;
  }
}

function waitOf(state: ServiceState): { readonly reason: string; readonly notBefore: number } | undefined {
  switch (state.kind) {
    case 'NotStarted':
    case 'UpdatePending':
      return { reason: 'its turn to be worked on', notBefore: state.wait.notBefore };
    case 'DeletionPending':
      return { reason: 'its addresses to leave the gateway', notBefore: state.wait.notBefore };
    case 'Parked': {
      // What we refuse ourselves, and not Azure, is not tried again as it is.
      const or = state.spec === undefined ? '' : ', or the next comparison with Azure';
      const reason = `a change of what it asks for${or}: ${state.failure.code}`;
      return { reason, notBefore: Number.NEGATIVE_INFINITY };
    }
    case 'Created':
    case 'CreationInProgress':
    case 'UpdateInProgress':
    case 'DeletionInProgress':
      return undefined;
  }
}
