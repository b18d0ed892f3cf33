import { type Condition, hasFinalizer, type KubeObject, type Protocol, type Resource } from '@fairlead/kube';
import type { OwnerFinalizer } from '@fairlead/service';

/** What a port of the Service becomes: a listener and its pool. */
export interface BalancedPort {
  readonly name?: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly targetPort: string;
}

/** Endpoints that share the same ports, as EndpointSlices have them. */
export interface EndpointSubset {
  readonly endpoints: readonly SubsetEndpoint[];
  readonly ports: readonly { readonly name?: string; readonly protocol: Protocol; readonly port: number }[];
}

export interface SubsetEndpoint {
  readonly addresses: readonly string[];
  readonly conditions?: { readonly ready?: boolean };
  readonly hostname?: string;
  readonly targetRef?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
}

/** Where the VIP is. */
export interface VipSpec {
  readonly network_id?: string;
  /** A port of the user's, that becomes the VIP's and stays. */
  readonly port_id?: string;
  /** The one that the Service shares, instead of having its own. */
  readonly load_balancer_id?: string;
  /** Further VIPs: one for each further family, on the network of the first. */
  readonly additional?: readonly { readonly subnet_id: string; readonly ip_address?: string }[];
}

export interface FloatingIpSpec {
  readonly network_id: string;
  readonly subnet_id?: string;
  /** One that the user chose. */
  readonly address?: string;
  /** It outlives the Service. */
  readonly keep?: boolean;
}

export interface HealthMonitorSpec {
  readonly delay: number;
  readonly timeout: number;
  readonly max_retries: number;
  readonly max_retries_down: number;
  /** Where nodes tell whether they have endpoints of their own. */
  readonly node_port?: number;
}

/** What connections are like, the same for all ports. */
export interface TrafficSpec {
  readonly lb_method?: string;
  readonly connection_limit?: number;
  readonly timeout_member_connect?: number;
  readonly timeout_tcp_inspect?: number;
  readonly proxy_protocol?: 'v1' | 'v2';
  readonly x_forwarded_for?: boolean;
  readonly default_tls_container_ref?: string;
  /** The same client is sent to the same member, for so many seconds where that can be said. */
  readonly affinity_seconds?: number;
  /** Who may connect; absent: everybody. */
  readonly allowed_cidrs?: readonly string[];
}

/** The fields that the ServiceHandler applies. */
export interface ServiceFields {
  /** How the object is to be read; absent: as Kuryr wrote it. */
  readonly schema_version?: number;
  readonly type?: string;
  /** The ClusterIP. */
  readonly ip?: string;
  /** The address that the user asked for. */
  readonly lb_ip?: string | null;
  readonly ports?: readonly BalancedPort[];
  readonly project_id?: string;
  readonly security_groups_ids?: readonly string[];
  /** What stands behind it: of one that is refused later, it is that still. */
  readonly members?: 'pods' | 'node-ports';
  /** Which nodes, as the Service says it. */
  readonly node_selector?: string;
  readonly subnet_id?: string;
  readonly member_subnet_id?: string;
  readonly provider?: string;
  readonly flavor_id?: string;
  readonly availability_zone?: string;
  readonly timeout_client_data?: number;
  readonly timeout_member_data?: number;
  /** Whether a load balancer that Kuryr or cloud-provider-openstack made for the Service becomes ours. */
  readonly adopts?: boolean;
  /** The addresses that it gave the Service: by one of them it is told from another of the same name. */
  readonly adopted_addresses?: readonly string[];
  readonly vip?: VipSpec;
  readonly floating_ip?: FloatingIpSpec;
  readonly traffic?: TrafficSpec;
  readonly health_monitor?: HealthMonitorSpec;
}

export interface KuryrLoadBalancerSpec extends ServiceFields {
  /** What the EndpointsHandler applies. */
  readonly endpointSlices?: readonly EndpointSubset[];
  /** What stood there before there were EndpointSlices. */
  readonly subsets?: readonly unknown[];
}

/** What exists in OpenStack, as it was found there last: to be read, never to be believed. */
export interface KuryrLoadBalancerStatus {
  readonly loadbalancer?: {
    readonly id: string;
    readonly ip?: string;
    readonly name?: string;
    readonly port_id?: string;
    readonly project_id?: string;
    readonly provider?: string;
    readonly security_groups?: readonly string[];
    readonly subnet_id?: string;
    readonly additional_ips?: readonly string[];
  } | null;
  readonly listeners?: readonly {
    readonly id: string;
    readonly loadbalancer_id?: string;
    readonly name?: string;
    readonly port?: number;
    readonly project_id?: string;
    readonly protocol?: string;
    readonly timeout_client_data?: number;
    readonly timeout_member_data?: number;
  }[];
  readonly pools?: readonly {
    readonly id: string;
    readonly listener_id?: string;
    readonly loadbalancer_id?: string;
    readonly name?: string;
    readonly project_id?: string;
    readonly protocol?: string;
  }[];
  readonly members?: readonly {
    readonly id: string;
    readonly ip?: string;
    readonly name?: string;
    readonly pool_id?: string;
    readonly port?: number;
    readonly project_id?: string;
    readonly subnet_id?: string;
  }[];
  readonly service_pub_ip_info?: {
    readonly ip_id?: string;
    readonly ip_addr?: string;
    readonly alloc_method?: string;
  } | null;
  readonly conditions?: readonly Condition[];
}

/** A load balancer as a resource: what a Service asks of it, what stands behind, and what exists in OpenStack. */
export interface KuryrLoadBalancer extends KubeObject {
  readonly spec?: KuryrLoadBalancerSpec;
  readonly status?: KuryrLoadBalancerStatus;
}

export const KURYR_GROUP = 'openstack.org';

export const kuryrLoadBalancers: Resource<KuryrLoadBalancer> = {
  group: KURYR_GROUP,
  version: 'v1',
  plural: 'kuryrloadbalancers',
  kind: 'KuryrLoadBalancer',
  namespaced: true,
};

export const SCHEMA_VERSION = 2;

/** What Kuryr held Services and resources by. */
export const KURYR_SERVICE_FINALIZER = 'kuryr.openstack.org/service-finalizer';
export const KURYR_FINALIZER = 'kuryr.openstack.org/kuryrloadbalancer-finalizers';

/** Holds Services, and the resources of Services. */
export const FINALIZER: OwnerFinalizer = 'fairlead.dev/octavia';

/** The one condition of the resource: whether OpenStack has what it asks for. */
export const PROGRAMMED = 'Programmed';

/** The Service that the resource was made for. Kuryr recorded none. */
export function serviceUidOf({ metadata }: KuryrLoadBalancer): string | undefined {
  return metadata.ownerReferences?.find(({ kind }) => kind === 'Service')?.uid;
}

/** The load balancer of which it tells. What Kuryr told has no conditions, and may be out of date. */
export function servedById({ status }: KuryrLoadBalancer): string | undefined {
  return status?.conditions === undefined ? undefined : status.loadbalancer?.id;
}

/** Whether the resource is one of ours, and not of a Kuryr that still runs. */
export function isOwnResource(resource: KuryrLoadBalancer): boolean {
  return hasFinalizer(resource, FINALIZER) || serviceUidOf(resource) !== undefined;
}
