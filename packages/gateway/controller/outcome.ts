import type { ClaimedService, RefusedService, ServiceKey, UnservedService } from '@fairlead/service';
import type { AllocationRefusal, Allocator } from './addresses/allocation.ts';
import type { L2Port, L4Port } from './addresses/l2-port.ts';
import type { Desired } from './desired.ts';

/** A Service that has addresses. */
export interface ServedService {
  readonly kind: 'serve';
  readonly claim: ClaimedService;
  readonly l2Ports: readonly L2Port[];
  /** What it is served with on each of them. */
  readonly l4Ports: readonly L4Port[];
  /** Why it is less than the Service asks for; absent when it is all. */
  readonly shortfall?: AllocationRefusal;
}

/** What was decided for one Service, with addresses given out. */
export type Outcome =
  | ServedService
  | (RefusedService & { readonly refusal: Pick<AllocationRefusal, 'detail'> })
  | Exclude<UnservedService, RefusedService>;

/** Asks the allocator for what is desired. A Service that wants nothing, or cannot be served, gives back what it held. */
export function decide(desired: Desired, allocator: Allocator, key: ServiceKey): Outcome {
  if (desired.kind === 'unreadable') return desired;
  if (desired.kind !== 'serve') {
    allocator.release(key);
    return desired;
  }
  const { claim } = desired;
  const allocation = allocator.assign(desired.wanted);
  if (allocation.kind === 'refused') return { kind: 'refuse', claim, refusal: allocation.refusal };
  return { ...allocation, kind: 'serve', claim };
}
