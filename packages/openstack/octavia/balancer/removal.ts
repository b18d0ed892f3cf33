import { type FloatingIp, type LoadBalancer, type Port, provisioningOf } from '../../client/index.ts';
import { type FloatingIpStep, floatingIpRemovals } from './floating-ips.ts';
import { type BalancerOwner, isOwn } from './marks.ts';
import type { BalancerTree } from './observed.ts';
import type { BalancerPlan, BalancerStep } from './plan.ts';

/** All that is left in OpenStack of a Service, found by its mark alone. */
export interface Leftovers {
  /** Its own. */
  readonly balancers: readonly LoadBalancer[];
  /** Those of others on which it has listeners or pools. */
  readonly shared: readonly BalancerTree[];
  readonly vipPorts: readonly Port[];
  readonly floatingIps: readonly FloatingIp[];
}

/** What takes all of it down, in order. Nothing to do and nothing to wait for: nothing is left. */
export function planRemoval(owner: BalancerOwner, keepsFloatingIp: boolean, left: Leftovers): BalancerPlan {
  const addresses: readonly FloatingIpStep[] = floatingIpRemovals(owner, keepsFloatingIp, left.floatingIps);
  const waiting = [...left.balancers, ...left.shared.map(({ balancer }) => balancer)].find(
    (balancer) => provisioningOf(balancer).kind === 'pending',
  );
  const trunks = left.balancers.filter((balancer) => provisioningOf(balancer).kind !== 'pending');
  const steps: readonly BalancerStep[] = [
    ...addresses,
    ...trunks.map(({ id }) => ({ kind: 'delete-load-balancer', id }) as const),
    ...left.shared.flatMap((tree) => branchSteps(owner, tree)),
  ];
  if (steps.length > 0 || waiting !== undefined) return { steps, waitsFor: waiting };
  // Only now: Neutron keeps no port from being deleted that a load balancer still has.
  const ports = left.vipPorts.filter((port) => isOwn(port, owner));
  return { steps: ports.map(({ id }) => ({ kind: 'delete-vip-port', id })), waitsFor: undefined };
}

/** The load balancer itself, and what others have there, stays. */
function branchSteps(owner: BalancerOwner, { balancer, listeners, pools }: BalancerTree): readonly BalancerStep[] {
  if (provisioningOf(balancer).kind !== 'active') return [];
  return [
    ...listeners.filter((one) => isOwn(one, owner)).map(({ id }) => ({ kind: 'delete-listener', id }) as const),
    ...pools.filter((one) => isOwn(one, owner)).map(({ id }) => ({ kind: 'delete-pool', id }) as const),
  ];
}
