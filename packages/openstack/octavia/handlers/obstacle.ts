import { type LoadBalancer, provisioningOf } from '../../client/index.ts';

/** What keeps a Service from leaving, for its owner to put right. */
export interface Obstacle {
  readonly reason: 'LoadBalancerInError' | 'LoadBalancerStuck';
  readonly message: string;
}

/** Nothing while Octavia is at a change for no longer than changes take. */
export function obstacleOf(balancer: LoadBalancer, isStuck: boolean): Obstacle | undefined {
  const { id } = balancer;
  const until = 'what the Service has there cannot be taken down before';
  if (provisioningOf(balancer).kind === 'error') {
    const message = `It is held: the load balancer ${id} is in ERROR, and ${until} that is put right or deleted.`;
    return { reason: 'LoadBalancerInError', message };
  }
  if (!isStuck) return undefined;
  const since = 'for more than five minutes';
  const message = `It is held: Octavia has been at a change of the load balancer ${id} ${since}, and ${until} it is done.`;
  return { reason: 'LoadBalancerStuck', message };
}
