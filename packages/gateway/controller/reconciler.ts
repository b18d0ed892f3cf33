import { messageOf, verdictOf } from '@fairlead/control';
import { ObjectWriter, type Service, services } from '@fairlead/kube';
import { type LeaderEnvironment, OutcomeCounts } from '@fairlead/part';
import type { ClaimRules, ServiceKey } from '@fairlead/service';
import type { Allocator } from './addresses/allocation.ts';
import { desiredFor } from './desired.ts';
import { servicesByOutcome, stepsWritten } from './metrics.ts';
import { decide, type Outcome, type ServedService } from './outcome.ts';
import { writesFor } from './plan.ts';
import { announce } from './report/events.ts';
import type { WithdrawalBrake } from './withdrawal-brake.ts';

/** Brings one Service at a time to its outcome. */
export class Reconciler {
  readonly #environment: LeaderEnvironment;
  readonly #rules: ClaimRules;
  readonly #allocator: Allocator;
  readonly #brake: WithdrawalBrake;
  readonly #requeue: (key: ServiceKey) => void;
  readonly #writer: ObjectWriter<Service>;
  readonly #outcomes: OutcomeCounts<Outcome['kind']>;

  /** `requeue` has a Service reconciled again. */
  constructor(
    environment: LeaderEnvironment,
    rules: ClaimRules,
    allocator: Allocator,
    brake: WithdrawalBrake,
    requeue: (key: ServiceKey) => void,
  ) {
    this.#requeue = requeue;
    this.#environment = environment;
    this.#rules = rules;
    this.#allocator = allocator;
    this.#brake = brake;
    const writes = { resource: services, fieldManager: 'fairlead-gateway', writesMetric: stepsWritten };
    this.#writer = new ObjectWriter<Service>({ ...environment, ...writes });
    this.#outcomes = new OutcomeCounts(environment.metrics, servicesByOutcome);
  }

  /**
   * Decides for the Service, as the cache has it, and writes what differs. What it frees goes to others, whose turn it
   * then is.
   */
  async reconcile(key: ServiceKey, cached: Service | undefined, signal: AbortSignal): Promise<void> {
    const service = this.#writer.latest(key, cached);
    if (service === undefined) return this.#forget(key);
    const outcome = decide(desiredFor(service, this.#rules), this.#allocator, key);
    this.#outcomes.set(key, outcome.kind === 'foreign' ? undefined : outcome.kind);
    // What it is shown with stays reserved: no other Service gets it meanwhile.
    if (this.#brake.holds(key, outcome)) return;
    try {
      await this.#write(service, outcome, signal);
    } catch (error) {
      if (outcome.kind === 'serve' && verdictOf(error) === 'terminal')
        await this.#refuseRecord(key, outcome, error, signal);
      throw error;
    }
    if (outcome.kind === 'unreadable') throw outcome.error;
    if (outcome.kind === 'release') this.#outcomes.set(key, undefined);
    this.#settle(key);
  }

  /** What it no longer has went to others, which have to be told. */
  #settle(key: ServiceKey): void {
    for (const served of this.#allocator.settle(key)) this.#requeue(served);
  }

  async #write(service: Service, outcome: Outcome, signal: AbortSignal): Promise<void> {
    const { clock, events } = this.#environment;
    const writes = writesFor(outcome, clock);
    await this.#writer.write(service, writes, signal);
    if (writes.length > 0) announce(events, service, outcome);
  }

  /** The API server does not take what is to be written, as when an owner fills a Service with annotations. */
  async #refuseRecord(key: ServiceKey, { claim }: ServedService, error: unknown, signal: AbortSignal): Promise<void> {
    const message = `the API server does not take the record of its address: ${messageOf(error)}`;
    this.#allocator.release(key);
    this.#outcomes.set(key, 'refuse');
    const refusal = { code: 'record-refused', message };
    await this.#write(claim.service, { kind: 'refuse', claim, refusal }, signal);
    this.#settle(key);
  }

  #forget(key: ServiceKey): void {
    this.#outcomes.set(key, undefined);
    this.#allocator.release(key);
    this.#settle(key);
  }
}
