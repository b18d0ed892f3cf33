import {
  Backoff,
  type Clock,
  FairleadError,
  type Journal,
  type Logger,
  type MetricDefinition,
  type Metrics,
  messageOf,
  type Random,
  sleep,
} from '@fairlead/control';
import {
  type ApiConnection,
  CacheFactory,
  Election,
  type ElectionState,
  EventRecorder,
  KubeClient,
  type Leadership,
  leaseMillisecondsFor,
} from '@fairlead/kube';
import { CacheReadiness } from './cache-readiness.ts';
import type {
  LeaderPart,
  NodeEnvironment,
  NodePart,
  ReadinessReport,
  ReplicaEnvironment,
  ReplicaPart,
} from './part.ts';
import { Releases } from './releases.ts';
import { CacheWatchdog, untilReadable } from './cache-watchdog.ts';

/** What a part needs wherever it runs. */
export interface NodePartOptions {
  /** The part's name: its Lease, its Events and its logs carry it. */
  readonly part: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly journal: Journal;
  readonly readiness: ReadinessReport;
}

/** What it needs in a cluster. */
export interface PartRunOptions extends NodePartOptions {
  readonly connection: ApiConnection;
  /** Where the Lease lives. */
  readonly namespace: string;
  /** Who we are among the replicas, such as the name of the Pod. */
  readonly replica: string;
  /** At least: see `longestWriteMilliseconds` of the part. */
  readonly leaseDurationMilliseconds: number;
  readonly defaultClass?: string;
  /** Is told whether we lead. */
  readonly onStanding?: (standing: Standing) => void;
}

/** How a replica stands to a part: `leader` is who leads it, as far as is known. */
export type Standing =
  | { readonly kind: 'leads' }
  | { readonly kind: 'stands-by'; readonly leader?: string | undefined }
  /** A part that every replica runs. */
  | { readonly kind: 'runs' };

/** What failed before a part ran for so long is forgotten. */
const LONG_RUN_MILLISECONDS = 600_000;

export const leading: MetricDefinition = {
  name: 'fairlead_leading',
  kind: 'gauge',
  help: '1 where this replica leads the part, 0 where it stands by.',
  labels: ['part'],
};

/** Each part has a Lease of its own, so that one can move to another replica without the rest. */
export function leaseName(part: string): string {
  return `fairlead-${part}`;
}

/** Runs a part on a cluster, whenever it is our turn, until the signal aborts. */
export function runPart(
  configured: LeaderPart | ReplicaPart,
  options: PartRunOptions,
  signal: AbortSignal,
): Promise<void> {
  if (configured.runs === 'everywhere') {
    options.onStanding?.({ kind: 'runs' });
    return keepRunning(options, signal, 'starting', (stop) =>
      inCluster(options, options.logger.child({ part: options.part }), stop, (environment) =>
        configured.start(environment),
      ),
    );
  }
  let unreadable: readonly string[] = [];
  return keepRunning(options, signal, `looking for ${leaseText(options)}`, async (stop) => {
    await untilReadable(options, unreadable, stop);
    const releases = new Releases(options.part);
    await electionFor(configured, options, releases).run(stop, async (leadership) => {
      const watchdog = new CacheWatchdog(options.clock);
      try {
        await lead(configured, options, leadership, releases, watchdog);
      } finally {
        watchdog.close();
        unreadable = watchdog.unreadable;
        releases.forgetListeners();
      }
      watchdog.signal.throwIfAborted();
    });
  });
}

/** Leads for as long as the Lease is ours and we can see. */
function lead(
  configured: LeaderPart,
  options: PartRunOptions,
  leadership: Leadership,
  releases: Releases,
  watchdog: CacheWatchdog,
): Promise<void> {
  const { epoch } = leadership;
  const logger = options.logger.child({ part: options.part, epoch });
  const signal = AbortSignal.any([leadership.signal, watchdog.signal]);
  const covers = (milliseconds: number) => !signal.aborted && leadership.covers(milliseconds);
  const start = (environment: ReplicaEnvironment) =>
    configured.start({ ...environment, releases, leadership: { epoch, signal, covers } });
  return inCluster(options, logger, signal, start, watchdog);
}

/** Runs a part on a node, for which there is no cluster, until the signal aborts. */
export function runNodePart(configured: NodePart, options: NodePartOptions, signal: AbortSignal): Promise<void> {
  return keepRunning(options, signal, 'starting', (stop) => configured.start(nodeEnvironment(options, stop)));
}

