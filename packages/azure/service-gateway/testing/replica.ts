import { withinLease } from '@fairlead/cloud';
import { FairleadError, Journal, noMetrics, seededRandom, silentLogger, type VirtualClock } from '@fairlead/control';
import { CacheFactory, EventRecorder, KubeClient } from '@fairlead/kube';
import type { Readiness, RunEnvironment } from '@fairlead/part';
import type { ArmEmulator } from '@fairlead/sim/azure';
import { ArmClient } from '../../arm/index.ts';
import { serviceGatewayConfiguration } from '../configuration.ts';
import { ServiceGatewayController } from '../controller.ts';
import { scope } from './azure-bench.ts';
import type { TestCluster } from './cluster.ts';

/** The controller on a simulated cluster and an emulated Azure, until it is stopped. */
export class Replica {
  readonly controller: ServiceGatewayController;
  readonly journal: Journal;
  /** Whether the lease is long enough for a call. */
  mayWrite = true;
  readiness: Readiness = { ready: false, reason: 'not begun' };
  readonly ended: Promise<void>;
  readonly #clock: VirtualClock;
  readonly #stop = new AbortController();

  constructor(cluster: TestCluster, azure: ArmEmulator, section: object = {}, defaultClass?: string) {
    const { clock } = cluster;
    this.#clock = clock;
    this.journal = new Journal(clock);
    const shared = { clock, random: seededRandom(11), logger: silentLogger, metrics: noMetrics };
    const { signal } = this.#stop;
    const connection = cluster.connection();
    const client = new KubeClient(connection, clock);
    const environment: RunEnvironment = {
      ...shared,
      client,
      caches: new CacheFactory({ ...shared, connection, signal }),
      journal: this.journal,
      events: new EventRecorder({ ...shared, client, controller: 'fairlead.dev/test', instance: 'replica' }),
      leadership: { epoch: 1, signal, covers: () => this.mayWrite },
      readiness: { set: (readiness) => (this.readiness = readiness) },
      signal,
      ...(defaultClass === undefined ? {} : { defaultClass }),
    };
    const transport = azure;
    const beforeCall = withinLease(environment.leadership);
    const arm = new ArmClient({ ...shared, endpoint: 'https://arm.test', userAgent: 'test', transport, beforeCall });
    const cloud = { subscriptionId: 'sub', resourceGroup: 'cluster', location: 'westeurope' };
    const configuration = serviceGatewayConfiguration.parse({ cloud, defaultOutbound: false, ...section });
    this.controller = new ServiceGatewayController({ environment, azure: arm, scope, configuration });
    this.ended = this.controller.run().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  stop(): void {
    this.#stop.abort(new FairleadError('stopped', { verdict: 'stale', code: 'shutting-down' }));
  }

  /** Lets time pass until nothing is left to do. */
  async settle(limitMilliseconds = 60_000): Promise<void> {
    const { engine } = this.controller;
    await this.#clock.advance(200);
    const isSettled = () =>
      this.readiness.ready &&
      engine.oldestUnsettledSince === undefined &&
      engine.tracker.locationChanges().length === 0;
    if (!(await this.#clock.runUntil(isSettled, limitMilliseconds))) {
      const states = Object.fromEntries([...engine.states].map(([key, { kind }]) => [key, kind]));
      throw new Error(`not settled: ${JSON.stringify(states)} ${JSON.stringify(this.readiness)}`);
    }
    // What follows in the cluster: status, finalizers.
    await this.#clock.advance(200);
  }
}
