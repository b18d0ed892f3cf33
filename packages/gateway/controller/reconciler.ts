import { ObjectWriter, type Service, services } from '@fairlead/kube';
import { type LeaderEnvironment, OutcomeCounts } from '@fairlead/part';
import type { ClaimRules, ServiceKey } from '@fairlead/service';
import type { Allocator } from './addresses/allocation.ts';
import { desiredFor } from './desired.ts';
import { servicesByOutcome, stepsWritten } from './metrics.ts';
import { decide, type Outcome } from './outcome.ts';
import { writesFor } from './plan.ts';
import { announce } from './report/events.ts';
import type { WithdrawalBrake } from './withdrawal-brake.ts';

/** Brings one Service at a time to its outcome. */
export class Reconciler {
  readonly #environment: LeaderEnvironment;
  readonly #rules: ClaimRules;
  readonly #allocator: Allocator;
  readonly #brake: WithdrawalBrake;
  readonly #writer: ObjectWriter<Service>;
  readonly #outcomes: OutcomeCounts<Outcome['kind']>;

  constructor(environment: LeaderEnvironment, rules: ClaimRules, allocator: Allocator, brake: WithdrawalBrake) {
    this.#environment = environment;
    this.#rules = rules;
    this.#allocator = allocator;
    this.#brake = brake;
    const writes = { resource: services, fieldManager: 'fairlead-gateway', writesMetric: stepsWritten };
    this.#writer = new ObjectWriter<Service>({ ...environment, ...writes });
    this.#outcomes = new OutcomeCounts(environment.metrics, servicesByOutcome);
  }

  /**
   * Decides for the Service, as the cache has it, and writes what differs. Gives the Services that got what it freed.
   */
  async reconcile(key: ServiceKey, cached: Service | undefined, signal: AbortSignal): Promise<readonly ServiceKey[]> {
    const service = this.#writer.latest(key, cached);
    if (service === undefined) return this.#forget(key);
    const outcome = decide(desiredFor(service, this.#rules), this.#allocator, key);
    this.#outcomes.set(key, outcome.kind === 'foreign' ? undefined : outcome.kind);
    // What it is shown with stays reserved: no other Service gets it meanwhile.
    if (this.#brake.holds(key, outcome)) return [];
    const { clock, events } = this.#environment;
    const writes = writesFor(outcome, clock);
    await this.#writer.write(service, writes, signal);
    if (writes.length > 0) announce(events, service, outcome);
    if (outcome.kind === 'unreadable') throw outcome.error;
    if (outcome.kind === 'release') this.#outcomes.set(key, undefined);
    return this.#allocator.settle(key);
  }

  #forget(key: ServiceKey): readonly ServiceKey[] {
    this.#outcomes.set(key, undefined);
    this.#allocator.release(key);
    return this.#allocator.settle(key);
  }
}
