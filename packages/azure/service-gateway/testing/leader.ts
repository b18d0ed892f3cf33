import { Journal, type Metrics, noMetrics, seededRandom, silentLogger, type VirtualClock } from '@fairlead/control';
import type { EventMessage } from '@fairlead/kube';
import { Comparison, Health, type Readiness } from '@fairlead/part';
import type { ArmEmulator } from '@fairlead/sim/azure';
import { AzureComparison } from '../cloud/comparison.ts';
import { Inventory } from '../cloud/inventory.ts';
import { Leftovers } from '../cloud/leftovers.ts';
import { Repository } from '../cloud/repository.ts';
import type { Endpoints } from '../engine/difftracker.ts';
import type { EgressPod } from '../engine/egress-pods.ts';
import type { NrpKey } from '../engine/nrp-key.ts';
import { failureOf } from '../engine/retry-policy.ts';
import type { InboundSpec, OutboundSpec } from '../engine/service-spec.ts';
import { Initialization } from '../initialization.ts';
import { RunningEngine } from '../pump.ts';
import { newArmClient, scope } from './azure-bench.ts';

/** What the cluster wants: a stand-in for the caches. */
export interface Cluster {
  services: { readonly spec: InboundSpec; readonly endpoints: Endpoints; readonly refused?: unknown }[];
  pods: { readonly spec: OutboundSpec; readonly pod: Omit<EgressPod, 'egress'> }[];
}

/** One leader's life: from initialization on, until it is stopped. */
export class Leader {
  readonly running: RunningEngine;
  readonly readiness: Readiness[] = [];
  readonly comparison: Comparison;
  readonly holds: string[] = [];
  readonly repository: Repository;
  isInitialized = false;
  readonly #stop = new AbortController();
  readonly #clock: VirtualClock;

  constructor(
    clock: VirtualClock,
    azure: ArmEmulator,
    cluster: Cluster,
    keepsDefaultOutbound = false,
    metrics: Metrics = noMetrics,
  ) {
    this.#clock = clock;
    const shared = { clock, random: seededRandom(5), logger: silentLogger, metrics };
    this.repository = new Repository(newArmClient(clock, azure), scope, new Inventory(clock), () => clock.monotonic());
    const health = new Health({ set: (readiness) => this.readiness.push(readiness) });
    this.running = new RunningEngine({
      ...shared,
      repository: this.repository,
      journal: new Journal(clock),
      limits: { addresses: 2_000, bytes: 1_000_000 },
      signal: this.#stop.signal,
      journalKey: (key) => key,
      observer: {
        stateChanged: (change) => initialization.stateChanged(change),
        podsDrained: () => {},
        addressRefused: () => {},
        locationsRound: (error) => initialization.locationsRound(error),
        driftSuspected: (why) => this.comparison.suspect(why),
      },
    });
    const { engine } = this.running;
    const common = { ...shared, engine, repository: this.repository, health };
    const events = { record: ({ note }: EventMessage) => this.holds.push(note) };
    const leftovers = new Leftovers({ ...common, keepsDefaultOutbound, cluster: events });
    const defaultOutboundFamilies = () => (keepsDefaultOutbound ? (['IPv4'] as const) : undefined);
    const azureComparison = new AzureComparison({ ...common, leftovers, defaultOutboundFamilies });
    this.comparison = new Comparison({
      ...common,
      outside: 'Azure',
      intervalMilliseconds: 600_000,
      compare: (signal) => azureComparison.compare(signal),
    });
    const intake = {
      wantedServices: () =>
        new Set<NrpKey>([...cluster.services.map(({ spec }) => spec.key), ...cluster.pods.map(({ spec }) => spec.key)]),
      begin: () => {
        for (const { spec, endpoints, refused } of cluster.services) {
          if (refused === undefined) engine.addService(spec);
          else engine.refuseService(spec.key, failureOf(refused));
          engine.updateEndpoints(spec.key, endpoints);
        }
        for (const { spec, pod } of cluster.pods) engine.addPod(spec, pod);
      },
    };
    const initialization = new Initialization({
      ...common,
      running: this.running,
      intake,
      leftovers,
      defaultOutboundFamilies,
    });
    const { signal } = this.#stop;
    void this.#run(initialization, signal);
  }

  async #run(initialization: Initialization, signal: AbortSignal): Promise<void> {
    await initialization.initializeFromCluster(signal).catch(() => {});
    this.isInitialized = !signal.aborted;
    await this.comparison.run(signal);
  }

  get engine() {
    return this.running.engine;
  }

  get isReady(): boolean {
    return this.readiness.at(-1)?.ready ?? false;
  }

  stop(): void {
    this.#stop.abort(new Error('stopped'));
  }

  async settle(limitMilliseconds = 120_000): Promise<void> {
    const isSettled = () =>
      this.isInitialized &&
      this.engine.oldestUnsettledSince === undefined &&
      this.engine.tracker.locationChanges().length === 0;
    if (!(await this.#clock.runUntil(isSettled, limitMilliseconds))) {
      const states = Object.fromEntries([...this.engine.states].map(([key, { kind }]) => [key, kind]));
      throw new Error(`not settled: ${JSON.stringify(states)}; ${JSON.stringify(this.readiness.at(-1))}`);
    }
  }
}
