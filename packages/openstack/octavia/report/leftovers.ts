import type { Clock } from '@fairlead/control';
import { heldAtFirst, type PartPlan, type PlannedChange } from '@fairlead/part';
import type { BalancerOwner } from '../balancer/marks.ts';
import { type Leftovers, removalSteps } from '../balancer/removal.ts';
import { LEFTOVER_BRAKE } from '../leftovers.ts';

const WHY = 'is taken down: the Service it was made for no longer exists';

/** What no Service stands behind, out of all that has something in OpenStack. */
export interface LeftBehind {
  readonly changes: readonly PlannedChange[];
  readonly uids: readonly string[];
  readonly knownCount: number;
}

/** What the sweep does about what is left of one Service, of which only the mark tells. */
export function leftoverChange(owner: BalancerOwner, left: Leftovers): PlannedChange {
  const writes = removalSteps(owner, false, left).length;
  const [first] = left.own;
  if (first === undefined) {
    return { action: 'delete', subject: `what is left of Service ${owner.uid}`, detail: WHY, writes };
  }
  const balancers = left.own.map(({ balancer }) => `${balancer.id} with its VIP ${balancer.vip_address}`);
  return {
    action: 'delete',
    subject: `load balancer ${first.balancer.name}`,
    detail: `${balancers.join(' and ')} ${WHY}`,
    writes,
  };
}

/** What a leader that started now would hold back of them. */
export function heldLeftovers(clock: Clock, { uids, knownCount }: LeftBehind): Pick<PartPlan, 'heldBack'> {
  return heldAtFirst(clock, 'octavia', LEFTOVER_BRAKE, uids, knownCount);
}
