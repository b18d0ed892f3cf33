import type { KubeObject } from './meta.ts';

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  /** With microseconds. */
  readonly acquireTime?: string;
  /** With microseconds. */
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** Who holds something, and until when: what leaders are elected by. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}
