import {
  type Clock,
  codeOf,
  FairleadError,
  Lanes,
  type Metrics,
  messageOf,
  type Random,
  randomPick,
  runSteps,
  type Step,
  type Timer,
  verdictOf,
} from '@fairlead/control';
import type { ServiceRequest } from '../../arm/index.ts';
import type { Outcome } from '../engine/effects.ts';
import type { Engine, Operation } from '../engine/engine.ts';
import type { NrpKey } from '../engine/nrp-key.ts';
import { isInboundSpec, type ServiceSpec } from '../engine/service-spec.ts';
import { operationSeconds, operationsTotal, registrationBatchSize, retriesTotal } from '../metrics.ts';
import type { StateJournal } from '../report/state-journal.ts';
import { isMissingReference, isSignOfDrift } from './azure-errors.ts';
import {
  type CreationPlan,
  planCreation,
  planRemoval,
  planUnregistration,
  type ResourceStep,
  writesOfCreation,
} from './plan.ts';
import { RegistrationBatcher } from './registration-batcher.ts';
import { type Repository, UPDATE_SERVICES } from './repository.ts';
import { registrationStep, toSteps } from './step-texts.ts';

/** So many services are worked on at once. */
const LANES = 10;
/** In one updateServices at most. */
export const REGISTRATIONS_PER_CALL = 500;
export interface ServiceUpdaterOptions {
  readonly repository: Repository;
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: StateJournal;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

type Making = Extract<Operation, { kind: 'create' | 'update' }>;

/**
 * Creates, updates and deletes what services need outside, ten at a time. A service that waits for its registration
 * holds no lane; registrations of many services travel in one call.
 */
export class ServiceUpdater {
  readonly #engine: Engine;
  readonly #options: ServiceUpdaterOptions;
  /** Closed when the signal aborts: thousands of listeners on one signal would cost more than the work. */
  readonly #lanes = new Lanes(LANES);
  readonly #registrations: RegistrationBatcher;
  /** Service -> when it is to be tried again. */
  readonly #timers = new Map<NrpKey, Timer>();
  /** Services that wait for a lane. */
  readonly #queued = new Set<NrpKey>();
  /** Services that are to be registered as soon as what comes before is done. */
  readonly #expected = new Set<NrpKey>();
  #underWay = 0;
  #onIdle: (() => void) | undefined;

  constructor(engine: Engine, options: ServiceUpdaterOptions) {
    const { clock, metrics, repository, signal } = options;
    this.#engine = engine;
    this.#options = options;
    this.#registrations = new RegistrationBatcher({
      clock,
      limits: { maximumCount: REGISTRATIONS_PER_CALL },
      probe: {
        pick: (batch) => randomPick(options.random, batch),
        postponedWith: (error) => repository.refusesAll(UPDATE_SERVICES, error),
      },
      isRefused: () => repository.isRefused(UPDATE_SERVICES),
      expectsMore: () => this.#expected.size > 0,
      send: async (requests) => {
        metrics.observe(registrationBatchSize, requests.length);
        await repository.updateServices(requests, { signal });
      },
    });
    signal.addEventListener('abort', () => this.#stop(), { once: true });
  }

