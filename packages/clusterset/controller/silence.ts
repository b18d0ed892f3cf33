import { type Clock, every, type Logger, messageOf, type Metrics } from '@fairlead/control';
import { keyText } from '@fairlead/kube';
import type { Settings } from '../decision/settings.ts';
import { Liveness, parsePolicy, type SilencePolicy } from './liveness.ts';
import { silentClusters } from './metrics.ts';
import { type BrokerStores, type MemberStores, type Standing, slicedFor } from './view.ts';
import { WHEN_SILENT } from '../records/marks.ts';
import { claimsOf } from '../records/registration.ts';
import { trustRecord, trustSlice } from '../records/trust.ts';

const LOOK_MILLISECONDS = 15_000;
/** Of one cluster: a probe takes seconds where nothing answers, and a cluster may export thousands of Services. */
const CONCURRENT_PROBES = 50;

/** Whether something answers at an address: a connection that opens is enough. */
export type Probe = (address: string, port: number, signal: AbortSignal) => Promise<boolean>;

export interface SilenceOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly settings: Settings;
  readonly member: Pick<MemberStores, 'imports'>;
  readonly broker: BrokerStores;
  /** For Services whose export says nothing else. */
  readonly policy: SilencePolicy;
  readonly probe: Probe;
  /** Has a Service looked at again. */
  readonly onChange: (key: string) => void;
}

/** Knows which clusters have fallen silent, and which of their endpoints are not to be used because of that. */
export class Silence {
  readonly #options: SilenceOptions;
  readonly #liveness: Liveness;
  /** `cluster key` -> whether its endpoints answered the last probe. */
  readonly #answers = new Map<string, boolean>();
  #silent: ReadonlySet<string> = new Set();
  /** Clusters whose endpoints are being probed. */
  readonly #probing = new Set<string>();

  constructor(options: SilenceOptions) {
    this.#options = options;
    this.#liveness = new Liveness(options.clock);
  }

  standing(cluster: string, key: string): Standing {
    const membership = this.#liveness.membership(cluster);
    if (membership !== 'member') return membership;
    const answers = this.#answers.get(`${cluster} ${key}`);
    return this.#liveness.isDropped(cluster, this.#policyOf(key), answers) ? 'dropped' : 'alive';
  }

  /** Takes note of the Leases as they are now. */
  see(): void {
    this.#liveness.see(this.#options.broker.leases.list());
  }

  startOver(): void {
    this.#liveness.startOver();
  }

  /** Looks now and then until the signal aborts. */
  async run(canSee: () => boolean, signal: AbortSignal): Promise<void> {
    await every(this.#options.clock, LOOK_MILLISECONDS, signal, () => {
      try {
        if (canSee()) this.#look(signal);
      } catch (error) {
        // The Services of all clusters go on being reconciled, whatever one of them wrote.
        this.#options.logger.error({ error: messageOf(error) }, 'silent clusters cannot be told from others');
      }
    });
  }

  #look(signal: AbortSignal): void {
    const { broker, settings, metrics, onChange } = this.#options;
    const leases = broker.leases.list();
    this.#liveness.see(leases);
    const clusters = leases.map(({ metadata }) => metadata.name).filter((cluster) => cluster !== settings.cluster);
    const silent = new Set(clusters.filter((cluster) => this.#liveness.isSilent(cluster)));
    const concerned = new Set([...this.#silent, ...silent]);
    this.#silent = silent;
    metrics.set(silentClusters, silent.size);
    if (concerned.size === 0) return;
    const records = broker.imports.list().flatMap((record) => {
      const trusted = trustRecord(record, settings);
      return trusted.kind === 'trusted' && concerned.has(trusted.cluster) ? [trusted] : [];
    });
    for (const [cluster, ones] of Map.groupBy(records, (record) => record.cluster)) {
      const keys = ones.map(({ key }) => keyText(key));
      if (silent.has(cluster)) {
        void this.#probeAll(cluster, keys, signal);
        continue;
      }
      for (const key of keys) {
        this.#answers.delete(`${cluster} ${key}`);
        onChange(key);
      }
    }
  }

  /** Each cluster for itself: one whose addresses swallow packets, which takes long, holds up no other. */
  async #probeAll(cluster: string, keys: readonly string[], signal: AbortSignal): Promise<void> {
    const { logger, onChange } = this.#options;
    if (this.#probing.has(cluster)) return;
    this.#probing.add(cluster);
    try {
      for (let start = 0; start < keys.length && this.#silent.has(cluster); start += CONCURRENT_PROBES) {
        const batch = keys.slice(start, start + CONCURRENT_PROBES);
        await Promise.all(batch.map((key) => this.#probe(cluster, key, signal)));
        for (const key of batch) onChange(key);
      }
    } catch (error) {
      logger.error({ cluster, error: messageOf(error) }, 'a silent cluster cannot be probed');
    } finally {
      this.#probing.delete(cluster);
    }
  }

  async #probe(cluster: string, key: string, signal: AbortSignal): Promise<void> {
    const id = `${cluster} ${key}`;
    const target = this.#policyOf(key).kind === 'probe' ? this.#target(cluster, key) : undefined;
    if (target === undefined) {
      this.#answers.delete(id);
      return;
    }
    const answers = await this.#options.probe(target.address, target.port, signal).catch(() => true);
    if (this.#silent.has(cluster)) this.#answers.set(id, answers);
  }

  /** One address with a TCP port; what has none cannot be asked, and is kept. */
  #target(cluster: string, key: string): { readonly address: string; readonly port: number } | undefined {
    const { broker, settings } = this.#options;
    const claims = claimsOf(broker.registrations.list());
    for (const slice of broker.slices.index('key', slicedFor).get(key)) {
      const trusted = trustSlice(slice, settings, claims);
      if (trusted.kind !== 'trusted' || trusted.cluster !== cluster) continue;
      const address = trusted.value.endpoints.find(({ conditions }) => conditions?.ready !== false)?.addresses[0];
      const port = trusted.value.ports.find(({ protocol = 'TCP' }) => protocol === 'TCP')?.port;
      if (address !== undefined && port !== undefined) return { address, port };
    }
    return undefined;
  }

  #policyOf(key: string): SilencePolicy {
    const { member, policy } = this.#options;
    return parsePolicy(member.imports.get(key)?.metadata.annotations?.[WHEN_SILENT]) ?? policy;
  }
}
