import type { FloatingIp, LoadBalancer } from '../../client/index.ts';
import type { DesiredBalancer } from './desired.ts';
import { descriptionOf, isOwn, readMark, tagsOf } from './marks.ts';
import type { BalancerStep } from './plan.ts';

/** How cloud-provider-openstack describes the floating IPs that it makes; others are of users. */
const FLOATING_IP_OF_PREDECESSOR = /^Floating IP for Kubernetes external service /;

/** Puts our mark on what Kuryr or cloud-provider-openstack made for the Service; its name, address and parts stay. */
export function adoptionSteps(
  { owner, adoptedNames }: DesiredBalancer,
  { id, tags, description, vip_port_id, name }: LoadBalancer,
  floatingIps: readonly FloatingIp[],
): readonly BalancerStep[] {
  if (!adoptedNames.includes(name)) return [];
  const mark = descriptionOf(owner);
  const inherited = floatingIps.filter(
    (one) => one.port_id === vip_port_id && FLOATING_IP_OF_PREDECESSOR.test(one.description),
  );
  const isMarked = isOwn({ tags, description }, owner);
  return [
    ...(isMarked ? [] : [markOf(id, [...tags, ...tagsOf(owner)], mark)]),
    ...inherited.map(
      (one) =>
        ({ kind: 'hand-over-floating-ip', id: one.id, description: mark, revision: one.revision_number }) as const,
    ),
  ];
}

function markOf(id: string, tags: readonly string[], description: string): BalancerStep {
  return { kind: 'update-load-balancer', id, changes: { tags, description } };
}

/** Whether a part of an adopted load balancer can become ours: nobody's mark is on it. */
export function isAdoptable(
  { adoptedNames }: DesiredBalancer,
  balancer: Pick<LoadBalancer, 'name'>,
  part: { readonly tags: readonly string[]; readonly description: string },
): boolean {
  return adoptedNames.includes(balancer.name) && readMark(part) === undefined;
}