  /** There may be something to do for the service. Returns at once. */
  trigger(key: NrpKey): void {
    if (this.#options.signal.aborted || this.#queued.has(key)) return;
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    const kind = this.#engine.state(key)?.kind;
    if (kind === 'DeletionPending') void this.#track(this.#delete(key));
    else if (kind === 'NotStarted' || kind === 'UpdatePending') void this.#track(this.#make(key));
  }

  /** Resolves when everything that was under way has ended. */
  async idle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  async #make(key: NrpKey): Promise<void> {
    const { clock } = this.#options;
    this.#queued.add(key);
    this.#expected.add(key);
    let operation: Making | undefined;
    let startedAt = 0;
    const prepared = await settle(
      this.#lanes.run(key, async () => {
        this.#queued.delete(key);
        startedAt = clock.monotonic();
        operation = this.#take(key);
        return operation === undefined ? undefined : this.#prepare(operation.spec);
      }),
    );
    this.#queued.delete(key);
    if (operation === undefined) {
      this.#expectNoMore(key);
      return;
    }
    const { spec } = operation;
    const plan = prepared.ok ? prepared.value : undefined;
    const finished: Settled<unknown> = plan === undefined ? prepared : await settle(this.#finish(spec, plan));
    this.#expectNoMore(key);
    this.#complete(operation, key, startedAt, finished);
  }

  /** Begins what is to be made, unless it is to be deleted by now. */
  #take(key: NrpKey): Making | undefined {
    if (this.#engine.state(key)?.kind === 'DeletionPending') {
      void this.#track(this.#delete(key));
      return undefined;
    }
    const operation = this.#begin(key);
    return operation?.kind === 'delete' ? undefined : operation;
  }

  #begin(key: NrpKey): Operation | undefined {
    const start = this.#engine.begin(key);
    if (start.kind === 'later') {
      const { clock } = this.#options;
      this.#timers.get(key)?.cancel();
      const timer = clock.setTimer(start.until - clock.monotonic(), () => this.trigger(key));
      this.#timers.set(key, timer);
    }
    return start.kind === 'now' ? start.operation : undefined;
  }

  /** In a lane: the public address, then the load balancer or NAT gateway. */
  async #prepare(spec: ServiceSpec): Promise<CreationPlan> {
    const { repository, signal } = this.#options;
    await repository.readUnknown(spec.key, { signal });
    let plan = planCreation(repository, spec);
    if (await repository.readBeforeUpdate(plan.prepare, { signal })) plan = planCreation(repository, spec);
    await this.#run(spec.key, this.#toSteps(spec.key, plan.prepare));
    return plan;
  }

  /** Outside the lane: the registration, together with others; then what is no longer needed, and the address. */
  async #finish(spec: ServiceSpec, plan: CreationPlan): Promise<'changed' | 'unchanged'> {
    const { repository, signal } = this.#options;
    const { register, tidyUp } = plan;
    if (register !== undefined) await this.#register(spec.key, register);
    if (tidyUp.length > 0) await this.#lanes.run(spec.key, () => this.#run(spec.key, this.#toSteps(spec.key, tidyUp)));
    if (isInboundSpec(spec)) await repository.publicAddress(spec.key, spec.family, { signal });
    return writesOfCreation(plan) > 0 ? 'changed' : 'unchanged';
  }

  /** Unregistered first, then deleted: what Azure still sends traffic to must not go. */
  async #delete(key: NrpKey): Promise<void> {
    const { clock, repository, signal } = this.#options;
    const operation = this.#begin(key);
    if (operation?.kind !== 'delete') return;
    const startedAt = clock.monotonic();
    const outcome = await settle(
      (async () => {
        const unregister = planUnregistration(repository, key);
        if (unregister !== undefined) await this.#register(key, unregister);
        const remove = async () => {
          await repository.readUnknown(key, { signal });
          let steps = planRemoval(repository, key);
          if (await repository.readBeforeUpdate(steps, { signal })) steps = planRemoval(repository, key);
          await this.#run(key, this.#toSteps(key, steps));
        };
        await this.#lanes.run(key, remove);
      })(),
    );
    this.#complete(operation, key, startedAt, outcome);
  }

  async #register(key: NrpKey, request: ServiceRequest): Promise<void> {
    const submit = () => {
      const submitted = this.#registrations.submit(request);
      this.#expectNoMore(key);
      return submitted;
    };
    await this.#run(key, [registrationStep(request, submit)]);
  }

  async #run(key: NrpKey, steps: readonly Step[]): Promise<void> {
    const { signal, journal } = this.#options;
    await runSteps(steps, journal.recordOf(key), signal);
  }

  #toSteps(key: NrpKey, planned: readonly ResourceStep[]): readonly Step[] {
    const { repository, journal } = this.#options;
    return toSteps(repository, planned, { record: journal.recordOf(key) });
  }

  #complete(operation: Operation, key: NrpKey, startedAt: number, ended: Settled<unknown>): void {
    const { clock, metrics, signal, repository } = this.#options;
    // What was interrupted neither succeeded nor failed; the next leader finds out how far it came.
    if (signal.aborted) return;
    metrics.observe(operationSeconds, (clock.monotonic() - startedAt) / 1000, { operation: operation.kind });
    let outcome: Outcome = { ok: true, changed: ended.ok && ended.value === 'changed' };
    let result = 'ok';
    if (!ended.ok) {
      const code = codeOf(ended.error);
      const why = `${operation.kind} of ${key}: ${messageOf(ended.error)}`;
      if (isSignOfDrift(ended.error)) this.#engine.effects.push({ kind: 'drift-suspected', why });
      const isMissing = isMissingReference(ended.error);
      if (isMissing) repository.markUnknown(key);
      const error = isMissing ? worthRepeating(ended.error) : ended.error;
      outcome = { ok: false, error };
      result = verdictOf(error) === 'terminal' && operation.kind !== 'delete' ? 'parked' : 'retried';
      if (result === 'retried') metrics.increment(retriesTotal, { operation: operation.kind, code });
    }
    metrics.increment(operationsTotal, { operation: operation.kind, result });
    switch (operation.kind) {
      case 'create':
        return this.#engine.onServiceCreationComplete(key, outcome);
      case 'update':
        return this.#engine.onServiceUpdateComplete(key, outcome);
      case 'delete':
        return this.#engine.onServiceDeletionComplete(key, outcome);
    }
  }

  #expectNoMore(key: NrpKey): void {
    if (this.#expected.delete(key)) this.#registrations.consider();
  }

  async #track(work: Promise<void>): Promise<void> {
    this.#underWay += 1;
    try {
      await work;
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#onIdle?.();
    }
  }

  #stop(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#registrations.close();
    void this.#lanes.close();
  }
}

type Settled<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: unknown };

async function settle<Value>(work: Promise<Value>): Promise<Settled<Value>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    return { ok: false, error };
  }
}

/** What is missing is looked for and made again. */
function worthRepeating(cause: unknown): FairleadError {
  return new FairleadError(messageOf(cause), { verdict: 'retriable', code: codeOf(cause), cause });
}
