import type { IpAddress, IpFamily } from '@fairlead/control';
import type { LeaderEnvironment, ReadEnvironment } from '@fairlead/part';
import type { z } from 'zod';
import type { L2Port } from './l2-port.ts';

/** Where external addresses come from. A cloud can make more of them; a static list cannot. */
export interface AddressProvider extends AsyncDisposable {
  /**
   * All L2 ports that exist now and are ours to give, in the order in which they are given. Those that ch-k8s-lbaas gave
   * to Services of ours, the `former` ones, become ours.
   */
  list(signal: AbortSignal, former?: FormerPorts): Promise<readonly L2Port[]>;
  /** The families that a pool can have addresses of, as far as `list` found out. Unset: those that it has. */
  familiesOf?(pool: string): readonly IpFamily[];
  /** Whether all that was listed and made since is still there; without it, no other program can take it away. */
  isIntact?(signal: AbortSignal): Promise<boolean>;
  /** How to have more and fewer of them; absent where their number is fixed. */
  readonly supply?: AddressSupply;
}

/**
 * The id of an L2 port that the annotation of a Service names -> the addresses that such Services show. The owner of a
 * Service can write the annotation, and not the status: a port without one of these addresses is none of theirs.
 */
export type FormerPorts = ReadonlyMap<string, ReadonlySet<IpAddress>>;

/** All calls may take long, and be repeated after a lost answer: none is waited for by any other Service. */
export interface AddressSupply {
  /** Makes one more for the pool, or ends what a call before this one began. */
  create(pool: string, family: IpFamily, signal: AbortSignal): Promise<L2Port>;
  /** Gives back one that no Service is on, and that no gateway serves any more; none is as good. */
  release(l2Port: L2Port, signal: AbortSignal): Promise<void>;
  /** Gives back what was begun and not ended, by us or a leader before us, but where it is still wanted. */
  abandon(isWanted: (pool: string, family: IpFamily) => boolean, signal: AbortSignal): Promise<void>;
}

/** A cloud that makes the addresses of pools. Its sections of the configuration are its own. */
export interface AddressCloud {
  readonly sections: CloudSections;
  /** Gets ready to make addresses for the pools; without a Lease, only to list them. */
  open(section: unknown, pools: readonly CloudPool[], environment: CloudEnvironment): Promise<AddressProvider>;
}

export interface CloudSections {
  /** Which cloud is meant. */
  readonly cloud: z.ZodType;
  /** What a pool has in the place of a list of addresses. */
  readonly pool: z.ZodType;
}

export interface CloudPool {
  readonly name: string;
  /** As the schema accepted it. */
  readonly openstack?: unknown;
}

export type CloudEnvironment = ReadEnvironment &
  Partial<Pick<LeaderEnvironment, 'random' | 'metrics' | 'journal' | 'leadership'>>;
