import { FairleadError, seededRandom, VirtualClock } from '@fairlead/control';
import { type AddressUpdate, DiffTracker } from '../engine/difftracker.ts';
import type { Outcome } from '../engine/effects.ts';
import { Engine } from '../engine/engine.ts';
import type { PodUid, NrpKey } from '../engine/nrp-key.ts';

export const retriable = new FairleadError('try later', { verdict: 'retriable', code: 'busy' });
export const terminal = new FairleadError('never', { verdict: 'terminal', code: 'invalid' });

/** An engine with nobody behind it: the test plays both updaters. */
export class EngineBench {
  readonly clock = new VirtualClock();
  readonly tracker = new DiffTracker(this.clock);
  readonly triggered = new Set<NrpKey>();
  readonly drained: PodUid[] = [];
  readonly states: string[] = [];
  readonly engine = new Engine(this.tracker, this.clock, seededRandom(1), {
    serviceTriggered: (key) => this.triggered.add(key),
    locationsTriggered: () => {},
    podsDrained: (pods) => this.drained.push(...pods),
    stateChanged: ({ key, after }) => this.states.push(`${key} ${after?.kind ?? 'gone'}`),
  });

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
