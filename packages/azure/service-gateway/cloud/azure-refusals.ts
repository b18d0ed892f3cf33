import { type Clock, codeOf, FairleadError, messageOf } from '@fairlead/control';
import { findArmError } from '../../arm/index.ts';
import { stableMessage } from './azure-errors.ts';

/** Of the error with which everything waits while Azure refuses for a reason of its own. */
export const REFUSES_CODE = 'azure-refuses';

/** As long as Azure refuses, it is asked no more often. */
const PROBE_MILLISECONDS = 60_000;

/** Codes that are about who asks, the subscription, the API or the group, whatever was asked for. */
const OWN_REASONS: ReadonlySet<string> = new Set([
  'AuthorizationFailed',
  'DisabledSubscription',
  'FeatureNotEnabled',
  'FeatureNotRegistered',
  'InvalidApiVersionParameter',
  'InvalidAuthenticationTokenTenant',
  'InvalidResourceType',
  'MissingSubscriptionRegistration',
  'NoRegisteredProviderFound',
  'ReadOnlyDisabledSubscription',
  'ResourceGroupBeingDeleted',
  'ResourceGroupNotFound',
  'SubscriptionNotFound',
  'SubscriptionNotRegistered',
  'SubscriptionNotRegisteredForFeature',
  'UnsupportedApiVersion',
]);

/** What Azure refuses now, and why; undefined: nothing. */
export type Refusal = { readonly call: string; readonly reason: string } | undefined;

interface Blocked {
  readonly reason: string;
  readonly error: unknown;
  /** On the monotonic clock: when Azure is asked again. */
  probeAt: number;
}

/**
 * Keeps calls back that Azure refuses whatever is in them: one of each kind is made in a minute, to see whether that is
 * over, and all others wait. A refusal that may be the fault of what was sent is none of these.
 */
export class AzureRefusals {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #tell: (refusal: Refusal) => void;
  /** By the kind of call: a permission may be missing for some kinds only. */
  readonly #blocked = new Map<string, Blocked>();

  constructor(clock: Pick<Clock, 'monotonic'>, tell: (refusal: Refusal) => void = () => {}) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** `call` is its kind, such as `PUT loadBalancers`. Rejects with a retriable error while calls like it are refused. */
  async run<Result>(call: string, write: () => Promise<Result>): Promise<Result> {
    const blocked = this.#blocked.get(call);
    if (blocked !== undefined) {
      const left = blocked.probeAt - this.#clock.monotonic();
      if (left > 0) throw refuses(call, blocked, left);
      blocked.probeAt = this.#clock.monotonic() + PROBE_MILLISECONDS;
    }
    try {
      const result = await write();
      this.#clear(call);
      return result;
    } catch (error) {
      const isOwnReason = findArmError(error)?.codes.some((code) => OWN_REASONS.has(code)) === true;
      const isAsBefore = blocked !== undefined && codeOf(error) === codeOf(blocked.error);
      if (isOwnReason || isAsBefore) throw this.block(call, error);
      // What it says about what was sent, it could not say if it refused everything.
      if (findArmError(error) !== undefined) this.#clear(call);
      throw error;
    }
  }

  /** Whether such calls are refused: then the next should have in it as little as possible, and not always the same. */
  isBlocked(call: string): boolean {
    return this.#blocked.has(call);
  }

  /** Azure was found to refuse such calls whatever is in them. Gives the error with which all of them wait. */
  block(call: string, error: unknown): FairleadError {
    const blocked = { reason: stableMessage(error), error, probeAt: this.#clock.monotonic() + PROBE_MILLISECONDS };
    const isNews = this.#blocked.get(call)?.reason !== blocked.reason;
    this.#blocked.set(call, blocked);
    if (isNews) this.#tell({ call, reason: blocked.reason });
    return refuses(call, blocked, PROBE_MILLISECONDS);
  }

  #clear(call: string): void {
    if (!this.#blocked.delete(call)) return;
    const [left] = this.#blocked;
    this.#tell(left === undefined ? undefined : { call: left[0], reason: left[1].reason });
  }
}

function refuses(call: string, { error, reason }: Blocked, retryAfterMilliseconds: number): FairleadError {
  const message = `Azure refuses every ${call}, whatever is in it: ${reason || messageOf(error)}`;
  return new FairleadError(message, { verdict: 'retriable', code: REFUSES_CODE, retryAfterMilliseconds, cause: error });
}
