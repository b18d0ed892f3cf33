import { type Clock, every, type Logger, type Metrics, messageOf, type Random } from '@fairlead/control';
import {
  type ApiConnection,
  CacheFactory,
  type ConfigMap,
  configMaps,
  type EndpointSlice,
  endpointSlices,
  jsonEqual,
  KubeClient,
  type KubeObject,
  type Lease,
  type Leadership,
  leasedWrite,
  leases,
  microTime,
  type SharedCache,
} from '@fairlead/kube';
import type { Settings } from '../decision/settings.ts';
import type { ServiceImport } from '../mcs/types.ts';
import { CLUSTERSET } from '../records/marks.ts';
import { keyOfRecord, partsOfExportedSlice } from '../records/names.ts';
import { Selection } from './selection.ts';
import { type BrokerState, membershipState } from './view.ts';

/** A broker that cannot be read for so long is away; shorter, it is as when nothing happens. */
const AWAY_AFTER_MILLISECONDS = 60_000;
const HEARTBEAT_MILLISECONDS = 20_000;
const LOOK_MILLISECONDS = 5_000;

/** Of one family each, or of a headless Service with thousands of pods; on average. */
const SLICES_PER_SERVICE = 4;

const recordKey = ({ metadata }: KubeObject) => keyOfRecord(metadata.name);
const sliceKey = ({ metadata }: KubeObject) => partsOfExportedSlice(metadata.name)?.key;

/** A cluster that can be asked. */
export interface ConnectedCluster {
  readonly connection: ApiConnection;
  /** Where it is and how it is recognised, as a kubeconfig has it. */
  readonly entry: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** How a part gets to further clusters; handed in, so that a simulation can stand there. Reads no more than credentials. */
export type Connect = (
  where: { readonly kubeconfig: string; readonly context?: string | undefined },
  signal: AbortSignal,
) => Promise<ConnectedCluster>;

export interface BrokerCaches {
  readonly imports: SharedCache<ServiceImport>;
  readonly slices: SharedCache<EndpointSlice>;
  readonly leases: SharedCache<Lease>;
  readonly registrations: SharedCache<ConfigMap>;
}

export interface BrokerLinkOptions {
  readonly connection: ApiConnection;
  readonly settings: Settings;
  /** Of this cluster, once it is known. */
  readonly uid: () => string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly leadership: Leadership;
  readonly signal: AbortSignal;
  /** Whether Services of this namespace are imported or exported here. */
  readonly takesPart: (namespace: string) => boolean;
  /** Is told of a namespace at the broker of which not everything is read. */
  readonly onOverflow: (namespace: string, most: number) => void;
}

/** The way to the broker: what is read there, whether that can be gone by, and the sign that this cluster is alive. */
export class BrokerLink {
  readonly client: KubeClient;
  readonly caches: BrokerCaches;
  readonly #options: BrokerLinkOptions;
  /** Since when nothing could be read, by monotonic time. */
  #blindSince: number | undefined;
  #onState: (state: BrokerState) => void = () => {};
  readonly #startedAt: number;
  readonly #selections: readonly Selection[];
  /** The per-cluster ServiceImports of older software, where clusters are named that have it. */
  readonly older: SharedCache<ServiceImport> | undefined;
  #state: BrokerState = { state: 'unavailable', reason: 'The broker has not been read yet.', isLasting: false };

