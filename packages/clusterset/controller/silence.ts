import { type Clock, type Logger, messageOf, type Metrics, sleep } from '@fairlead/control';
import { keyText } from '@fairlead/kube';
import type { Settings } from '../decision/settings.ts';
import { Liveness, parsePolicy, type SilencePolicy } from './liveness.ts';
import { silentClusters } from './metrics.ts';
import { type BrokerStores, type MemberStores, type Standing, slicedFor } from './view.ts';
import { WHEN_SILENT } from '../records/marks.ts';
import { claimsOf } from '../records/registration.ts';
import { trustRecord, trustSlice } from '../records/trust.ts';

const LOOK_MILLISECONDS = 15_000;
const CONCURRENT_PROBES = 20;

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
    while (!signal.aborted) {
      try {
        if (canSee()) await this.#look(signal);
      } catch (error) {
        // The Services of all clusters go on being reconciled, whatever one of them wrote.
        this.#options.logger.error({ error: messageOf(error) }, 'silent clusters cannot be told from others');
      }
      await sleep(this.#options.clock, LOOK_MILLISECONDS, signal).catch(() => {});
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
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
    for (let start = 0; start < records.length; start += CONCURRENT_PROBES) {
      const batch = records.slice(start, start + CONCURRENT_PROBES);
      await Promise.all(
        batch.map(({ cluster, key }) => this.#probe(cluster, keyText(key), silent.has(cluster), signal)),
      );
    }
    for (const { key } of records) onChange(keyText(key));
  }

  async #probe(cluster: string, key: string, isSilent: boolean, signal: AbortSignal): Promise<void> {
    const id = `${cluster} ${key}`;
    if (!isSilent || this.#policyOf(key).kind !== 'probe') {
      this.#answers.delete(id);
      return;
    }
    const target = this.#target(cluster, key);
    if (target === undefined) return;
    this.#answers.set(id, await this.#options.probe(target.address, target.port, signal).catch(() => true));
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
