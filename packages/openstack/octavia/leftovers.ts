import type { Service } from '@fairlead/kube';
import { type ClaimRules, claimService } from '@fairlead/service';
import { isOwnResource, type KuryrLoadBalancer, serviceUidOf } from './resource/types.ts';

/** Load balancers that no Service stands behind, all at once, are more likely a mistake than meant. */
export const LEFTOVER_BRAKE = { things: 'load balancers' };

/** The UIDs of Services that may have something in OpenStack. */
export function livingOwners(
  all: readonly Service[],
  resources: readonly KuryrLoadBalancer[],
  rules: ClaimRules,
): ReadonlySet<string> {
  const held = all.filter((service) => claimService(service, rules).state !== 'foreign');
  return new Set([
    ...held.map(({ metadata }) => metadata.uid ?? ''),
    ...resources.filter(isOwnResource).map((one) => serviceUidOf(one) ?? ''),
  ]);
}