  constructor(options: BrokerLinkOptions) {
    const { connection, clock, settings } = options;
    this.#options = options;
    this.#startedAt = clock.monotonic();
    this.client = new KubeClient(connection, clock);
    const caches = new CacheFactory({ ...options, onStatus: () => this.#look() });
    const labelSelector = `${CLUSTERSET}=${settings.clusterset}`;
    const namesUs = ({ metadata, status }: ServiceImport) =>
      metadata.namespace === settings.brokerNamespace &&
      (status?.clusters ?? []).some(({ cluster }) => cluster === settings.cluster);
    const imports = new Selection({ ...options, most: settings.mostServices, keyOf: recordKey });
    const slices = new Selection({ ...options, most: settings.mostServices * SLICES_PER_SERVICE, keyOf: sliceKey });
    this.#selections = [imports, slices];
    const { older } = settings;
    if (older.clusters.length > 0) {
      this.older = caches.cache(settings.brokerImports, { namespace: older.brokerNamespace });
    }
    this.caches = {
      imports: caches.selected(settings.brokerImports, (one) => imports.isWanted(one, namesUs(one)), { labelSelector }),
      slices: caches.selected(endpointSlices, (one) => slices.isWanted(one), { labelSelector }),
      leases: caches.cache(leases, { namespace: settings.brokerNamespace, labelSelector }),
      registrations: caches.cache(configMaps, { namespace: settings.brokerNamespace, labelSelector }),
    };
    this.caches.imports.subscribe((change) => change.type === 'delete' && imports.forget(change.before));
    this.caches.slices.subscribe((change) => change.type === 'delete' && slices.forget(change.before));
    this.caches.leases.subscribe(() => this.#look());
    this.caches.registrations.subscribe(() => this.#look());
  }

  /** A namespace takes part from now on: what was left out of it is read. */
  want(namespace: string): void {
    const lacking = this.#selections.map((one) => one.lacks(namespace));
    if (!lacking.includes(true)) return;
    for (const one of this.#selections) one.startOver();
    this.caches.imports.relist();
    this.caches.slices.relist();
  }

  get state(): BrokerState {
    return this.#state;
  }

  /**
   * Renews our Lease, and keeps looking whether the broker is there, until the signal aborts. `onState` is told when it
   * can be gone by, and when no longer.
   */
  async run(onState: (state: BrokerState) => void): Promise<void> {
    this.#onState = onState;
    onState(this.#state);
    const { clock, signal } = this.#options;
    await Promise.all([every(clock, LOOK_MILLISECONDS, signal, () => this.#look()), this.#beat()]);
  }

  #look(): void {
    const { clock, logger } = this.#options;
    const all = Object.values(this.caches).map(({ status }) => status);
    const isBlind = all.some((status) => status.isBlind);
    this.#blindSince = isBlind ? (this.#blindSince ?? clock.monotonic()) : undefined;
    const next = this.#judge(
      all.find(({ synced }) => !synced)?.failure?.message,
      all.every(({ synced }) => synced),
    );
    if (jsonEqual(this.#state, next)) return;
    this.#state = next;
    if (next.state === 'in-step') logger.info({}, 'in step with the broker');
    else logger.warn({ reason: next.reason }, 'without the broker: what is in the cluster stays as it is');
    this.#onState(next);
  }

  #judge(failure: string | undefined, isSynced: boolean): BrokerState {
    const { clock, settings, uid } = this.#options;
    if (!isSynced) {
      const reason = failure === undefined ? 'The broker has not been read yet.' : 'The broker cannot be read.';
      const isLasting = clock.monotonic() - this.#startedAt >= AWAY_AFTER_MILLISECONDS;
      return { state: 'unavailable', reason, isLasting };
    }
    const blindFor = this.#blindSince === undefined ? 0 : clock.monotonic() - this.#blindSince;
    if (blindFor >= AWAY_AFTER_MILLISECONDS) {
      return { state: 'unavailable', reason: 'The broker cannot be read.', isLasting: true };
    }
    return membershipState(this.caches, uid(), settings);
  }

  /** The sign of life. Where it cannot be given, others go by their policy for clusters that fell silent. */
  async #beat(): Promise<void> {
    const { clock, leadership, logger, settings, signal, uid } = this.#options;
    const key = { namespace: settings.brokerNamespace, name: settings.cluster };
    await every(clock, HEARTBEAT_MILLISECONDS, signal, async () => {
      // Another cluster may have the name by now, and its Lease with it.
      const { registrations } = this.caches;
      if (!registrations.hasSynced || membershipState(this.caches, uid(), settings).state === 'unavailable') return;
      try {
        const spec = { renewTime: microTime(clock.now()), holderIdentity: settings.cluster };
        await this.client.patchMerge<Lease>(
          leases,
          key,
          { spec },
          leasedWrite(leadership, 'fairlead-clusterset', signal),
        );
      } catch (error) {
        if (!signal.aborted) logger.debug({ error: messageOf(error) }, 'the Lease at the broker could not be renewed');
      }
    });
  }
}
