import {
  Backoff,
  type Clock,
  codeOf,
  type IpFamily,
  type Logger,
  messageOf,
  type Random,
  sleep,
} from '@fairlead/control';
import type { Health } from '@fairlead/part';
import { ensureDefaultOutboundServiceExists } from './default-outbound.ts';
import type { StateChange } from './engine-listener.ts';
import { ensureServiceGateway } from './gateway-setup.ts';
import { InitialSync } from './initial-sync.ts';
import { takeOver } from './observation.ts';
import type { Repository, WorldListing } from './repository.ts';
import { BACKOFF } from './retry-policy.ts';
import type { RunningEngine } from './running-engine.ts';
import type { ServiceKey } from './service-key.ts';
import type { Sweep } from './sweep.ts';

/** The cluster, as far as it wants something from the gateway. */
export interface ClusterIntake {
  /** All services that the cluster wants now, whether or not they can be served. */
  wantedServices(): ReadonlySet<ServiceKey>;
  /** Tells the engine of everything there is now, and from then on of every change. Returns at once. */
  begin(listing: WorldListing): void;
}

export interface InitializationOptions {
  readonly running: RunningEngine;
  readonly repository: Repository;
  readonly intake: ClusterIntake;
  readonly sweep: Sweep;
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
    const { running, repository, intake, sweep, health, clock, logger } = this.#options;
    const { engine } = running;
    const listing = await this.#readAzure(signal);
    const wanted = intake.wantedServices();
    const registered = await takeOver(listing, repository, engine.tracker, (key) => wanted.has(key), clock);
    intake.begin(listing);
    const orphans = sweep.plan(registered, listing.begunAt);
    const { create, locations } = engine.tracker.getSyncOperations();
    const found = { create: create.length, delete: orphans.services.length, locations: locations.length };
    logger.info(found, 'initialized from cluster and Azure: reconciling');
    sweep.carryOut(orphans.services);
    this.#sync.begin(engine.states);
    running.release();
    this.#tellWaiting('none of them has failed so far');
    await this.#sync.waitForInitialSync(signal);
    sweep.carryOut(orphans.addresses);
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
