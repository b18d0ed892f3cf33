import { NO_TIME, type Span } from '../cloud/span.ts';

/** How this OpenStack behaves, in what differs from cloud to cloud and from day to day. */
export interface OpenStackBehaviour {
  /** The time a call is on its way and worked upon, by what it does. */
  readonly latency: Readonly<Record<'logins' | 'reads' | 'writes', Span>>;
  readonly tokenMilliseconds: number;
  /** How long services go on accepting a token that was revoked, because they remember that it was good. */
  readonly tokenCacheMilliseconds: number;
  /** Whether POST /ports takes tags, or drops them without a word. */
  readonly portTags: 'dropped' | 'kept';
  /** A page has no more items than this, whatever limit was asked for. */
  readonly pageLimit: number;
  readonly addressPairLimit: number;
  readonly octavia: OctaviaBehaviour;
}

export interface OctaviaBehaviour {
  /** Many clouds have none. */
  readonly isOffered: boolean;
  /** How long a load balancer is PENDING after each change. */
  readonly duration: Span;
  /** How often Octavia fails at a change, and leaves an ERROR: from 0 to 1. */
  readonly failures: number;
  /** The newest version of its API is 2 and this. */
  readonly minorVersion: number;
  /** `amphora`, `ovn`: the first is what a load balancer gets that names none. */
  readonly providers: readonly string[];
  readonly availabilityZones: readonly string[];
  /** What becomes of that which is created together with a load balancer of OVN. */
  readonly ovnPopulatedCreation: 'left-pending' | 'complete';
}

export const DEFAULT_BEHAVIOUR: OpenStackBehaviour = {
  latency: { logins: NO_TIME, reads: NO_TIME, writes: NO_TIME },
  tokenMilliseconds: 3_600_000,
  tokenCacheMilliseconds: 0,
  portTags: 'dropped',
  pageLimit: Number.POSITIVE_INFINITY,
  addressPairLimit: 10,
  octavia: {
    isOffered: true,
    duration: NO_TIME,
    failures: 0,
    minorVersion: 30,
    providers: ['amphora', 'ovn'],
    availabilityZones: [],
    ovnPopulatedCreation: 'left-pending',
  },
};

/** How long amphorae take. */
export const AMPHORA_DURATION: Span = { minimum: 2_000, maximum: 60_000 };

/** As busy public clouds are. */
export const REAL_LATENCY: OpenStackBehaviour['latency'] = {
  logins: { minimum: 100, maximum: 800 },
  reads: { minimum: 50, maximum: 600 },
  writes: { minimum: 200, maximum: 2_500 },
};

/** What is to be different; the rest stays as it is. */
export interface BehaviourChanges extends Partial<Omit<OpenStackBehaviour, 'octavia'>> {
  readonly octavia?: Partial<OctaviaBehaviour>;
}

export function changedBehaviour(before: OpenStackBehaviour, changes: BehaviourChanges): OpenStackBehaviour {
  return { ...before, ...changes, octavia: { ...before.octavia, ...changes.octavia } };
}
