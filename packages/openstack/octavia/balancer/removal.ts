import { type FloatingIp, type Listener, type Port, provisioningOf } from '../../client/index.ts';
import { floatingIpRemovals } from './floating-ips.ts';
import { type BalancerOwner, isOfCluster, isOwn, namespaceOf, readMark, vipPortName } from './marks.ts';
import type { BalancerTree, Sharer } from './observed.ts';
import type { BalancerPlan, BalancerStep } from './plan.ts';

/** All that is left in OpenStack of a Service, found by its mark alone. */
export interface Leftovers {
  /** Its load balancers. */
  readonly own: readonly BalancerTree[];
  /** Those of others on which it has listeners or pools. */
  readonly shared: readonly BalancerTree[];
  readonly vipPorts: readonly Port[];
  readonly floatingIps: readonly FloatingIp[];
  /** All that share a load balancer now: one that has listeners there may have asked for its own again. */
  readonly sharers: readonly Sharer[];
}

/** What takes all of it down, in order. Nothing to do and nothing to wait for: nothing is left. */
export function planRemoval(owner: BalancerOwner, keepsFloatingIp: boolean, left: Leftovers): BalancerPlan {
  const pending = [...left.own, ...left.shared].find((tree) => isIn('pending', tree));
  // What it has on one in ERROR cannot be deleted before the owner of that has put it right, or has deleted it.
  const waitsFor = (pending ?? left.shared.find((tree) => isIn('error', tree)))?.balancer;
  const handed = left.own.filter((tree) => heirOf(owner, tree, left.sharers) !== undefined);
  const handedPorts = new Set(handed.flatMap(({ balancer }) => balancer.vip_port_id ?? []));
  const removed = left.floatingIps.filter(({ port_id }) => port_id === null || !handedPorts.has(port_id));
  const steps: readonly BalancerStep[] = [
    ...floatingIpRemovals(owner, keepsFloatingIp, removed),
    ...left.own.flatMap((tree) => trunkSteps(owner, tree, left)),
    ...left.shared.flatMap((tree) => branchSteps(owner, tree)),
  ];
  if (steps.length > 0 || waitsFor !== undefined) return { steps, waitsFor };
  // Only now: Neutron keeps no port from being deleted that a load balancer still has.
  const ports = left.vipPorts.filter((port) => isOwn(port, owner));
  return { steps: ports.map(({ id }) => ({ kind: 'delete-vip-port', id })), waitsFor: undefined };
}

export function isIn(state: ReturnType<typeof provisioningOf>['kind'], { balancer }: BalancerTree): boolean {
  return provisioningOf(balancer).kind === state;
}

/** A load balancer that another Service shares becomes that one's; else it goes, and all below it. */
function trunkSteps(owner: BalancerOwner, tree: BalancerTree, left: Leftovers): readonly BalancerStep[] {
  const { balancer } = tree;
  const { id, vip_port_id } = balancer;
  const state = provisioningOf(balancer).kind;
  if (state === 'pending') return [];
  const heir = state === 'active' ? heirOf(owner, tree, left.sharers) : undefined;
  if (heir === undefined) return [{ kind: 'delete-load-balancer', id }];
  const { description, tags } = heir;
  const uid = readMark(heir)?.service ?? '';
  const to = { heir: { uid, tags, balancerId: id } };
  const isHanded = (port: Port) => port.id === vip_port_id && isOwn(port, owner);
  return [
    ...branchSteps(owner, tree),
    ...left.floatingIps
      .filter((one) => one.port_id === vip_port_id && isOwn(one, owner))
      .map((one) => {
        const { id: floatingIpId, revision_number: revision } = one;
        return { kind: 'hand-over-floating-ip', id: floatingIpId, description, revision, ...to } as const;
      }),
    ...left.vipPorts
      .filter(isHanded)
      .map(
        (port) => ({ kind: 'hand-over-vip-port', id: port.id, name: vipPortName(uid), description, ...to }) as const,
      ),
    // Last: by its mark, all that belongs to it is found.
    { kind: 'update-load-balancer', id, changes: { description, tags }, ...to },
  ];
}

/** A listener of another Service of the same namespace that shares it: no other may inherit an address. */
function heirOf(
  owner: BalancerOwner,
  { balancer, listeners }: BalancerTree,
  sharers: readonly Sharer[],
): Listener | undefined {
  const sharing = new Set(sharers.filter(({ balancerId }) => balancerId === balancer.id).map(({ uid }) => uid));
  const isOfNeighbour = (one: Listener) =>
    isOfCluster(one, owner.cluster) && !isOwn(one, owner) && namespaceOf(one) === namespaceOf(balancer);
  const others = listeners.filter((one) => isOfNeighbour(one) && sharing.has(readMark(one)?.service ?? ''));
  return others.toSorted((one, another) => (one.id < another.id ? -1 : 1))[0];
}

/** The load balancer itself, and what others have there, stays. */
function branchSteps(owner: BalancerOwner, { balancer, listeners, pools }: BalancerTree): readonly BalancerStep[] {
  if (provisioningOf(balancer).kind !== 'active') return [];
  return [
    ...listeners.filter((one) => isOwn(one, owner)).map(({ id }) => ({ kind: 'delete-listener', id }) as const),
    ...pools.filter((one) => isOwn(one, owner)).map(({ id }) => ({ kind: 'delete-pool', id }) as const),
  ];
}
