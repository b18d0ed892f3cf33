import type { FloatingIp, LoadBalancer, Port } from '../../../client/index.ts';
import { type BalancerOwner, isOfCluster, isOwn, type Marked, namespaceOf, readMark, vipPortName } from '../marks.ts';
import type { NetworkStep } from '../network/network-steps.ts';

type User = Pick<LoadBalancer, 'id' | 'description' | 'tags' | 'vip_port_id'>;

/** What carries the mark of a Service, and the load balancers of others that have their VIPs there. */
export interface MisplacedThings {
  readonly ports: readonly Pick<Port, 'id' | 'description'>[];
  readonly floatingIps: readonly Pick<FloatingIp, 'id' | 'description' | 'port_id' | 'revision_number'>[];
  readonly users: readonly User[];
}

type HandOnStep = Extract<NetworkStep, { kind: 'hand-over-floating-ip' | 'hand-over-vip-port' }>;

/**
 * A Service that was to inherit a load balancer and left, or stopped to share, may have got its port or floating IP
 * already: they go to the Service that the load balancer is of, which serves with them, or hands them on with it.
 */
export function handOnSteps(owner: BalancerOwner, things: MisplacedThings): readonly HandOnStep[] {
  return things.users.flatMap((balancer): readonly HandOnStep[] => {
    const { id, description, vip_port_id } = balancer;
    const uid = readMark(balancer)?.service;
    if (uid === undefined || isOwn(balancer, owner)) return [];
    const isMisplaced = (one: Marked) => isOwn(one, owner) && isSafeWith(balancer, one, owner);
    const to = { description, heir: { relation: 'own', uid, balancerId: id } } as const;
    const floatingIps = things.floatingIps.filter((one) => one.port_id === vip_port_id && isMisplaced(one));
    const ports = things.ports.filter((one) => one.id === vip_port_id && isMisplaced(one));
    return [
      ...floatingIps.map(
        (one) => ({ kind: 'hand-over-floating-ip', id: one.id, revision: one.revision_number, ...to }) as const,
      ),
      // Last: by it, the floating IP is found.
      ...ports.map((one) => ({ kind: 'hand-over-vip-port', id: one.id, name: vipPortName(uid), ...to }) as const),
    ];
  });
}

/** The ports on which something is that carries the mark of a Service. */
export function markedPorts(
  owner: BalancerOwner,
  ports: readonly Port[],
  floatingIps: readonly FloatingIp[],
): ReadonlySet<string> {
  const given = ports.filter((one) => isOwn(one, owner)).map(({ id }) => id);
  const led = floatingIps.filter((one) => isOwn(one, owner)).flatMap(({ port_id }) => port_id ?? []);
  return new Set([...given, ...led]);
}

/** No address passes from one namespace to another, nor to another cluster. */
function isSafeWith(balancer: User, thing: Marked, { cluster }: BalancerOwner): boolean {
  return isOfCluster(balancer, cluster) && namespaceOf(balancer) === namespaceOf(thing);
}
