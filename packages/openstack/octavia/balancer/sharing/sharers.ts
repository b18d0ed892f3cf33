import { type KuryrLoadBalancer, serviceUidOf } from '../../resource/types.ts';

/** A Service to which another hands a load balancer, or what belongs to one, when it leaves. */
export type Heir = {
  readonly uid: string;
  readonly balancerId: string;
} & (
  | {
      /** It shares the load balancer. */
      readonly relation: 'shared';
      /** What its listeners there carry. */
      readonly tags: readonly string[];
    }
  /** The load balancer is its own already. */
  | { readonly relation: 'own' }
);

/** A Service that asks to be served by a load balancer that is there. */
export interface Sharer {
  readonly uid: string;
  readonly balancerId: string;
}

/** Who shares which load balancer, by what resources ask for; one that is being deleted asks for nothing any more. */
export function sharersIn(resources: readonly KuryrLoadBalancer[]): readonly Sharer[] {
  return resources.flatMap((resource) => {
    const balancerId = resource.spec?.vip?.load_balancer_id;
    const uid = serviceUidOf(resource);
    if (balancerId === undefined || uid === undefined) return [];
    return resource.metadata.deletionTimestamp === undefined ? [{ uid, balancerId }] : [];
  });
}

/** The UIDs of Services whose resources tell of a load balancer on the port, be it that it is being made anew. */
export function servedOn(portId: string, resources: readonly KuryrLoadBalancer[]): readonly string[] {
  const served = resources.filter(({ status }) => status?.loadbalancer?.port_id === portId);
  return served.flatMap((resource) => serviceUidOf(resource) ?? []);
}
