import {
  Backoff,
  type Clock,
  type Journal,
  type Logger,
  type Metrics,
  messageOf,
  type Random,
  sleep,
} from '@fairlead/control';
import { type ApiConnection, CacheFactory, Election, EventRecorder, KubeClient, type Leadership } from '@fairlead/kube';
import { CacheReadiness } from './cache-readiness.ts';
import type { ConfiguredPart } from './part.ts';
import type { ReadinessReport } from './readiness.ts';

export interface PartRunOptions {
  /** The part's name: its Lease, its Events and its logs carry it. */
  readonly part: string;
  readonly configured: ConfiguredPart;
  readonly connection: ApiConnection;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly journal: Journal;
  readonly readiness: ReadinessReport;
  /** Where the Lease lives. */
  readonly namespace: string;
  /** Who we are among the replicas, such as the name of the Pod. */
  readonly replica: string;
  readonly leaseDurationMilliseconds: number;
  readonly defaultClass?: string;
}

/** Each part has a Lease of its own, so that one can move to another replica without the rest. */
export function leaseName(part: string): string {
  return `fairlead-${part}`;
}

function leaseText({ namespace, part }: PartRunOptions): string {
  return `the Lease ${namespace}/${leaseName(part)}`;
}

/**
 * Runs a part whenever we lead it, until the signal aborts. A part that fails is reported not ready and started again:
 * no failure of one part ends another, or the process.
 */
export async function runPart(options: PartRunOptions, signal: AbortSignal): Promise<void> {
  const { clock, random, logger, readiness } = options;
  const backoff = new Backoff(random);
  while (!signal.aborted) {
    readiness.set({ ready: false, reason: `looking for ${leaseText(options)}` });
    try {
      await electionFor(options).run(signal, (leadership) => lead(options, leadership));
      backoff.reset();
    } catch (error) {
      readiness.set({ ready: false, reason: messageOf(error) });
      logger.error({ part: options.part, error: messageOf(error) }, 'the part stopped; it is started again');
      await sleep(clock, backoff.next(), signal).catch(() => {});
    }
  }
}

function electionFor(options: PartRunOptions): Election {
  const { connection, clock, random, logger, namespace, part, replica, leaseDurationMilliseconds, readiness } = options;
  return new Election({
    client: new KubeClient(connection, clock),
    clock,
    random,
    logger: logger.child({ part }),
    lease: { namespace, name: leaseName(part) },
    name: replica,
    durationMilliseconds: leaseDurationMilliseconds,
    onState: (state) => {
      if (state.kind !== 'waiting') return;
      const { holder, failure } = state;
      if (failure !== undefined) readiness.set({ ready: false, reason: `${leaseText(options)}: ${failure}` });
      // A replica that stands by is ready: it takes over when the leader falls silent.
      else if (holder !== undefined) readiness.set({ ready: true });
    },
  });
}

async function lead(options: PartRunOptions, leadership: Leadership): Promise<void> {
  const { part, configured, connection, clock, random, metrics, journal, defaultClass } = options;
  const logger = options.logger.child({ part, epoch: leadership.epoch });
  const client = new KubeClient(connection, clock);
  const { signal } = leadership;
  const events = new EventRecorder({
    controller: `fairlead.dev/${part}`,
    instance: options.replica,
    client,
    clock,
    random,
    logger,
    metrics,
  });
  const onStatus = () => readiness.tell();
  const caches = new CacheFactory({ connection, clock, random, logger, metrics, signal, onStatus });
  const readiness = new CacheReadiness(options.readiness, () => caches.statuses(), signal);
  readiness.tell();
  try {
    await configured.start({
      client,
      clock,
      random,
      logger,
      metrics,
      journal,
      events,
      leadership,
      caches,
      readiness,
      signal,
      ...(defaultClass === undefined ? {} : { defaultClass }),
    });
  } finally {
    events.close();
  }
}
