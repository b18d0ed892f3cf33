import { findCondition } from '@fairlead/kube';
import type { Programmed } from '@fairlead/service';
import { type LoadBalancer, provisioningOf } from '../../client/index.ts';
import { type KuryrLoadBalancer, PROGRAMMED } from '../resource/types.ts';

/** What keeps a Service from leaving, for its owner to put right. */
export interface Obstacle extends Programmed {
  readonly reason: 'LoadBalancerInError' | 'LoadBalancerStuck';
}

const HELD = 'It is held: ';

/** Nothing while Octavia is at a change for no longer than changes take. */
export function obstacleOf(balancer: LoadBalancer, isStuck: boolean): Obstacle | undefined {
  const { id } = balancer;
  const until = 'what the Service has there cannot be taken down before';
  if (provisioningOf(balancer).kind === 'error') {
    const message = `${HELD}the load balancer ${id} is in ERROR, and ${until} that is put right or deleted.`;
    return { status: 'False', reason: 'LoadBalancerInError', message };
  }
  if (!isStuck) return undefined;
  const since = 'for more than five minutes';
  const message = `${HELD}Octavia has been at a change of the load balancer ${id} ${since}, and ${until} it is done.`;
  return { status: 'False', reason: 'LoadBalancerStuck', message };
}

/** What keeps a resource from leaving, by what it says; nothing while that is what it said before. */
export function obstacleTold(resource: KuryrLoadBalancer): Programmed | undefined {
  const told = findCondition(resource, PROGRAMMED);
  if (resource.metadata.deletionTimestamp === undefined || told?.message.startsWith(HELD) !== true) return undefined;
  const { status, reason, message } = told;
  return { status, reason, message };
}
