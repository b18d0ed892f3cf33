import { type KuryrLoadBalancer, serviceUidOf } from '../resource/types.ts';
import type { Sharer } from './observed.ts';

/** Who shares which load balancer, by what resources ask for; one that is being deleted asks for nothing any more. */
export function sharersIn(resources: readonly KuryrLoadBalancer[]): readonly Sharer[] {
  return resources.flatMap((resource) => {
    const balancerId = resource.spec?.vip?.load_balancer_id;
    const uid = serviceUidOf(resource);
    if (balancerId === undefined || uid === undefined) return [];
    return resource.metadata.deletionTimestamp === undefined ? [{ uid, balancerId }] : [];
  });
}
