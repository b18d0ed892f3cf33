import {
  FairleadError,
  Journal,
  type Logger,
  type Metrics,
  noMetrics,
  seededRandom,
  silentLogger,
} from '@fairlead/control';
import { CacheFactory, EventRecorder, KubeClient } from '@fairlead/kube';
import type { LeaderEnvironment, Readiness, Start } from '../part.ts';
import type { Releases } from '../releases.ts';
import type { TestCluster } from './test-cluster.ts';

export interface TestLeaderOptions {
  readonly metrics?: Metrics;
  readonly journal?: Journal;
  readonly defaultClass?: string;
  /** Of its leadership; 1 unless told. */
  readonly epoch?: number;
  readonly logger?: Logger;
  readonly releases?: Releases;
}

/** A part in the lead on a test cluster, until it is stopped. */
export class TestLeader {
  readonly journal: Journal;
  /** Whether the Lease outlives the calls that it is asked about. */
  mayWrite = true;
  readiness: Readiness = { ready: false, reason: 'not begun' };
  readonly #cluster: TestCluster;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(cluster: TestCluster, start: Start<LeaderEnvironment>['start'], options: TestLeaderOptions = {}) {
    const { clock } = cluster;
    const { metrics = noMetrics, journal = new Journal(clock), logger = silentLogger } = options;
    const { defaultClass, releases } = options;
    this.#cluster = cluster;
    this.journal = journal;
    const { signal } = this.#stop;
    const connection = cluster.connection();
    const client = new KubeClient(connection, clock);
    const shared = { clock, random: seededRandom(11), logger, metrics };
    const environment: LeaderEnvironment = {
      ...shared,
      client,
      caches: new CacheFactory({ ...shared, connection, signal }),
      journal,
      events: new EventRecorder({ ...shared, client, controller: 'fairlead.dev/test', instance: 'replica' }),
      leadership: { epoch: options.epoch ?? 1, signal, covers: () => this.mayWrite },
      readiness: { set: (readiness) => (this.readiness = readiness) },
      signal,
      ...(defaultClass === undefined ? {} : { defaultClass }),
      ...(releases === undefined ? {} : { releases }),
    };
    this.#ended = start(environment).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Ends the leadership, as a lost Lease does, and waits for what was under way. */
  async stop(): Promise<void> {
    this.#stop.abort(new FairleadError('stopped', { verdict: 'stale', code: 'shutting-down' }));
    let isOver = false;
    const ended = this.#ended.finally(() => (isOver = true));
    await this.#cluster.clock.runUntil(() => isOver, 60_000);
    await ended;
  }
}
