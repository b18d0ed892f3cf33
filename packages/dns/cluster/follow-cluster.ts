import { type McsVersion, servedMcsVersion, serviceImports, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import { messageOf, orAborted, sleep } from '@fairlead/control';
import { type CacheChange, endpointSlices } from '@fairlead/kube';
import type { ReplicaEnvironment } from '@fairlead/part';
import { answersReplaced, zoneNames, zoneServices } from '../metrics.ts';
import type { NameTable, ZoneIndex } from '../zone/index.ts';
import { keptImport, keptSlice } from './projections.ts';

const RETRY_MILLISECONDS = 5_000;
/** Records between two looks at the sockets: some milliseconds. */
const AT_A_TIME = 1_000;

type Environment = Pick<
  ReplicaEnvironment,
  'caches' | 'client' | 'clock' | 'metrics' | 'logger' | 'readiness' | 'signal'
>;

/** Fills the index from the cluster, and keeps it in step; resolves when it is complete for the first time. */
export async function followCluster(index: ZoneIndex, table: NameTable, environment: Environment): Promise<void> {
  const { caches, signal } = environment;
  const flusher = new Flusher(index, table, environment);
  const imports = caches.projected(serviceImports(await waitForMcs(environment)), keptImport);
  const slices = caches.projected(endpointSlices, keptSlice, { labelSelector: SOURCE_CLUSTER });
  await Promise.all([imports.synced(signal), slices.synced(signal)]);
  // A Service that moved, of whose objects only some are new, would seem to be nowhere.
  const whole = true;
  const subscriptions = [
    imports.subscribe(
      (change) => {
        follow(
          change,
          (one) => index.setImport(one),
          (one) => index.removeImport(one),
        );
        flusher.touch();
      },
      { whole },
    ),
    slices.subscribe(
      (change) => {
        follow(
          change,
          (one) => index.setSlice(one),
          (one) => index.removeSlice(one),
        );
        flusher.touch();
      },
      { whole },
    ),
  ];
  await orAborted(Promise.all(subscriptions.map(({ caughtUp }) => caughtUp)), signal);
  await flusher.done();
}

/** What an object was before may have been about another Service. */
function follow<Kept>(change: CacheChange<Kept>, set: (one: Kept) => void, remove: (one: Kept) => void): void {
  if (change.type !== 'add') remove(change.before);
  if (change.type !== 'delete') set(change.after);
}

/** Queries fail until it is there: an operator, or another part, may yet install it. */
async function waitForMcs({ client, clock, logger, readiness, signal }: Environment): Promise<McsVersion> {
  for (;;) {
    try {
      return await servedMcsVersion(client, { signal });
    } catch (error) {
      signal.throwIfAborted();
      readiness.set({ ready: false, reason: messageOf(error) });
      logger.warn({ error: messageOf(error) }, 'the zone has to wait');
    }
    await sleep(clock, RETRY_MILLISECONDS, signal);
  }
}

/** Brings names in step soon after objects changed: many changes of one Service at once cost as one. */
class Flusher {
  readonly #index: ZoneIndex;
  readonly #table: NameTable;
  readonly #environment: Environment;
  #running: Promise<void> | undefined;
  #told = 0;

  constructor(index: ZoneIndex, table: NameTable, environment: Environment) {
    this.#index = index;
    this.#table = table;
    this.#environment = environment;
  }

  touch(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when everything that was changed so far is in step. */
  async done(): Promise<void> {
    await this.#running;
    this.touch();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, metrics } = this.#environment;
    await clock.turn();
    let done = 0;
    for (const records of this.#index.steps()) {
      done += records;
      if (done < AT_A_TIME) continue;
      done = 0;
      await clock.turn();
    }
    this.#running = undefined;
    metrics.set(zoneNames, this.#table.size);
    metrics.set(zoneServices, this.#index.services);
    metrics.increment(answersReplaced, {}, this.#table.replaced - this.#told);
    this.#told = this.#table.replaced;
    if (!this.#index.isInStep) this.touch();
  }
}
