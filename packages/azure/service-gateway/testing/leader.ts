import { Journal, type Metrics, noMetrics, seededRandom, silentLogger, type VirtualClock } from '@fairlead/control';
import type { EventMessage } from '@fairlead/kube';
import { Comparison, Health, type Readiness } from '@fairlead/part';
import type { ArmEmulator } from '@fairlead/sim/azure';
import { AzureComparison } from '../cloud/comparison.ts';
import { Inventory } from '../cloud/inventory.ts';
import { Leftovers } from '../cloud/leftovers.ts';
import { Repository } from '../cloud/repository.ts';
import type { Endpoints } from '../engine/difftracker.ts';
import type { Notice } from '../engine/effects.ts';
import type { EgressPod } from '../engine/egress-pods.ts';
import type { Engine } from '../engine/engine.ts';
import { failureOf } from '../engine/retry-policy.ts';
import type { InboundSpec, OutboundSpec } from '../engine/service-spec.ts';
import { type ClusterIntake, Initialization } from '../initialization.ts';
import { EnginePump } from '../pump.ts';
import { StateJournal } from '../report/state-journal.ts';
import { newArmClient, scope } from './azure-bench.ts';

/** What the cluster wants: a stand-in for the caches. */
export interface Cluster {
  services: { readonly spec: InboundSpec; readonly endpoints: Endpoints; readonly refused?: unknown }[];
  pods: { readonly spec: OutboundSpec; readonly pod: Omit<EgressPod, 'egress'> }[];
}

/** One leader's life: from initialization on, until it is stopped. */
export class Leader {
  readonly readiness: Readiness[] = [];
  readonly holds: string[] = [];
  readonly repository: Repository;
  isInitialized = false;
  readonly #pump: EnginePump;
  readonly #health: Health;
  readonly #comparison: Comparison;
  readonly #initialization: Initialization;
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
    this.repository = new Repository(newArmClient(clock, azure), scope, new Inventory(clock), clock);
    this.#health = new Health({ set: (readiness) => this.readiness.push(readiness) });
    const { signal } = this.#stop;
    this.#pump = new EnginePump({
      ...shared,
      repository: this.repository,
      journal: new StateJournal(new Journal(clock), clock, new Map()),
      limits: { addresses: 2_000, bytes: 1_000_000 },
      signal,
    });
    const { engine } = this;
    const events = { record: ({ note }: EventMessage) => this.holds.push(note) };
    const common = {
      ...shared,
      engine,
      repository: this.repository,
      health: this.#health,
      leftovers: new Leftovers({
        ...shared,
        engine,
        repository: this.repository,
        keepsDefaultOutbound,
        cluster: events,
      }),
      defaultOutbound: keepsDefaultOutbound ? ({ families: ['IPv4'] } as const) : undefined,
    };
    const azureComparison = new AzureComparison(common);
    this.#comparison = new Comparison({
      ...common,
      outside: 'Azure',
      intervalMilliseconds: 600_000,
      compare: (stop) => azureComparison.compare(stop),
    });
    this.#initialization = new Initialization({ ...common, intake: intakeOf(cluster, engine) });
    void this.#run(signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const work = await this.#initialization.initializeFromCluster(signal).catch(() => undefined);
    if (work === undefined) return;
    void this.#pump.run((notice) => this.#onNotice(notice), signal);
    await this.#initialization.waitForInitialSync(work, signal).catch(() => {});
    this.isInitialized = !signal.aborted;
    await this.#comparison.run(signal);
  }

  #onNotice(notice: Notice): void {
    if (notice.kind === 'state-changed') this.#initialization.stateChanged(notice);
    if (notice.kind === 'locations-round') this.#initialization.locationsRound(notice.error);
    if (notice.kind === 'drift-suspected') this.#comparison.suspect(notice.why);
  }

  get engine() {
    return this.#pump.engine;
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

function intakeOf(cluster: Cluster, engine: Engine): ClusterIntake {
  return {
    wantedServices: () => new Set([...cluster.services, ...cluster.pods].map(({ spec }) => spec.key)),
    begin: () => {
      for (const { spec, endpoints, refused } of cluster.services) {
        if (refused === undefined) engine.addService(spec);
        else engine.refuseService(spec.key, failureOf(refused));
        engine.updateEndpoints(spec.key, endpoints);
      }
      for (const { spec, pod } of cluster.pods) engine.addPod(spec, pod);
    },
  };
}
