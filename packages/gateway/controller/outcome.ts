import type { ClaimedService, Refusal, RefusedService, ServiceKey, UnservedService } from '@fairlead/service';
import type { Allocator } from './addresses/allocation.ts';
import type { AllocationRefusal } from './addresses/allocation-request.ts';
import type { L2Port, L4Port } from './addresses/l2-port.ts';
import { type Desired, keptRequest } from './desired.ts';
import type { Pool } from './pools.ts';

/** Why a Service has less than it asks for: a refusal, with what only that of a pool can tell. */
export type Shortfall = Refusal & Pick<AllocationRefusal, 'detail' | 'wouldHelp'>;

/** A Service that has addresses. */
export interface ServedService {
  readonly kind: 'serve';
  readonly claim: ClaimedService;
  readonly l2Ports: readonly L2Port[];
  /** What it is served with on each of them. */
  readonly l4Ports: readonly L4Port[];
  /** Why it is less than the Service asks for; absent when it is all. */
  readonly shortfall?: Shortfall;
}

/** What was decided for one Service, with addresses given out. */
export type Outcome =
  | ServedService
  /** `shutsOut`: keeping what it has would let in whom it means to shut out. */
  | (RefusedService & { readonly refusal: Shortfall; readonly shutsOut?: true })
  | Exclude<UnservedService, RefusedService>;

/**
 * Asks the allocator for what is desired. A Service that wants nothing gives back what it held; one that asks for what
 * cannot be honoured goes on with what it has, unless that would let in whom it shuts out.
 */
export function decide(desired: Desired, allocator: Allocator, key: ServiceKey, pools: readonly Pool[]): Outcome {
  if (desired.kind === 'unreadable') return desired;
  if (desired.kind === 'refuse') {
    const request = keptRequest(desired.claim.service, pools);
    const kept = request === undefined ? undefined : allocator.keep(request);
    if (kept !== undefined) {
      const { l2Ports, l4Ports } = kept;
      return { kind: 'serve', claim: desired.claim, l2Ports, l4Ports, shortfall: desired.refusal };
    }
    allocator.release(key);
    return request === undefined ? { ...desired, shutsOut: true } : desired;
  }
  if (desired.kind !== 'serve') {
    allocator.release(key);
    return desired;
  }
  const allocation = allocator.assign(desired.wanted);
  if (allocation.kind === 'refused') return { kind: 'refuse', claim: desired.claim, refusal: allocation.refusal };
  return { ...allocation, kind: 'serve', claim: desired.claim };
}
