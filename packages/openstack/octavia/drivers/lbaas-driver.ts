import type {
  HealthMonitorChanges,
  HealthMonitorRequest,
  ListenerChanges,
  ListenerRequest,
  LoadBalancer,
  LoadBalancerChanges,
  LoadBalancerRequest,
  MemberRequest,
  Pool,
  PoolChanges,
  PoolRequest,
} from '../../client/index.ts';
import type { BalancerTree } from '../balancer/observed.ts';
import type { Heir } from '../balancer/sharing/sharers.ts';

/** One change of a load balancer: one call, after which it is PENDING for a while. */
export type LbaasStep =
  | { readonly kind: 'create-load-balancer'; readonly body: LoadBalancerRequest }
  | {
      readonly kind: 'update-load-balancer';
      readonly id: string;
      readonly changes: LoadBalancerChanges;
      readonly heir?: Heir;
    }
  /** With all that is below it. */
  | { readonly kind: 'delete-load-balancer'; readonly id: string }
  | { readonly kind: 'create-listener'; readonly body: ListenerRequest }
  | { readonly kind: 'update-listener'; readonly id: string; readonly changes: ListenerChanges }
  | { readonly kind: 'delete-listener'; readonly id: string }
  | { readonly kind: 'create-pool'; readonly body: PoolRequest }
  | { readonly kind: 'update-pool'; readonly id: string; readonly changes: PoolChanges }
  | { readonly kind: 'delete-pool'; readonly id: string }
  /** Makes these all the members of a pool. */
  | { readonly kind: 'set-members'; readonly poolId: string; readonly members: readonly MemberRequest[] }
  | { readonly kind: 'create-monitor'; readonly body: HealthMonitorRequest }
  | { readonly kind: 'update-monitor'; readonly id: string; readonly changes: HealthMonitorChanges }
  | { readonly kind: 'delete-monitor'; readonly id: string };

/** A listener or a pool. */
export type TaggedChild = Pick<Pool, 'tags' | 'description' | 'loadbalancers'>;

/** What translates a Service to load balancers: Octavia, or another that is like it. */
export interface LbaasDriver {
  /** Those that carry all of these tags. */
  listTagged(tags: readonly string[], signal: AbortSignal): Promise<readonly LoadBalancer[]>;
  listNamed(name: string, signal: AbortSignal): Promise<readonly LoadBalancer[]>;
  /** Those that have their VIP on a port. */
  listOnPort(portId: string, signal: AbortSignal): Promise<readonly LoadBalancer[]>;
  find(id: string, signal: AbortSignal): Promise<LoadBalancer | undefined>;
  /** All below it. */
  tree(balancer: LoadBalancer, signal: AbortSignal): Promise<BalancerTree>;
  /** Listeners and pools of these tags, on whatever load balancers. */
  listTaggedChildren(tags: readonly string[], signal: AbortSignal): Promise<readonly TaggedChild[]>;
  hasFlavor(id: string, signal: AbortSignal): Promise<boolean>;
  hasProvider(name: string, signal: AbortSignal): Promise<boolean>;
  hasAvailabilityZone(name: string, signal: AbortSignal): Promise<boolean>;
  perform(step: LbaasStep, signal: AbortSignal): Promise<void>;
}
