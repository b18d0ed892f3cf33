import { refusal } from '@fairlead/service';
import type { FloatingIp, FloatingIpRequest } from '../../../client/index.ts';
import type { FloatingIpSpec } from '../../resource/types.ts';
import { type BalancerOwner, descriptionOf, isOwn, readMark } from '../marks.ts';
import type { Heir } from '../sharing/sharers.ts';

/** One change of a floating IP. */
export type FloatingIpStep =
  | { readonly kind: 'create-floating-ip'; readonly body: FloatingIpRequest }
  | {
      readonly kind: 'assign-floating-ip';
      readonly id: string;
      readonly portId: string;
      readonly revision?: number | undefined;
    }
  /** Takes it from its port; it stays. */
  | { readonly kind: 'detach-floating-ip'; readonly id: string; readonly revision?: number | undefined }
  /** Takes our mark off: it is the user's from then on. */
  | { readonly kind: 'give-away-floating-ip'; readonly id: string; readonly revision?: number | undefined }
  /** To a Service that shares the load balancer with one that leaves. */
  | {
      readonly kind: 'hand-over-floating-ip';
      readonly id: string;
      readonly description: string;
      /** Absent where it comes from a program that served the Service before, or back from one that moved on. */
      readonly heir?: Heir;
      readonly revision?: number | undefined;
    }
  | { readonly kind: 'delete-floating-ip'; readonly id: string; readonly revision?: number | undefined };

/** What leads to the VIP from outside; one that a user put there is as good as ours, and stays the user's. */
export function floatingIpSteps(
  owner: BalancerOwner,
  wanted: FloatingIpSpec | undefined,
  portId: string,
  all: readonly FloatingIp[],
): readonly FloatingIpStep[] {
  const current = all.filter((one) => one.port_id === portId);
  const ours = all.filter((one) => isOwn(one, owner));
  if (wanted === undefined) return ours.map(removal);
  const chosen = chosenFrom(wanted, current, ours, all);
  const inTheWay = current.filter((one) => one !== chosen);
  const spare = ours.filter((one) => one !== chosen && !inTheWay.includes(one));
  const freeing = [
    ...inTheWay.map((one) => (isOwn(one, owner) ? removal(one) : detaching(one))),
    ...spare.map(removal),
  ];
  if (chosen === undefined) return [...freeing, creation(owner, wanted, portId)];
  if (chosen.port_id === portId) return freeing;
  const isMarked = readMark(chosen) !== undefined && !isOwn(chosen, owner);
  if (chosen.port_id !== null || isMarked) {
    const where = isMarked ? 'was made for another' : 'is on another port';
    throw refusal('address-unavailable', `it asks for the floating IP ${chosen.floating_ip_address}, which ${where}`);
  }
  const { id, revision_number: revision } = chosen;
  return [...freeing, { kind: 'assign-floating-ip', id, portId, revision }];
}

function chosenFrom(
  { address }: FloatingIpSpec,
  current: readonly FloatingIp[],
  ours: readonly FloatingIp[],
  all: readonly FloatingIp[],
): FloatingIp | undefined {
  if (address !== undefined) return all.find((one) => one.floating_ip_address === address);
  return current[0] ?? ours.find(({ port_id }) => port_id === null);
}

function creation(owner: BalancerOwner, wanted: FloatingIpSpec, portId: string): FloatingIpStep {
  const { network_id, subnet_id, address } = wanted;
  const body = {
    floating_network_id: network_id,
    port_id: portId,
    description: descriptionOf(owner),
    ...(subnet_id === undefined ? {} : { subnet_id }),
    ...(address === undefined ? {} : { floating_ip_address: address }),
  };
  return { kind: 'create-floating-ip', body };
}

function removal({ id, revision_number: revision }: FloatingIp): FloatingIpStep {
  return { kind: 'delete-floating-ip', id, revision };
}

function detaching({ id, revision_number: revision }: FloatingIp): FloatingIpStep {
  return { kind: 'detach-floating-ip', id, revision };
}

/** When the Service leaves: what we made goes, unless it is to be kept. A user's was only ever on our port. */
export function floatingIpRemovals(
  owner: BalancerOwner,
  keep: boolean,
  all: readonly FloatingIp[],
): readonly FloatingIpStep[] {
  return all
    .filter((one) => isOwn(one, owner))
    .map((one) => (keep ? { kind: 'give-away-floating-ip', id: one.id, revision: one.revision_number } : removal(one)));
}
