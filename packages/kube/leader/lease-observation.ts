import type { Clock } from '@fairlead/control';
import type { Lease } from '../types/lease.ts';

/** Kubernetes' own count of transitions has 32 bits, and the versions of a busy cluster outgrow them in months. */
export const EPOCH_ANNOTATION = 'fairlead.dev/epoch';

interface ObservedLease {
  readonly holder: string | undefined;
  /** Undefined when we only know that it may be there. */
  readonly uid: string | undefined;
  /** What a holder writes when it takes or renews it. */
  readonly record: string;
  readonly durationMilliseconds: number;
  /** When this record was first seen, by our own monotonic clock. */
  readonly at: number;
}

/**
 * What one candidate has seen of a Lease. The times written in it come from the clocks of others and are not believed:
 * a Lease has expired when its record was seen unchanged for as long as its holder promised to renew it. Its version
 * says nothing: any client that labels or annotates it changes that, and would keep a dead holder in office.
 */
export class LeaseObservation {
  readonly #clock: Clock;
  readonly #identity: string;
  readonly #defaultDuration: number;
  #observed: ObservedLease | undefined;
  /** The one before, which was deleted. */
  #deleted: Pick<ObservedLease, 'holder' | 'durationMilliseconds' | 'at'> | undefined;
  #highestEpoch = 0;

  constructor(clock: Clock, identity: string, defaultDurationMilliseconds: number) {
    this.#clock = clock;
    this.#identity = identity;
    this.#defaultDuration = defaultDurationMilliseconds;
  }

  /** The highest epoch ever seen in the Lease, also in one that was deleted since. */
  get highestEpoch(): number {
    return this.#highestEpoch;
  }

  /** Who may hold it now, other than ourselves. */
  get holder(): string | undefined {
    const now = this.#clock.monotonic();
    for (const seen of [this.#observed, this.#deleted]) {
      if (seen?.holder === undefined || seen.holder === this.#identity) continue;
      if (now < seen.at + seen.durationMilliseconds) return seen.holder;
    }
    return undefined;
  }

  /**
   * Creating it failed: from then on it counts as seen. An answer that got lost, and one that tells of another's, may be
   * about a Lease that another candidate takes and that is deleted before we look.
   */
  mayExist(): void {
    this.#observed = {
      holder: undefined,
      uid: undefined,
      record: '',
      durationMilliseconds: this.#defaultDuration,
      at: this.#clock.monotonic(),
    };
  }

  /** Notes what was just read or written; undefined: there is no Lease. */
  observe(lease: Lease | undefined): void {
    if (lease === undefined) {
      this.#observeDeletion();
      return;
    }
    this.#highestEpoch = Math.max(this.#highestEpoch, epochOf(lease));
    const record = recordOf(lease);
    const { uid } = lease.metadata;
    if (this.#observed?.uid !== uid) this.#observeDeletion();
    if (this.#observed?.record === record) return;
    const seconds = lease.spec?.leaseDurationSeconds;
    this.#observed = {
      holder: holderOf(lease),
      uid,
      record,
      durationMilliseconds: seconds === undefined ? this.#defaultDuration : seconds * 1000,
      at: this.#clock.monotonic(),
    };
  }

  /** Its holder may have renewed it just before it was deleted, and count on it still. */
  #observeDeletion(): void {
    const before = this.#observed;
    if (before === undefined) return;
    const holder = `${before.holder ?? 'an unknown holder'} (in a Lease that was deleted)`;
    this.#deleted = { holder, durationMilliseconds: before.durationMilliseconds, at: this.#clock.monotonic() };
    this.#observed = undefined;
  }
}

function recordOf({ spec = {} }: Lease): string {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = spec;
  return JSON.stringify([holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions]);
}

/** The epoch of the last holding; 0 when there was none. A holder that knows of no epochs counts its transition. */
export function epochOf(lease: Lease): number {
  return Math.max(writtenEpoch(lease) ?? 0, lease.spec?.leaseTransitions ?? 0);
}

/**
 * The epoch of the next holding. In a Lease without one they begin with its version: a later write to the cluster has
 * a higher one, so that neither a holder of an earlier Lease, deleted before any candidate saw it, nor one whose
 * epoch an operator took out of the Lease can have had the same.
 */
export function nextEpoch(lease: Lease, highestKnown: number): number {
  const version = writtenEpoch(lease) === undefined ? Number(lease.metadata.resourceVersion) : 0;
  return Math.max(Number.isSafeInteger(version) ? version : 0, epochOf(lease) + 1, highestKnown + 1);
}

/** Undefined when there is none, or when people wrote something else there. */
function writtenEpoch(lease: Lease): number | undefined {
  const text = lease.metadata.annotations?.[EPOCH_ANNOTATION] ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Undefined when the Lease was given back. */
export function holderOf(lease: Lease): string | undefined {
  const holder = lease.spec?.holderIdentity;
  return holder === '' ? undefined : holder;
}
