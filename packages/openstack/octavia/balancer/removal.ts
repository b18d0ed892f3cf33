import { type FloatingIp, type Listener, type LoadBalancer, type Port, provisioningOf } from '../../client/index.ts';
import { floatingIpRemovals } from './network/floating-ips.ts';
import { handOnSteps } from './sharing/hand-on.ts';
import { type BalancerOwner, descriptionOf, isOfCluster, isOwn, namespaceOf, readMark, vipPortName } from './marks.ts';
import type { BalancerTree } from './observed.ts';
import type { Sharer } from './sharing/sharers.ts';
import type { BalancerPlan, BalancerStep } from './plan.ts';

/** All that is left in OpenStack of a Service, found by its mark alone. */
export interface Leftovers {
  /** Its load balancers. */
  readonly own: readonly BalancerTree[];
  /** Those of others on which it has listeners or pools. */
  readonly shared: readonly BalancerTree[];
  readonly vipPorts: readonly Port[];
  readonly floatingIps: readonly FloatingIp[];
  /** Load balancers of others that have their VIPs where one of these ports or floating IPs is. */
  readonly users: readonly LoadBalancer[];
  /** All that share a load balancer now: one that has listeners there may have asked for its own again. */
  readonly sharers: readonly Sharer[];
}

/** What takes all of it down, in order. Nothing to do and nothing to wait for: nothing is left. */
export function planRemoval(owner: BalancerOwner, keepsFloatingIp: boolean, left: Leftovers): BalancerPlan {
  const pending = [...left.own, ...left.shared].find((tree) => isIn('pending', tree));
  // What it has on one in ERROR cannot be deleted before the owner of that has put it right, or has deleted it.
  const waitsFor = (pending ?? left.shared.find((tree) => isIn('error', tree)))?.balancer;
  const handedOn = handOnSteps(owner, { ...left, ports: left.vipPorts });
  const staying = new Set([...handedOn.map(({ id }) => id), ...addressesInUse(owner, left)]);
  const removed = left.floatingIps.filter(({ id }) => !staying.has(id));
  const steps: readonly BalancerStep[] = [
    // First: by what it has on a load balancer, the floating IP there is found.
    ...handedOn,
    ...floatingIpRemovals(owner, keepsFloatingIp, removed),
    ...left.own.flatMap((tree) => trunkSteps(owner, tree, left)),
    ...left.shared.flatMap((tree) => branchSteps(owner, tree)),
  ];
  if (steps.length > 0 || waitsFor !== undefined) return { steps, waitsFor };
  // Only now: Neutron keeps no port from being deleted that a load balancer still has.
  const ports = left.vipPorts.filter((port) => isOwn(port, owner));
  return { steps: ports.map(({ id }) => ({ kind: 'delete-vip-port', id })), waitsFor: undefined };
}

/** All that takes it down, look after look, as if nothing had to be waited for. */
export function removalSteps(owner: BalancerOwner, keepsFloatingIp: boolean, left: Leftovers): readonly BalancerStep[] {
  const { steps } = planRemoval(owner, keepsFloatingIp, left);
  return steps.length === 0 ? [] : [...steps, ...removalSteps(owner, keepsFloatingIp, without(steps, left))];
}

/** What is still its own after these steps. */
function without(steps: readonly BalancerStep[], left: Leftovers): Leftovers {
  const done = new Set(steps.flatMap((step) => ('id' in step ? step.id : [])));
  const isLeft = ({ id }: { readonly id: string }) => !done.has(id);
  const trees = (all: readonly BalancerTree[]) =>
    all
      .filter(({ balancer }) => isLeft(balancer))
      .map((tree) => ({ ...tree, listeners: tree.listeners.filter(isLeft), pools: tree.pools.filter(isLeft) }));
  return {
    ...left,
    own: trees(left.own),
    shared: trees(left.shared),
    vipPorts: left.vipPorts.filter(isLeft),
    floatingIps: left.floatingIps.filter(isLeft),
  };
}

/**
 * The floating IPs of its load balancers that are handed over, or that another may still come to share before they go.
 * Those on a port of Octavia's, which goes with the load balancer, would not be found there later.
 */
function addressesInUse(owner: BalancerOwner, { own, vipPorts, floatingIps, sharers }: Leftovers): readonly string[] {
  const isHanded = (tree: BalancerTree) => heirOf(owner, tree, sharers) !== undefined;
  const isOnOurPort = ({ balancer }: BalancerTree) => vipPorts.some(({ id }) => id === balancer.vip_port_id);
  const kept = own.filter((tree) => isHanded(tree) || isOnOurPort(tree));
  const ports = new Set(kept.flatMap(({ balancer }) => balancer.vip_port_id ?? []));
  return floatingIps.filter(({ port_id }) => port_id !== null && ports.has(port_id)).map(({ id }) => id);
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
  if (heir === undefined) return [...takenBack(owner, tree, left.floatingIps), { kind: 'delete-load-balancer', id }];
  const { description, tags } = heir;
  const uid = readMark(heir)?.service ?? '';
  const to = { heir: { relation: 'shared', uid, tags, balancerId: id } } as const;
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

/** One that was to inherit it and moved on has its floating IP, and would not find it any more when the port is gone. */
function takenBack(
  owner: BalancerOwner,
  { balancer }: BalancerTree,
  floatingIps: readonly FloatingIp[],
): readonly BalancerStep[] {
  const [namespace] = owner.name.split('/');
  const isNeighbours = (one: FloatingIp) =>
    isOfCluster(one, owner.cluster) && !isOwn(one, owner) && namespaceOf(one) === namespace;
  return floatingIps
    .filter((one) => one.port_id !== null && one.port_id === balancer.vip_port_id && isNeighbours(one))
    .map(({ id, revision_number: revision }) => {
      return { kind: 'hand-over-floating-ip', id, description: descriptionOf(owner), revision };
    });
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
