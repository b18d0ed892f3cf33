import type { IpAddress, IpFamily } from '@fairlead/control';
import type { Refusal, ServiceKey } from '@fairlead/service';
import type { L2Port, L2PortId, L4Port } from './l2-port.ts';

/** What a Service is seen with: the same L4 ports on each of the L2 ports. */
export interface SeenHolding {
  readonly l2Ports: readonly L2PortId[];
  readonly l4Ports: readonly L4Port[];
}

/** What a Service that is refused may go on with, of what it has. */
export type KeptRequest = Pick<
  AllocationRequest,
  'service' | 'families' | 'l4Ports' | 'permittedPools' | 'exclusive' | 'createdAt'
>;

export interface AllocationRequest {
  readonly service: ServiceKey;
  /** The pool it is to have its addresses from. */
  readonly pool: string;
  /** Whether the Service names the pool itself: else an address that it asks for may be of another. */
  readonly isPoolAsked: boolean;
  /** The pools that it may be on at all: what it has on any other, it does not keep. */
  readonly permittedPools: readonly string[];
  /** The families wanted, most wanted first. */
  readonly families: readonly IpFamily[];
  /** Whether a family the pool lacks is a refusal, or simply left out. */
  readonly everyFamilyRequired: boolean;
  readonly l4Ports: readonly L4Port[];
  /** When it was created: of those that wait, the oldest is served first. */
  readonly createdAt: string;
  /** An exclusive Service shares its address with no other. */
  readonly exclusive: boolean;
  /** The addresses the user asked for; at most one per family. */
  readonly requestedAddresses: readonly IpAddress[];
}

const POOL_REFUSALS = [
  'pool-empty',
  'family-missing',
  'port-taken',
  'address-unknown',
  'address-taken',
  'namespace-limit',
] as const;

/** What the pool cannot give, and may be able to when it or the Services on it change. */
export type PoolRefusalCode = (typeof POOL_REFUSALS)[number];

export function isPoolRefusal(code: string): code is PoolRefusalCode {
  return POOL_REFUSALS.some((known) => known === code);
}

/** Why a Service cannot have what it asks for: names no other Service, so that it does not change with theirs. */
export interface AllocationRefusal extends Refusal {
  readonly code: PoolRefusalCode;
  /** Which Service is in the way at this moment, for `why`. */
  readonly detail?: string;
  /** What one more address of each of these families, in the pool, would help against. */
  readonly wouldHelp?: { readonly pool: string; readonly families: readonly IpFamily[] };
}

export type Allocation =
  | {
      readonly kind: 'assigned';
      readonly l2Ports: readonly L2Port[];
      /** What it has on each of them. */
      readonly l4Ports: readonly L4Port[];
      /** Why it is less than was asked for; absent when it is all. */
      readonly shortfall?: AllocationRefusal;
    }
  | { readonly kind: 'refused'; readonly refusal: AllocationRefusal };
