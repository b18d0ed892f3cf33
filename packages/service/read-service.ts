import { codeOf, findFairleadError, messageOf } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import {
  type ClaimedService,
  type ClaimRules,
  claimService,
  type ForeignService,
  type ServiceToRelease,
} from './claim/class-claim.ts';
import { requireBoundedAnnotations } from './claim/part-annotations.ts';
import type { Refusal } from './demands/refusals.ts';

/** A Service that a part claims and cannot serve as it asks. */
export interface RefusedService {
  readonly kind: 'refuse';
  readonly claim: ClaimedService;
  readonly refusal: Refusal;
}

/** What a part has to do for a Service: nothing is served, but something may have to be told or taken down. */
export type UnservedService =
  | RefusedService
  | { readonly kind: 'release'; readonly claim: ServiceToRelease }
  | { readonly kind: 'foreign'; readonly claim: ForeignService }
  /** Reading it failed, which is a defect of ours: it keeps what it has, and no other Service suffers. */
  | { readonly kind: 'unreadable'; readonly claim: ClaimedService; readonly error: unknown };

/** What a part makes of a Service that it claims. */
export type ClaimedReading<Wanted> = Extract<ServiceReading<Wanted>, { readonly claim: ClaimedService }>;

/** What a part makes of a Service, the same for every part; `wanted` is what should exist outside for it. */
export type ServiceReading<Wanted> =
  | { readonly kind: 'serve'; readonly claim: ClaimedService; readonly wanted: Wanted }
  | UnservedService;

/**
 * Reads a Service: whose it is, and what is to exist outside for it. `want` throws a FairleadError for what cannot be
 * honoured, which refuses this Service; anything else that it throws leaves this one Service alone.
 */
export function readService<Wanted>(
  service: Service,
  rules: ClaimRules,
  want: (service: Service) => Wanted,
): ServiceReading<Wanted> {
  const claim = claimService(service, rules);
  if (claim.state === 'foreign') return { kind: 'foreign', claim };
  if (claim.state === 'release') return { kind: 'release', claim };
  return readClaimed(claim, () => want(service));
}

/** The second half of it, for what takes more to know than the Service alone, such as its endpoints. */
export function readClaimed<Wanted>(claim: ClaimedService, want: () => Wanted): ClaimedReading<Wanted> {
  try {
    requireBoundedAnnotations(claim.service, claim.rules);
    return { kind: 'serve', claim, wanted: want() };
  } catch (error) {
    if (findFairleadError(error) === undefined) return { kind: 'unreadable', claim, error };
    return { kind: 'refuse', claim, refusal: { code: codeOf(error), message: messageOf(error) } };
  }
}
