import { FairleadError, seededRandom, VirtualClock } from '@fairlead/control';
import { type AddressUpdate, DiffTracker } from '../engine/difftracker.ts';
import type { Outcome } from '../engine/effects.ts';
import { Engine } from '../engine/engine.ts';
import type { NrpKey, PodUid } from '../engine/nrp-key.ts';

export const retriable = new FairleadError('try later', { verdict: 'retriable', code: 'busy' });
export const terminal = new FairleadError('never', { verdict: 'terminal', code: 'invalid' });

/** An engine without its pump: the test plays both updaters. */
export class EngineBench {
  readonly clock = new VirtualClock();
  readonly tracker = new DiffTracker(this.clock);
  readonly engine = new Engine(this.tracker, this.clock, seededRandom(1));
  readonly #triggered = new Set<NrpKey>();
  readonly #drained: PodUid[] = [];
  readonly #states: string[] = [];

  get triggered(): Set<NrpKey> {
    this.#takeEffects();
    return this.#triggered;
  }

  get drained(): PodUid[] {
    this.#takeEffects();
    return this.#drained;
  }

  get states(): string[] {
    this.#takeEffects();
    return this.#states;
  }

  #takeEffects(): void {
    for (const effect of this.engine.effects.take()) {
      if (effect.kind === 'service-triggered') this.#triggered.add(effect.key);
      if (effect.kind === 'pods-drained') this.#drained.push(...effect.pods);
      if (effect.kind === 'state-changed') this.#states.push(`${effect.key} ${effect.after?.kind ?? 'gone'}`);
    }
  }

  /** Starts what is to be done for the service; says what. */
  begin(key: NrpKey): string {
    const start = this.engine.begin(key);
    return start.kind === 'now' ? start.operation.kind : start.kind;
  }

  complete(key: NrpKey, error?: unknown): void {
    const outcome: Outcome = error === undefined ? { ok: true, changed: true } : { ok: false, error };
    this.engine.onServiceCreationComplete(key, outcome);
    this.engine.onServiceUpdateComplete(key, outcome);
    this.engine.onServiceDeletionComplete(key, outcome);
  }

  /** Runs one operation to its end. */
  run(key: NrpKey, error?: unknown): string {
    const began = this.begin(key);
    this.complete(key, error);
    return began;
  }

  /** Sends all differences, as NRP would take them. */
  sync(): readonly string[] {
    const updates = this.tracker.beginUpdate(this.tracker.locationChanges());
    this.engine.checkPendingDeletions(this.tracker.confirmUpdate(updates));
    return updates.map(lineOf).sort();
  }
}

function lineOf({ entry, services }: AddressUpdate): string {
  return `${entry.address}@${entry.location} = ${services.join(',')}`;
}
