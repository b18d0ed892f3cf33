import {
  type Clock,
  FairleadError,
  isRecord,
  messageOf,
  type Random,
  readText,
  type Timer,
  untilDone,
  withDeadline,
} from '@fairlead/control';
import type { ApiConnection, CacheStatus } from '@fairlead/kube';
import type { ReadinessReport } from './part.ts';

/**
 * For so long a leader may see nothing of what it caches before it gives its Lease back. That it leads all the while
 * tells blindness from an outage: when the API server is away altogether, the Lease cannot be renewed, and is lost
 * within seconds. An API server that is restarted behind others, or fills its watch cache anew, may refuse lists and
 * watches for two minutes; after that they are tried again within half a minute.
 */
export const BLIND_MILLISECONDS = 180_000;

const PROBE_DEADLINE_MILLISECONDS = 10_000;

/** Watches the caches of a leader, and says when it has been blind for too long. */
export class CacheWatchdog {
  readonly #clock: Clock;
  readonly #blind = new AbortController();
  #timer: Timer | undefined;
  #unreadable: readonly CacheStatus[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborts when it has been blind for too long; its reason says why. */
  get signal(): AbortSignal {
    return this.#blind.signal;
  }

  /** The paths of the collections that could not be read when it was last looked at. */
  get unreadable(): readonly string[] {
    return this.#unreadable.map(({ path }) => path);
  }

  /** To be called whenever the status of a cache has changed. */
  look(caches: readonly CacheStatus[]): void {
    this.#unreadable = caches.filter(({ isBlind }) => isBlind);
    if (this.#unreadable.length === 0) this.close();
    else this.#timer ??= this.#clock.setTimer(BLIND_MILLISECONDS, () => this.#blind.abort(blindness(this.#unreadable)));
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

function blindness(caches: readonly CacheStatus[]): FairleadError {
  const reasons = caches.map(({ name, failure }) => `${name}: ${failure?.message ?? 'no answer'}`);
  const message = `gave the Lease back, as this replica cannot read what it needs: ${reasons.join('; ')}`;
  return new FairleadError(message, { verdict: 'retriable', code: 'leader-blind' });
}

export interface ProbeOptions {
  readonly connection: ApiConnection;
  readonly clock: Clock;
  readonly random: Random;
  readonly readiness: ReadinessReport;
}

/**
 * Waits until each of the collections can be read: a replica that gave its Lease back leaves it alone until then. When
 * none can see, the Lease stays where it is instead of wandering among them. Rejects when the signal aborts.
 */
export async function untilReadable(
  options: ProbeOptions,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const readAll = async () => {
    for (const path of paths) await readOne(options, path, signal);
  };
  const onFailure = (error: unknown) => {
    const reason = `leaves the Lease to other replicas, as it cannot read what it needs: ${messageOf(error)}`;
    options.readiness.set({ ready: false, reason });
  };
  await untilDone(readAll, { ...options, onFailure }, signal);
}

/** Lists one object, and watches from there for a moment: who may list and not watch is as blind. */
function readOne({ connection, clock }: ProbeOptions, path: string, signal: AbortSignal): Promise<void> {
  const deadline = { name: `GET ${path}`, milliseconds: PROBE_DEADLINE_MILLISECONDS };
  return withDeadline(clock, deadline, signal, async (within) => {
    const read = { method: 'GET', path, signal: within } as const;
    const list: unknown = JSON.parse(await readText(await connection.send({ ...read, query: { limit: 1 } })));
    const { resourceVersion } = isRecord(list) && isRecord(list['metadata']) ? list['metadata'] : {};
    if (typeof resourceVersion !== 'string') return;
    const query = { watch: true, resourceVersion, timeoutSeconds: 1 };
    const { body } = await connection.send({ ...read, query, streaming: true });
    for await (const _piece of body);
  });
}
