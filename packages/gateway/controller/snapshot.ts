import type { Clock } from '@fairlead/control';
import { byAge, type Service } from '@fairlead/kube';
import { type ClaimRules, type ServiceKey, serviceKey } from '@fairlead/service';
import { Allocator } from './addresses/allocation.ts';
import type { L2Port } from './addresses/l2-port.ts';
import { desiredFor, l4PortsOf, wantsAlone } from './desired.ts';
import { seenHolding } from './observed.ts';
import { decide, type Outcome } from './outcome.ts';
import { writesFor } from './plan.ts';

/** The outcome of every Service at one moment, and which Service holds what. */
export interface Snapshot {
  readonly allocator: Allocator;
  /** Oldest Service first. */
  readonly outcomes: ReadonlyMap<ServiceKey, Outcome>;
}

/**
 * Decides for all Services at once: first everything that a Service was given is kept from others, the surest claims
 * before the others, of equal ones the older; then, oldest first, each gets what it has or what is free. A leader starts
 * with it, and `plan` and `why` are made of it, so that all of them agree.
 */
export function takeSnapshot(
  pool: readonly L2Port[],
  services: Iterable<Service>,
  rules: ClaimRules,
  clock: Pick<Clock, 'now'>,
): Snapshot {
  const allocator = new Allocator(pool);
  const read = [...services]
    .toSorted(byAge)
    .map((service) => ({ key: serviceKey(service.metadata), service, desired: desiredFor(service, rules) }));
  const ours = read.filter(({ desired }) => desired.kind !== 'foreign');
  const seen = ours.map(({ key, service, desired }) => {
    const ownPorts = desired.kind === 'unreadable' ? [] : l4PortsOf(service);
    return { key, ...seenHolding(service, ownPorts, allocator) };
  });
  for (const surety of [0, 1, 2] as const) {
    for (const { key, l2Ports, l4Ports } of seen) allocator.reserve(key, l2Ports[surety], l4Ports);
  }
  for (const { key, service } of ours) if (wantsAlone(service)) allocator.keepAlone(key);
  const outcomes = new Map<ServiceKey, Outcome>();
  for (const { key, desired } of read) {
    const outcome = decide(desired, allocator, key);
    outcomes.set(key, outcome);
    if (outcome.kind !== 'unreadable' && writesFor(outcome, clock).length === 0) allocator.settle(key);
  }
  return { allocator, outcomes };
}