/** A part that fails is reported not ready and started again: no failure of one part ends another, or the process. */
async function keepRunning(
  { part, clock, random, logger, readiness }: NodePartOptions,
  signal: AbortSignal,
  startupReason: string,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const backoff = new Backoff(random);
  while (!signal.aborted) {
    readiness.set({ ready: false, reason: startupReason });
    const startedAt = clock.monotonic();
    try {
      await run(signal);
      backoff.reset();
    } catch (error) {
      if (signal.aborted) return;
      readiness.set({ ready: false, reason: messageOf(error) });
      logger.error({ part, error: messageOf(error) }, 'the part stopped; it is started again');
      if (clock.monotonic() - startedAt >= LONG_RUN_MILLISECONDS) backoff.reset();
      await sleep(clock, backoff.next(), signal).catch(() => {});
    }
  }
}

function electionFor(
  { longestWriteMilliseconds = 0 }: LeaderPart,
  options: PartRunOptions,
  releases: Releases,
): Election {
  let toldHolder: string | undefined;
  const { connection, clock, random, logger, metrics, namespace, part, replica, readiness } = options;
  const { leaseDurationMilliseconds } = options;
  return new Election({
    client: new KubeClient(connection, clock),
    clock,
    random,
    logger: logger.child({ part }),
    lease: { namespace, name: leaseName(part) },
    name: replica,
    durationMilliseconds: Math.max(leaseDurationMilliseconds, leaseMillisecondsFor(longestWriteMilliseconds)),
    onLease: (lease) => releases.observe(lease),
    onState: (state) => {
      metrics.set(leading, state.kind === 'leading' ? 1 : 0, { part });
      options.onStanding?.(standingOf(state));
      if (state.kind !== 'waiting') {
        toldHolder = undefined;
        return;
      }
      const { holder, failure } = state;
      if (holder !== undefined && holder !== toldHolder) {
        logger.info({ part, lease: leaseName(part), leader: holder }, 'standing by: another replica leads');
      }
      toldHolder = holder;
      if (failure !== undefined) readiness.set({ ready: false, reason: `${leaseText(options)}: ${failure}` });
      // A replica that stands by is ready: it takes over when the leader falls silent.
      else if (holder !== undefined) readiness.set({ ready: true });
    },
  });
}

function standingOf(state: ElectionState): Standing {
  if (state.kind === 'leading') return { kind: 'leads' };
  const leader = state.kind === 'waiting' ? state.holder : undefined;
  return { kind: 'stands-by', ...(leader === undefined ? {} : { leader }) };
}

async function inCluster(
  options: PartRunOptions,
  logger: Logger,
  outer: AbortSignal,
  run: (environment: ReplicaEnvironment) => Promise<void>,
  watchdog?: CacheWatchdog,
): Promise<void> {
  const { part, connection, clock, random, metrics, defaultClass } = options;
  // A part that fails is started again in the same process: nothing of this start may outlast it.
  const ended = new AbortController();
  const signal = AbortSignal.any([outer, ended.signal]);
  const client = new KubeClient(connection, clock);
  const reporter = { controller: `fairlead.dev/${part}`, instance: options.replica };
  const events = new EventRecorder({ ...reporter, client, clock, random, logger, metrics });
  // A part may take seconds to come to an end; what it tells then is another replica's to tell.
  signal.addEventListener('abort', () => events.close());
  const onStatus = () => {
    readiness.tell();
    watchdog?.look(caches.statuses());
  };
  const caches = new CacheFactory({ connection, clock, random, logger, metrics, signal, onStatus });
  const readiness = new CacheReadiness(options.readiness, () => caches.statuses(), signal);
  readiness.tell();
  const standing = defaultClass === undefined ? {} : { defaultClass };
  try {
    await run({ ...nodeEnvironment({ ...options, logger, readiness }, signal), client, events, caches, ...standing });
  } finally {
    ended.abort(new FairleadError('the part has stopped', { verdict: 'terminal', code: 'part-stopped' }));
  }
}

function nodeEnvironment(options: NodePartOptions, signal: AbortSignal): NodeEnvironment {
  const { clock, random, logger, metrics, journal, readiness } = options;
  return { clock, random, logger, metrics, journal, readiness, signal };
}

function leaseText({ namespace, part }: PartRunOptions): string {
  return `the Lease ${namespace}/${leaseName(part)}`;
}
