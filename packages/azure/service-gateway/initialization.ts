import { type Clock, codeOf, type Logger, messageOf, orAborted, type Random, untilDone } from '@fairlead/control';
import type { Health } from '@fairlead/part';
import {
  type DefaultOutboundFamilies,
  ensureDefaultOutboundServiceExists,
  ensureServiceGateway,
} from './cloud/gateway-setup.ts';
import type { Listing } from './cloud/inventory.ts';
import type { LeftoverPlan, Leftovers } from './cloud/leftovers.ts';
import { loadObserved, type RegisteredServices } from './cloud/observed.ts';
import type { Repository } from './cloud/repository.ts';
import type { StateChange } from './engine/effects.ts';
import type { Engine } from './engine/engine.ts';
import type { NrpKey } from './engine/nrp-key.ts';
import { BACKOFF } from './engine/retry-policy.ts';
import type { ServiceState } from './engine/service-state.ts';

/** The cluster, as far as it wants something from the gateway. */
export interface ClusterIntake {
  /** All services that the cluster wants now, whether or not they can be served. */
  wantedServices(): ReadonlySet<NrpKey>;
  /** Tells the engine of everything there is now, and from then on of every change. Returns at once. */
  begin(): void;
}

export interface InitializationOptions {
  readonly engine: Engine;
  readonly repository: Repository;
  readonly intake: ClusterIntake;
  readonly leftovers: Leftovers;
  readonly health: Health;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly defaultOutbound: DefaultOutboundFamilies | undefined;
}

/** What is left to be done when the initial sync is complete. */
export interface InitialWork {
  readonly registered: RegisteredServices;
  readonly orphans: LeftoverPlan;
}

/**
 * Brings cluster, Azure and engine together: sets up the gateway and reads both sides, so that the pump may begin when
 * all of it is known; then waits for what there was to do. While Azure is down it says so and tries again; it never
 * gives up and never hangs silently.
 */
export class Initialization {
  readonly #options: InitializationOptions;
  /** Services that have not been tried yet. */
  readonly #pendingServiceOps = new Set<NrpKey>();
  #phase: 'not-begun' | 'services' | 'locations' | 'complete' = 'not-begun';
  readonly #complete = Promise.withResolvers<void>();

  constructor(options: InitializationOptions) {
    this.#options = options;
  }

  /** Resolves when the engine knows all that exists and all that is wanted. Rejects only with the signal's reason. */
  async initializeFromCluster(signal: AbortSignal): Promise<InitialWork> {
    const { engine, repository, intake, leftovers, clock, logger } = this.#options;
    const listing = await this.#readAzure(signal);
    const wanted = intake.wantedServices();
    const registered = await loadObserved(listing, repository, engine.tracker, (key) => wanted.has(key), clock);
    intake.begin();
    const orphans = leftovers.plan(registered, listing.begunAt);
    const { create, locations } = engine.tracker.getSyncOperations();
    const found = { create: create.length, delete: orphans.services.length, locations: locations.length };
    logger.info(found, 'initialized from cluster and Azure: reconciling');
    leftovers.delete(orphans.services);
    for (const [key, state] of engine.states) if (!isSettled(state)) this.#pendingServiceOps.add(key);
    this.#phase = 'services';
    this.#checkInitializationComplete();
    this.#tellWaiting('none of them has failed so far');
    return { registered, orphans };
  }

  /** Resolves when what there was to do was done, and the part is ready. Rejects only with the signal's reason. */
  async waitForInitialSync({ registered, orphans }: InitialWork, signal: AbortSignal): Promise<void> {
    const { engine, leftovers, health, defaultOutbound } = this.#options;
    await orAborted(this.#complete.promise, signal);
    leftovers.delete(orphans.addresses);
    ensureDefaultOutboundServiceExists(engine, registered, defaultOutbound);
    health.started();
  }

  /** A service that fails counts as done once it was tried: one bad object must not keep the part from being ready. */
  stateChanged({ key, after, outcome }: StateChange): void {
    if (outcome !== undefined || isSettled(after)) this.#pendingServiceOps.delete(key);
    this.#checkInitializationComplete();
  }

  /** Addresses were sent; the error is that of what has to be sent again. */
  locationsRound(error: unknown): void {
    if (error !== undefined) {
      if (this.#phase !== 'complete') this.#tellWaiting(messageOf(error));
      return;
    }
    // In a busy cluster some address always differs: one round that went well since the services were there is enough.
    if (this.#phase === 'locations') this.#finish();
    else this.#checkInitializationComplete();
  }

  #checkInitializationComplete(): void {
    if (this.#phase !== 'services') return;
    if ([...this.#pendingServiceOps].some((key) => !this.#cannotGoYet(key))) return;
    this.#phase = 'locations';
    // What Azure refused by itself is left to the comparisons, which begin only then.
    if (this.#options.engine.tracker.locationChanges().length === 0) this.#finish();
  }

  /** Whether the service is to be deleted and has an address that stays: then it does not wait for us. */
  #cannotGoYet(key: NrpKey): boolean {
    const { pendingDeletions, tracker } = this.#options.engine;
    return pendingDeletions.has(key) && tracker.keepsLocations(key);
  }

  #finish(): void {
    this.#phase = 'complete';
    this.#complete.resolve();
  }

  #tellWaiting(why: string): void {
    const { engine, health } = this.#options;
    const services = this.#pendingServiceOps.size;
    const addresses = engine.tracker.dirtyCount;
    health.starting(`waiting for the initial sync of ${services} services and ${addresses} addresses: ${why}`);
  }

  /** Sets up the gateway and lists everything; tries for ever. */
  async #readAzure(signal: AbortSignal): Promise<Listing> {
    const { repository, health, logger } = this.#options;
    const read = async () => {
      health.starting('reading Azure');
      const setup = await ensureServiceGateway(repository, { signal });
      if (setup.created || setup.attached) logger.info({ ...setup }, 'the service gateway is set up');
      return repository.list({ signal });
    };
    const onFailure = (error: unknown, delay: number) => {
      health.starting(`Azure cannot be read: ${messageOf(error)}`);
      logger.warn({ code: codeOf(error), error: messageOf(error), delay }, 'Azure cannot be read: trying again');
    };
    return untilDone(read, { ...this.#options, backoff: BACKOFF, onFailure }, signal);
  }
}

function isSettled(state: ServiceState | undefined): boolean {
  return state === undefined || state.kind === 'Created' || state.kind === 'Parked';
}
