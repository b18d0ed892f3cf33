import type {
  FloatingIp,
  HealthMonitor,
  Listener,
  LoadBalancer,
  Member,
  Pool,
  Port,
  Subnet,
} from '../../client/index.ts';

/** A load balancer with all that is below it. */
export interface BalancerTree {
  readonly balancer: LoadBalancer;
  readonly listeners: readonly Listener[];
  readonly pools: readonly Pool[];
  /** By the id of the pool. */
  readonly members: ReadonlyMap<string, readonly Member[]>;
  readonly monitors: readonly HealthMonitor[];
}

/** The load balancer that a Service is served by. */
export interface Serving {
  readonly balancer: LoadBalancer;
  /** `adoptable`: Kuryr or cloud-provider-openstack made it, and it is to become ours. */
  readonly relation: 'own' | 'shared' | 'adoptable';
}

/** What there is in OpenStack of one Service. */
export interface ObservedBalancer {
  readonly serving: Serving | undefined;
  /** Undefined while it is PENDING, or there is none. */
  readonly tree: BalancerTree | undefined;
  /** One of the same name with a mark of nobody's: it may be Kuryr's, or a user's. Of who is served: at its address. */
  readonly namesake: LoadBalancer | undefined;
  /** The ports that we made for its VIP. */
  readonly vipPorts: readonly Port[];
  /** Where a new VIP port can be made, when only a network is named. */
  readonly subnets: readonly Subnet[];
  /** Those on the VIP's port, those that carry its mark, and the one that the user chose. */
  readonly floatingIps: readonly FloatingIp[];
  /** Load balancers of others that have their VIPs where one of these ports or floating IPs is, which carry its mark. */
  readonly users: readonly LoadBalancer[];
}
