import { FairleadError, runSteps, type Step } from '@fairlead/control';
import { OwnWrites, type Service } from '@fairlead/kube';
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

/** Brings one Service at a time to its outcome. */
export class Reconciler {
  readonly #environment: RunEnvironment;
  readonly #rules: ClaimRules;
  readonly #allocator: Allocator;
  readonly #ownWrites = new OwnWrites<Service>();
  /** Service -> what was decided for it last; foreign Services are not in it */
  readonly #outcomes = new Map<ServiceKey, Outcome['kind']>();

  constructor(environment: RunEnvironment, rules: ClaimRules, allocator: Allocator) {
    this.#environment = environment;
    this.#rules = rules;
    this.#allocator = allocator;
  }

  /** Services that got no address, or not all ports: they want to know when something becomes free. */
  readonly waiting = new Set<ServiceKey>();

  /** How many Services have which outcome. */
  counts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = { serve: 0, refuse: 0, release: 0, unreadable: 0 };
    for (const kind of this.#outcomes.values()) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  }

  /**
   * Decides for the Service, as the cache has it, and writes what differs. True when something became free for others.
   */
  async reconcile(key: ServiceKey, cached: Service | undefined, signal: AbortSignal): Promise<boolean> {
    const service = this.#ownWrites.latest(key, cached);
    if (service === undefined) return this.#forget(key);
    const outcome = decide(desiredFor(service, this.#rules), this.#allocator, key);
    this.#remember(key, outcome);
    await this.#write(key, service, outcome, signal);
    if (outcome.kind === 'unreadable') throw outcome.error;
    if (outcome.kind === 'release') this.#forgetOutcome(key);
    return this.#allocator.settle(key);
  }

  async #write(key: ServiceKey, service: Service, outcome: Outcome, signal: AbortSignal): Promise<void> {
    const { client, clock, journal, leadership, metrics } = this.#environment;
    const planned = stepsFor(outcome, clock);
    if (planned.length === 0) return;
    const steps = toSteps(client, service, planned, (written) => this.#ownWrites.note(written)).map((step) => ({
      ...step,
      run: (stepSignal: AbortSignal) => {
        if (!leadership.covers(WRITE_DEADLINE_MILLISECONDS)) throw leaseTooShort();
        return counted(step, stepSignal, (result) => metrics.increment(stepsWritten, { step: step.name, result }));
      },
    }));
    await runSteps(steps, { journal, key: `service ${key}` }, signal);
    announce(this.#environment.events, service, outcome);
  }

  #remember(key: ServiceKey, outcome: Outcome): void {
    if (outcome.kind === 'foreign') {
      this.#forgetOutcome(key);
      return;
    }
    this.#outcomes.set(key, outcome.kind);
    const lacks = outcome.kind === 'refuse' || (outcome.kind === 'serve' && outcome.taken.length > 0);
    if (lacks) this.waiting.add(key);
    else this.waiting.delete(key);
  }

  #forgetOutcome(key: ServiceKey): void {
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

function leaseTooShort(): FairleadError {
  return new FairleadError('the Lease may end before the write would: trying again once it is renewed', {
    verdict: 'retriable',
    code: 'lease-too-short',
  });
}
