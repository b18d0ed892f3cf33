import {
  type Clock,
  codeOf,
  type IpFamily,
  type Logger,
  type Metrics,
  messageOf,
  type Random,
  jitter,
  orAborted,
  sleep,
} from '@fairlead/control';
import { ensureDefaultOutboundServiceExists } from './default-outbound.ts';
import type { Engine } from './engine.ts';
import { ensureServiceGateway } from './gateway-setup.ts';
import type { Health } from './health.ts';
import type { InventoryKind } from './inventory.ts';
import { driftTotal } from './metrics.ts';
import { takeOver } from './observation.ts';
import type { Repository } from './repository.ts';
import type { ServiceKey } from './service-key.ts';
import { type CreationPlan, planCreation } from './service-plan.ts';
import type { ServiceSpec } from './service-spec.ts';
import { isLive, type ServiceState } from './service-state.ts';
import type { Sweep } from './sweep.ts';

/** A suspicion is looked into soon, but not again and again. */
const SOON_MILLISECONDS = 1_000;
const LOOK_INTERVAL_MILLISECONDS = 30_000;

/** What somebody else may change of a service; `owner`: something of its name carries another's marks. */
type Drifted = InventoryKind | 'registration' | 'owner';
const LOST: readonly Drifted[] = ['registration'];

export interface DriftWatchOptions {
  readonly engine: Engine;
  readonly repository: Repository;
  readonly sweep: Sweep;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly intervalMilliseconds: number;
  /** The families of the default outbound service, or undefined when we do not see to it. */
  readonly defaultOutboundFamilies: () => readonly IpFamily[] | undefined;
}

/** Compares what exists outside with what we think, now and then and when something looks odd, and puts it right. */
export class DriftWatch {
  readonly #options: DriftWatchOptions;
  #wake: (() => void) | undefined;
  #isSuspicious = false;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DriftWatchOptions) {
    this.#options = options;
  }

  /** Something does not go with what we know. */
  suspect(why: string): void {
    this.#options.logger.info({ why }, 'something is not as it should be: looking at everything again');
    this.#isSuspicious = true;
    this.#wake?.();
  }

  /** Looks again and again until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, logger, health, intervalMilliseconds } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#pause(jitter(random, intervalMilliseconds, 0.1), signal);
        await this.check(signal);
        health.round('comparing with Azure', undefined);
      } catch (error) {
        if (signal.aborted) return;
        health.round('comparing with Azure', error);
        logger.warn({ code: codeOf(error), error: messageOf(error) }, 'Azure could not be looked at: trying again');
        await sleep(clock, LOOK_INTERVAL_MILLISECONDS, signal).catch(() => {});
        this.#isSuspicious = true;
      }
    }
  }

  /** One look at everything. */
  async check(signal: AbortSignal): Promise<void> {
    const { engine, repository, sweep, clock, logger } = this.#options;
    this.#isSuspicious = false;
    this.#lookedAt = clock.monotonic();
    const setup = await ensureServiceGateway(repository, { signal });
    if (setup.created || setup.attached) logger.warn({ ...setup }, 'the service gateway had to be set up again');
    const listing = await repository.list({ signal });
    const isWanted = (key: ServiceKey) => engine.tracker.wanted.has(key);
    const registered = await takeOver(listing, repository, engine.tracker, isWanted, clock);
    for (const [key, state] of engine.states) this.#compare(key, state);
    const { services, addresses } = sweep.plan(registered, listing.begunAt);
    sweep.carryOut([...services, ...addresses]);
    const families = this.#options.defaultOutboundFamilies();
    if (families !== undefined) ensureDefaultOutboundServiceExists(engine, registered, families);
    engine.tracker.forgiveAll();
    engine.retryParked();
    engine.checkPendingDeletions();
  }

  /** A live service that is not, or not all, there any more is made anew or put right. */
  #compare(key: ServiceKey, state: ServiceState): void {
    const { engine, repository, metrics, logger } = this.#options;
    if (!isLive(state)) return;
    const registration = repository.inventory.registration(key).state;
    if (registration === 'unknown') return;
    const isRegistered = registration === 'present';
    const drifted = state.kind === 'Created' ? differences(repository, state.spec) : isRegistered ? [] : LOST;
    if (drifted.length === 0) return;
    for (const what of drifted) metrics.increment(driftTotal, { what });
    const problem = isRegistered ? 'what a service has outside was changed' : 'the gateway has lost a service';
    logger.warn({ service: key, drifted }, `${problem}: putting it right`);
    engine.onDrift(key, isRegistered);
  }

  /** Resolves after the interval, or soon after a suspicion. */
  async #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    if (!this.#isSuspicious) {
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      const timer = clock.setTimer(milliseconds, resolve);
      this.#wake = resolve;
      try {
        await orAborted(woken, signal);
      } finally {
        timer.cancel();
        this.#wake = undefined;
      }
      if (!this.#isSuspicious) return;
    }
    const sinceLast = clock.monotonic() - this.#lookedAt;
    await sleep(clock, Math.max(SOON_MILLISECONDS, LOOK_INTERVAL_MILLISECONDS - sinceLast), signal);
  }
}

/** What is not as the spec says. That a name is another's by now is told by the attempt to put it right. */
function differences({ scope, inventory }: Repository, spec: ServiceSpec): readonly Drifted[] {
  let plan: CreationPlan;
  try {
    plan = planCreation(scope, spec, inventory);
  } catch {
    return ['owner'];
  }
  const resources = [...plan.prepare, ...plan.tidyUp].map(({ resource }) => resource);
  return [...new Set(resources), ...(plan.register === undefined ? [] : LOST)];
}
