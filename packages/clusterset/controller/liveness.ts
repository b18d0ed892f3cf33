import type { Clock } from '@fairlead/control';
import type { Lease } from '@fairlead/kube';
import { isLeaving } from '../records/marks.ts';

/** A cluster that did not renew its Lease for so long has fallen silent. */
const SILENT_AFTER_MILLISECONDS = 120_000;
/** One without a Lease for so long has left; the broker may have been rebuilt, and it may be about to join again. */
const LEFT_AFTER_MILLISECONDS = 600_000;

/**
 * What becomes of the endpoints of a cluster that has fallen silent. `keep`: they stay. `dropAfter`: they are not used
 * once it was silent for so long. `probe`: they are not used while none of them answers.
 */
export type SilencePolicy =
  | { readonly kind: 'keep' }
  | { readonly kind: 'dropAfter'; readonly seconds: number }
  | { readonly kind: 'probe' };

/** `keep`, `probe` or `dropAfter=300`; undefined for anything else. */
export function parsePolicy(text: string | undefined): SilencePolicy | undefined {
  if (text === 'keep' || text === 'probe') return { kind: text };
  const seconds = /^dropAfter=(\d{1,6})$/.exec(text ?? '')?.[1];
  return seconds === undefined ? undefined : { kind: 'dropAfter', seconds: Number(seconds) };
}

/**
 * Since when each cluster is silent, by our own clock: by the times in its Lease alone, a clock that is wrong would
 * make it look dead. While the broker cannot be read, no time is counted for any cluster.
 */
export class Liveness {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { readonly renewTime: string; readonly at: number }>();

  #leaving: ReadonlySet<string> = new Set();
  /** Cluster -> since when it is known to have no Lease, and when it was asked for last. */
  readonly #missing = new Map<string, { readonly since: number; readonly askedAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes note of the Leases as the broker shows them now. */
  see(leases: readonly Lease[]): void {
    const now = this.#clock.monotonic();
    const clusters = new Set(leases.map(({ metadata }) => metadata.name));
    this.#leaving = new Set(leases.filter(isLeaving).map(({ metadata }) => metadata.name));
    for (const cluster of this.#seen.keys()) if (!clusters.has(cluster)) this.#seen.delete(cluster);
    // Imports and slices that tenants write may name any cluster.
    for (const [cluster, { askedAt }] of this.#missing) {
      if (now - askedAt >= LEFT_AFTER_MILLISECONDS) this.#missing.delete(cluster);
    }
    for (const { metadata, spec } of leases) {
      const renewTime = spec?.renewTime ?? '';
      if (this.#seen.get(metadata.name)?.renewTime !== renewTime) this.#seen.set(metadata.name, { renewTime, at: now });
    }
  }

  /** The broker could not be read: every cluster gets its time anew. */
  startOver(): void {
    const now = this.#clock.monotonic();
    this.#missing.clear();
    for (const [cluster, { renewTime }] of this.#seen) this.#seen.set(cluster, { renewTime, at: now });
  }

  /** Whether it has a Lease, and if it has none, for how long already. */
  membership(cluster: string): 'member' | 'missing' | 'left' {
    if (this.#leaving.has(cluster)) return 'left';
    if (this.#seen.has(cluster)) {
      this.#missing.delete(cluster);
      return 'member';
    }
    const now = this.#clock.monotonic();
    const since = this.#missing.get(cluster)?.since ?? now;
    this.#missing.set(cluster, { since, askedAt: now });
    return now - since >= LEFT_AFTER_MILLISECONDS ? 'left' : 'missing';
  }

  /** How many clusters are remembered that have no Lease. */
  get missed(): number {
    return this.#missing.size;
  }

  silentMilliseconds(cluster: string): number {
    const seen = this.#seen.get(cluster);
    return seen === undefined ? 0 : this.#clock.monotonic() - seen.at;
  }

  isSilent(cluster: string): boolean {
    return this.silentMilliseconds(cluster) >= SILENT_AFTER_MILLISECONDS;
  }

  /** Whether the endpoints of a cluster are not to be used. `answers`: what the last probe of them said. */
  isDropped(cluster: string, policy: SilencePolicy, answers: boolean | undefined): boolean {
    if (policy.kind === 'keep' || !this.isSilent(cluster)) return false;
    if (policy.kind === 'dropAfter') return this.silentMilliseconds(cluster) >= policy.seconds * 1000;
    return answers === false;
  }
}
