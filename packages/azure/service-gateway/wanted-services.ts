import type { EgressPods } from './egress-pods.ts';
import { type Place, type ServiceList, withItem } from './places.ts';
import { isOutbound, type ServiceKey } from './service-key.ts';

/** What is wanted at the place now, as far as NRP could take it. Services of others that are there stay. */
export function wantedServices(place: Place, pods: EgressPods, foreign: ReadonlySet<ServiceKey>): ServiceList {
  let wanted: ServiceList = place.inbound;
  const outbound = wantedOutbound(place, pods, foreign);
  if (outbound !== undefined) wanted = withItem(wanted, outbound);
  if (foreign.size > 0) {
    for (const key of place.nrp) if (foreign.has(key)) wanted = withItem(wanted, key);
  }
  return wanted;
}

/**
 * The gateway of the pod that has the place. While that one is still being made, a pod that moves keeps the one it
 * has, so that its traffic never leaves by the wrong way; but the address of a pod that is gone passes on nothing.
 */
function wantedOutbound(place: Place, pods: EgressPods, foreign: ReadonlySet<ServiceKey>): ServiceKey | undefined {
  const owner = pods.ownerAt(place);
  if (owner === undefined) return undefined;
  if (owner.promoted) return owner.egress;
  if (place.draining.length > 0) return undefined;
  return place.nrp.find((key) => isOutbound(key) && !foreign.has(key));
}

/** Whether NRP has the place under a gateway that is not its present owner's. */
export function holdsPod(place: Place, pods: EgressPods, foreign: ReadonlySet<ServiceKey>): boolean {
  const owner = pods.ownerAt(place);
  const present = owner?.promoted === true ? owner.egress : undefined;
  return place.nrp.some((key) => isOutbound(key) && key !== present && !foreign.has(key));
}
