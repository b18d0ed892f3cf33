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
}

export const DEFAULT_BEHAVIOUR: OpenStackBehaviour = {
  latency: { logins: NO_TIME, reads: NO_TIME, writes: NO_TIME },
  tokenMilliseconds: 3_600_000,
  tokenCacheMilliseconds: 0,
  portTags: 'dropped',
  pageLimit: Number.POSITIVE_INFINITY,
  addressPairLimit: 10,
};

/** As busy public clouds are. */
export const REAL_LATENCY: OpenStackBehaviour['latency'] = {
  logins: { minimum: 100, maximum: 800 },
  reads: { minimum: 50, maximum: 600 },
  writes: { minimum: 200, maximum: 2_500 },
};
