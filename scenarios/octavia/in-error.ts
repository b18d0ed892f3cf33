import { type KubeObject, services } from '@fairlead/kube';
import { type LoadBalancerResource, resources } from './resources.ts';
import { fieldText } from './site.ts';
import type { World } from './world.ts';

type Found = Readonly<Record<string, unknown>>;

/**
 * Whether its Service asks for one by its id, and is refused. If that is this one, it is not made anew, as it would have
 * another id; if that is another, it stays as it is until the Service is served there. Both are for a user to put right.
 */
export function isNotRecovered({ objects }: World, balancer: Found): boolean {
  const mark = JSON.stringify(balancer);
  // What Kuryr stored has no owner.
  const isOfIt = (uid: string | undefined) => uid !== undefined && mark.includes(`fairlead-service=${uid}`);
  const service = objects(services).find(({ metadata }) => isOfIt(metadata.uid));
  const resource = objects(resources).find(({ metadata }) => isOfIt(metadata.ownerReferences?.[0]?.uid));
  const isRefused = service?.status?.conditions?.some(({ message }) => message.startsWith('Refused')) === true;
  const isSharing = resource?.spec?.vip?.load_balancer_id !== undefined;
  return balancer['provisioning_status'] === 'ERROR' && isSharing && isRefused;
}

/** One that is refused as its load balancer is in ERROR has the same reason: that it is held is said besides. */
function isOfHeld({ reason, message }: { readonly reason?: string; readonly message?: string }): boolean {
  return reason === 'LoadBalancerInError' && message?.startsWith('It is held') === true;
}

/** Octavia takes nothing away from one in ERROR: who leaves it is held, and told so, until a user has put that right. */
export function isHeldByError(world: World, { metadata }: KubeObject): boolean {
  const uid = metadata.ownerReferences?.[0]?.uid ?? metadata.uid ?? '';
  const resource = world.objects(resources).find((one) => one.metadata.ownerReferences?.[0]?.uid === uid);
  const service = world.objects(services).find((one) => one.metadata.uid === uid);
  const isUntold = [resource, service].some((one) => {
    const conditions = one?.status?.conditions ?? [];
    return one !== undefined && !conditions.some(isOfHeld);
  });
  if (isUntold) return false;
  return world.emulator
    .octaviaResources('loadbalancers')
    .filter((one) => isNotRecovered(world, one))
    .some(({ id }) =>
      // Its listeners go first, and may be gone.
      [...world.emulator.octaviaResources('listeners'), ...world.emulator.octaviaResources('pools')]
        .filter((one) => one['loadbalancer_id'] === id)
        .some((one) => JSON.stringify(one).includes(uid)),
    );
}

/** Octavia takes nothing away from one in ERROR: what is left there by who is served elsewhere is of no use to anybody. */
export function isLeftBehind({ status }: LoadBalancerResource, balancer: Found | undefined): boolean {
  const isServed = status?.conditions?.some(({ type, status: is }) => type === 'Programmed' && is === 'True') === true;
  const isElsewhere = status?.loadbalancer?.id !== fieldText(balancer, 'id');
  return isServed && isElsewhere && fieldText(balancer, 'provisioning_status') === 'ERROR';
}
