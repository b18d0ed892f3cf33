import type { Clock } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import type { ClaimRules } from '@fairlead/service';
import { Allocator } from './allocation.ts';
import type { L2Port, ServiceKey } from './l2-port.ts';
import { byAge, desiredFor, serviceKey, wantsAlone } from './desired.ts';
import { seenHolding } from './observed.ts';
import { decide, type Outcome } from './outcome.ts';
import { stepsFor } from './plan.ts';

/** Everybody's outcome at one moment, and who holds what. */
export interface Survey {
  readonly allocator: Allocator;
  /** Oldest Service first. */
  readonly outcomes: ReadonlyMap<ServiceKey, Outcome>;
}

/**
 * Decides for all Services at once: first everything that a Service was given is kept from others, the surest claims
 * before the others, of equal ones the older; then, oldest first, each gets what it has or what is free. A leader starts
 * with it, and `plan` and `why` are made of it, so that all of them agree.
 */
export function survey(
  pool: readonly L2Port[],
  services: Iterable<Service>,
  rules: ClaimRules,
  clock: Pick<Clock, 'now'>,
): Survey {
  const allocator = new Allocator(pool);
  const wishes = [...services]
    .toSorted(byAge)
    .map((service) => ({ key: serviceKey(service.metadata), service, desired: desiredFor(service, rules) }));
  const ours = wishes.filter(({ desired }) => desired.kind !== 'foreign');
  const seen = ours.map(({ key, service }) => ({ key, ...seenHolding(service, allocator) }));
  for (const surety of [0, 1, 2] as const) {
    for (const { key, l2Ports, l4Ports } of seen) allocator.linger(key, l2Ports[surety], l4Ports);
  }
  for (const { key, service } of ours) if (wantsAlone(service)) allocator.keepAlone(key);
  const outcomes = new Map<ServiceKey, Outcome>();
  for (const { key, desired } of wishes) {
    const outcome = decide(desired, allocator, key);
    outcomes.set(key, outcome);
    if (outcome.kind !== 'unreadable' && stepsFor(outcome, clock).length === 0) allocator.settle(key);
  }
  return { allocator, outcomes };
}
