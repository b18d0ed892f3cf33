import {
  Backoff,
  type Clock,
  codeOf,
  type IpFamily,
  type Logger,
  messageOf,
  orAborted,
  type Random,
  sleep,
} from '@fairlead/control';
import type { Health } from '@fairlead/part';
import { ensureDefaultOutboundServiceExists, ensureServiceGateway } from './cloud/gateway-setup.ts';
import type { Leftovers } from './cloud/leftovers.ts';
import { loadObserved } from './cloud/observed.ts';
import type { Repository, WorldListing } from './cloud/repository.ts';
import type { StateChange } from './engine/effects.ts';
import type { NrpKey } from './engine/nrp-key.ts';
import { BACKOFF } from './engine/retry-policy.ts';
import type { ServiceState } from './engine/service-state.ts';
import type { RunningEngine } from './pump.ts';

/** The cluster, as far as it wants something from the gateway. */
export interface ClusterIntake {
  /** All services that the cluster wants now, whether or not they can be served. */
  wantedServices(): ReadonlySet<NrpKey>;
  /** Tells the engine of everything there is now, and from then on of every change. Returns at once. */
  begin(listing: WorldListing): void;
}

export interface InitializationOptions {
  readonly running: RunningEngine;
  readonly repository: Repository;
  readonly intake: ClusterIntake;
  readonly leftovers: Leftovers;
  readonly health: Health;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The families of the default outbound service, or undefined when we do not see to it. */
  readonly defaultOutboundFamilies: () => readonly IpFamily[] | undefined;
}

/**
 * Brings cluster, Azure and engine together: sets up the gateway, reads both sides, and only when all of it is known
 * lets the updaters begin. While Azure is down it says so and tries again; it never gives up and never hangs silently.
 */
export class Initialization {
  readonly #options: InitializationOptions;
  readonly #sync: InitialSync;

  constructor(options: InitializationOptions) {
    this.#options = options;
    const { engine } = options.running;
    this.#sync = new InitialSync({
      areLocationsInStep: () => engine.tracker.isInSync,
      waitsForPod: (key) => engine.pendingDeletions.has(key) && engine.tracker.keepsLocations(key),
    });
  }

  stateChanged(change: StateChange): void {
    this.#sync.stateChanged(change);
  }

  locationsRound(error: unknown): void {
    this.#sync.locationsRound(error);
    if (error !== undefined && !this.#sync.isComplete) this.#tellWaiting(messageOf(error));
  }

  /** Resolves when the initial sync is complete. Rejects only with the signal's reason. */
  async initializeFromCluster(signal: AbortSignal): Promise<void> {
    const { running, repository, intake, leftovers, health, clock, logger } = this.#options;
    const { engine } = running;
    const listing = await this.#readAzure(signal);
    const wanted = intake.wantedServices();
    const registered = await loadObserved(listing, repository, engine.tracker, (key) => wanted.has(key), clock);
    intake.begin(listing);
    const orphans = leftovers.plan(registered, listing.begunAt);
    const { create, locations } = engine.tracker.getSyncOperations();
    const found = { create: create.length, delete: orphans.services.length, locations: locations.length };
    logger.info(found, 'initialized from cluster and Azure: reconciling');
    leftovers.delete(orphans.services);
    this.#sync.begin(engine.states);
    running.release();
    this.#tellWaiting('none of them has failed so far');
    await this.#sync.waitForInitialSync(signal);
    leftovers.delete(orphans.addresses);
    const families = this.#options.defaultOutboundFamilies();
    if (families !== undefined) ensureDefaultOutboundServiceExists(engine, registered, families);
    health.started();
  }

  #tellWaiting(why: string): void {
    const { running, health } = this.#options;
    const addresses = running.engine.tracker.dirtyCount;
    health.starting(
      `waiting for the initial sync of ${this.#sync.pending} services and ${addresses} addresses: ${why}`,
    );
  }

  /** Sets up the gateway and lists everything; tries for ever. */
  async #readAzure(signal: AbortSignal): Promise<WorldListing> {
    const { repository, health, clock, random, logger } = this.#options;
    const backoff = new Backoff(random, BACKOFF);
    for (;;) {
      try {
        health.starting('reading Azure');
        const setup = await ensureServiceGateway(repository, { signal });
        if (setup.created || setup.attached) logger.info({ ...setup }, 'the service gateway is set up');
        return await repository.list({ signal });
      } catch (error) {
        signal.throwIfAborted();
        health.starting(`Azure cannot be read: ${messageOf(error)}`);
        const delay = backoff.next();
        logger.warn({ code: codeOf(error), error: messageOf(error), delay }, 'Azure cannot be read: trying again');
        await sleep(clock, delay, signal);
      }
    }
  }
}

export interface InitialSyncOptions {
  readonly areLocationsInStep: () => boolean;
  /** Whether the service is to be deleted and has an address that stays: it waits for a pod, and not for us. */
  readonly waitsForPod: (key: NrpKey) => boolean;
}

/**
 * Knows when what initialization found to do was done. A service that fails counts as done once it was tried, and one
 * that waits for a pod does not count: one bad object must not keep the whole part from being ready.
 */
export class InitialSync {
  readonly #options: InitialSyncOptions;
  readonly #pendingServiceOps = new Set<NrpKey>();
  #phase: 'not-begun' | 'services' | 'locations' | 'complete' = 'not-begun';
  readonly #complete = Promise.withResolvers<void>();

  constructor(options: InitialSyncOptions) {
    this.#options = options;
  }

  /** How many services have not been tried yet. */
  get pending(): number {
    return this.#pendingServiceOps.size;
  }

  get isComplete(): boolean {
    return this.#phase === 'complete';
  }

  /** From now on it waits for these services, as far as they are not as they should be, and then for the addresses. */
  begin(states: ReadonlyMap<NrpKey, ServiceState>): void {
    for (const [key, state] of states) if (!isSettled(state)) this.#pendingServiceOps.add(key);
    this.#phase = 'services';
    this.#checkInitializationComplete();
  }

  stateChanged({ key, after, outcome }: StateChange): void {
    if (outcome !== undefined || isSettled(after)) this.#pendingServiceOps.delete(key);
    this.#checkInitializationComplete();
  }

  /** Addresses were sent; the error is that of what has to be sent again. */
  locationsRound(error: unknown): void {
    if (error !== undefined) return;
    // In a busy cluster some address always differs: one round that went well since the services were there is enough.
    if (this.#phase === 'locations') this.#finish();
    else this.#checkInitializationComplete();
  }

  /** Rejects with the signal's reason. */
  waitForInitialSync(signal: AbortSignal): Promise<void> {
    return orAborted(this.#complete.promise, signal);
  }

  #checkInitializationComplete(): void {
    if (this.#phase !== 'services') return;
    const { areLocationsInStep, waitsForPod } = this.#options;
    if ([...this.#pendingServiceOps].some((key) => !waitsForPod(key))) return;
    this.#phase = 'locations';
    if (areLocationsInStep()) this.#finish();
  }

  #finish(): void {
    this.#phase = 'complete';
    this.#complete.resolve();
  }
}

function isSettled(state: ServiceState | undefined): boolean {
  return state === undefined || state.kind === 'Created' || state.kind === 'Parked';
}
