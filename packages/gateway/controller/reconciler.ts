import { runSteps, type Step, sleep } from '@fairlead/control';
import { OwnWrites, type Service, services } from '@fairlead/kube';
import type { RunEnvironment } from '@fairlead/part';
import type { ClaimRules } from '@fairlead/service';
import type { Allocator } from './allocation.ts';
import type { ServiceKey } from './l2-port.ts';
import { toSteps, WRITE_DEADLINE_MILLISECONDS } from './apply.ts';
import { desiredFor } from './desired.ts';
import { announce } from './events.ts';
import { stepsWritten } from './metrics.ts';
import { decide, type Outcome } from './outcome.ts';
import { stepsFor } from './plan.ts';
import type { WithdrawalBrake } from './withdrawal-brake.ts';

const COVER_CHECK_MILLISECONDS = 250;

/** Brings one Service at a time to its outcome. */
export class Reconciler {
  readonly #environment: RunEnvironment;
  readonly #rules: ClaimRules;
  readonly #allocator: Allocator;
  readonly #brake: WithdrawalBrake;
  readonly #ownWrites = new OwnWrites<Service>();
  /** Service -> what was decided for it last; foreign Services are not in it */
  readonly #outcomes = new Map<ServiceKey, Outcome['kind']>();
  readonly #counts = new Map<string, number>();

  constructor(environment: RunEnvironment, rules: ClaimRules, allocator: Allocator, brake: WithdrawalBrake) {
    this.#environment = environment;
    this.#rules = rules;
    this.#allocator = allocator;
    this.#brake = brake;
  }

  /** Services that got no address, or not all ports: they want to know when something becomes free. */
  readonly waiting = new Set<ServiceKey>();

  /** How many Services have which outcome. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /**
   * Decides for the Service, as the cache has it, and writes what differs. True when something became free for others.
   */
  async reconcile(key: ServiceKey, cached: Service | undefined, signal: AbortSignal): Promise<boolean> {
    const service = this.#ownWrites.latest(key, cached);
    if (service === undefined) return this.#forget(key);
    const outcome = decide(desiredFor(service, this.#rules), this.#allocator, key);
    this.#remember(key, outcome);
    // What it is shown with lingers: nobody else gets it meanwhile.
    if (this.#brake.holds(key, outcome)) return false;
    await this.#write(key, service, outcome, signal);
    if (outcome.kind === 'unreadable') throw outcome.error;
    if (outcome.kind === 'release') this.#forgetOutcome(key);
    return this.#allocator.settle(key);
  }

  async #write(key: ServiceKey, service: Service, outcome: Outcome, signal: AbortSignal): Promise<void> {
    const { client, clock, journal, metrics } = this.#environment;
    const planned = stepsFor(outcome, clock);
    if (planned.length === 0) return;
    const steps = toSteps(client, service, planned, (written) => this.#ownWrites.note(written)).map((step) => ({
      ...step,
      run: async (stepSignal: AbortSignal) => {
        await this.#untilCovered(stepSignal);
        await counted(step, stepSignal, (result) => metrics.increment(stepsWritten, { step: step.name, result }));
      },
    }));
    try {
      await runSteps(steps, { journal, key: `service ${key}` }, signal);
    } catch (error) {
      await this.#lookAgain(service, signal);
      throw error;
    }
    announce(this.#environment.events, service, outcome);
  }

  /**
   * The answer to a write that failed may have been lost, or the cache may be behind: without a look of our own, every
   * further attempt would fail for the same reason until the cache has caught up.
   */
  async #lookAgain(service: Service, signal: AbortSignal): Promise<void> {
    const { client } = this.#environment;
    try {
      const found = await client.find(services, service.metadata, { signal });
      if (found === undefined) this.#ownWrites.noteGone(service);
      else this.#ownWrites.note(found);
    } catch {
      // The write's own failure is what is told; the next attempt looks again.
    }
  }

  /** A write starts only when the Lease outlives its deadline: it is renewed soon, or lost, and then the signal aborts. */
  async #untilCovered(signal: AbortSignal): Promise<void> {
    const { clock, leadership } = this.#environment;
    while (!leadership.covers(WRITE_DEADLINE_MILLISECONDS)) await sleep(clock, COVER_CHECK_MILLISECONDS, signal);
  }

  #remember(key: ServiceKey, outcome: Outcome): void {
    if (outcome.kind === 'foreign') {
      this.#forgetOutcome(key);
      return;
    }
    this.#count(this.#outcomes.get(key), -1);
    this.#outcomes.set(key, outcome.kind);
    this.#count(outcome.kind, 1);
    const lacks = outcome.kind === 'refuse' || (outcome.kind === 'serve' && outcome.shortfall !== undefined);
    if (lacks) this.waiting.add(key);
    else this.waiting.delete(key);
  }

  #count(kind: Outcome['kind'] | undefined, by: number): void {
    if (kind !== undefined) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + by);
  }

  #forgetOutcome(key: ServiceKey): void {
    this.#count(this.#outcomes.get(key), -1);
    this.#outcomes.delete(key);
    this.waiting.delete(key);
  }

  #forget(key: ServiceKey): boolean {
    this.#forgetOutcome(key);
    this.#allocator.release(key);
    return this.#allocator.settle(key);
  }
}

async function counted(step: Step, signal: AbortSignal, count: (result: 'done' | 'failed') => void): Promise<void> {
  try {
    await step.run(signal);
    count('done');
  } catch (error) {
    count('failed');
    throw error;
  }
}
