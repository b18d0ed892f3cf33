import { NO_TIME, type Span } from '../cloud/span.ts';
import type { RateLimits } from './rate-limit.ts';

/** How this Azure behaves, in what differs from day to day and from one API version to the next. */
export interface ArmBehaviour {
  /** The time a call is on its way: half of it before the effect, half after. */
  readonly latency: Span;
  /** How long Azure is at a PUT or DELETE. 0: it answers when it is done, which no Azure does. */
  readonly operationTime: Span;
  /** How a client learns that an operation is over. */
  readonly operationStyle: 'async-operation' | 'location';
  /** The Retry-After of an operation under way; none when undefined. */
  readonly pollAfterSeconds: number | undefined;
  /** How long after its creation a public IP address has none yet. */
  readonly addressDelay: Span;
  /** Whether updateServices and updateAddressLocations answer at once; they do from API version 2025-09-01 on. */
  readonly actionStyle: 'by-api-version' | 'synchronous' | 'long-running';
  readonly pageSize: number;
  /** Whether answers spell things as they were written, or as an Azure that leaves out, reorders and capitalises. */
  readonly spelling: 'as-written' | 'its-own';
  /** Whether a new gateway comes with a default outbound service that Azure owns. */
  readonly defaultOutbound: boolean;
  readonly publicIpLimit: number;
  /** None when undefined. */
  readonly rateLimits: RateLimits | undefined;
  /** Whether a request with this Authorization header is let in. */
  readonly authorize: (authorization: string | undefined) => boolean;
}

/** As the recordings of Azure have it, and with the times that operators report. */
export const DEFAULT_BEHAVIOUR: ArmBehaviour = {
  latency: NO_TIME,
  operationTime: { minimum: 1_000, maximum: 10_000 },
  operationStyle: 'async-operation',
  pollAfterSeconds: undefined,
  addressDelay: NO_TIME,
  actionStyle: 'by-api-version',
  pageSize: 100,
  spelling: 'as-written',
  defaultOutbound: false,
  publicIpLimit: 100_000,
  rateLimits: undefined,
  authorize: () => true,
};

/** For tests that are not about time: every write is over when it is answered. */
export const FAST: Partial<ArmBehaviour> = { operationTime: NO_TIME };
