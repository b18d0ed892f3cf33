import type { ClaimedService, ForeignService, ServiceToRelease } from '@fairlead/service';
import type { Allocation, AllocationRefusal, Allocator } from './allocation.ts';
import type { Desired } from './desired.ts';
import type { L2Port, L4Port, ServiceKey } from './l2-port.ts';

/** What was decided for one Service, with addresses given out. */
export type Outcome =
  | {
      readonly kind: 'serve';
      readonly claim: ClaimedService;
      readonly l2Ports: readonly L2Port[];
      /** What it is served with on each of them. */
      readonly l4Ports: readonly L4Port[];
      /** Why it is less than the Service asks for; absent when it is all. */
      readonly shortfall?: AllocationRefusal;
    }
  | {
      readonly kind: 'refuse';
      readonly claim: ClaimedService;
      readonly code: string;
      readonly message: string;
      readonly detail?: string;
    }
  | { readonly kind: 'release'; readonly claim: ServiceToRelease }
  | { readonly kind: 'foreign'; readonly claim: ForeignService }
  | { readonly kind: 'unreadable'; readonly claim: ClaimedService; readonly error: unknown };

/** Asks the allocator for what is desired. A Service that wants nothing, or cannot be served, gives back what it held. */
export function decide(desired: Desired, allocator: Allocator, service: ServiceKey): Outcome {
  if (desired.kind === 'unreadable') return desired;
  if (desired.kind !== 'address') allocator.release(service);
  switch (desired.kind) {
    case 'foreign':
      return { kind: 'foreign', claim: desired.claim };
    case 'nothing':
      return { kind: 'release', claim: desired.claim };
    case 'refused':
      return { kind: 'refuse', claim: desired.claim, code: desired.code, message: desired.message };
    case 'address':
      return outcomeOf(desired.claim, allocator.assign(desired.request));
  }
}

function outcomeOf(claim: ClaimedService, allocation: Allocation): Outcome {
  if (allocation.kind === 'refused') return { ...allocation, kind: 'refuse', claim };
  return { ...allocation, kind: 'serve', claim };
}
