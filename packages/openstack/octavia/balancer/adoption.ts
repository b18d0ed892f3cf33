import { keyText, type ObjectKey } from '@fairlead/kube';
import type { FloatingIp, LoadBalancer } from '../../client/index.ts';
import type { Site } from '../drivers/site.ts';
import type { DesiredBalancer } from './desired.ts';
import { descriptionOf, isOwn, readMark, tagsOf } from './marks.ts';
import type { BalancerStep } from './plan.ts';

/** How cloud-provider-openstack and Kuryr describe the floating IPs that they make; others are of users. */
const FLOATING_IP_OF_PREDECESSOR = /^(?:Floating IP for Kubernetes external service |kuryr_lb$)/;

/** What a Service may take over. */
export type Adoption = Pick<
  DesiredBalancer,
  'owner' | 'adoptedNames' | 'adoptedAddresses' | 'adoptedSubnetId' | 'servedById'
>;

/** A load balancer that can be taken over, and what is on the port of its VIP. */
export interface Inheritance {
  readonly balancer: LoadBalancer;
  readonly floatingIps: readonly FloatingIp[];
}

/** How Kuryr and cloud-provider-openstack call the load balancer of a Service. */
export function adoptedNames(object: ObjectKey, { adoptedClusterName }: Pick<Site, 'adoptedClusterName'>) {
  if (adoptedClusterName === undefined) return [];
  return [keyText(object), `kube_service_${adoptedClusterName}_${object.namespace}_${object.name}`];
}

/** Other clusters of the project may have the same range of ClusterIPs, of which a tenant can choose one. */
export function adoptedSubnet(type: string | undefined, { serviceSubnet }: Site): string | undefined {
  return type === 'LoadBalancer' ? undefined : serviceSubnet?.id;
}

/** Puts our mark on what Kuryr or cloud-provider-openstack made for the Service; its name, address and parts stay. */
export function adoptionSteps(
  { owner, adoptedNames: names }: Adoption,
  { id, tags, description, vip_port_id, name }: LoadBalancer,
  floatingIps: readonly FloatingIp[],
): readonly BalancerStep[] {
  if (!names.includes(name)) return [];
  const mark = descriptionOf(owner);
  const inherited = floatingIps.filter(
    (one) => one.port_id === vip_port_id && FLOATING_IP_OF_PREDECESSOR.test(one.description),
  );
  const isMarked = isOwn({ tags, description }, owner);
  return [
    ...inherited.map(
      (one) =>
        ({ kind: 'hand-over-floating-ip', id: one.id, description: mark, revision: one.revision_number }) as const,
    ),
    // Last: a Service that is deleted before takes over what has no mark yet, and finds the rest by its mark.
    ...(isMarked ? [] : [markOf(id, [...tags, ...tagsOf(owner)], mark)]),
  ];
}

function markOf(id: string, tags: readonly string[], description: string): BalancerStep {
  return { kind: 'update-load-balancer', id, changes: { tags, description } };
}

/** Whether a part of an adopted load balancer can become ours: nobody's mark is on it. */
export function isAdoptable(
  { adoptedNames: names }: DesiredBalancer,
  balancer: Pick<LoadBalancer, 'name'>,
  part: { readonly tags: readonly string[]; readonly description: string },
): boolean {
  return names.includes(balancer.name) && readMark(part) === undefined;
}
