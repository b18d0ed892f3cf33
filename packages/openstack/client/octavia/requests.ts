/** Protocols of listeners that Services need. */
export type ListenerProtocol = 'TCP' | 'UDP' | 'SCTP' | 'HTTP' | 'HTTPS' | 'TERMINATED_HTTPS';
export type PoolProtocol = 'TCP' | 'UDP' | 'SCTP' | 'HTTP' | 'HTTPS' | 'PROXY' | 'PROXYV2';
export type PoolAlgorithm = 'ROUND_ROBIN' | 'LEAST_CONNECTIONS' | 'SOURCE_IP' | 'SOURCE_IP_PORT';
export type MonitorType = 'TCP' | 'HTTP' | 'HTTPS' | 'PING' | 'TLS-HELLO' | 'UDP-CONNECT' | 'SCTP';

/** A member of a pool. Octavia knows it by address and port. */
export interface MemberRequest {
  readonly address: string;
  readonly protocol_port: number;
  readonly name?: string;
  /** Without it, the load balancer looks for the member on the VIP's own network. It never changes. */
  readonly subnet_id?: string;
  /** 1 without it, in a batch update as well. */
  readonly weight?: number;
  readonly backup?: boolean;
  readonly monitor_address?: string;
  readonly monitor_port?: number;
  readonly admin_state_up?: boolean;
  readonly tags?: readonly string[];
}

export interface MemberChanges {
  readonly name?: string;
  readonly weight?: number;
  readonly backup?: boolean;
  readonly monitor_address?: string | null;
  readonly monitor_port?: number | null;
  readonly admin_state_up?: boolean;
  readonly tags?: readonly string[];
}

/** A health monitor that is created together with its pool. */
export interface NestedMonitorRequest {
  readonly type: MonitorType;
  /** Seconds. */
  readonly delay: number;
  /** Seconds. */
  readonly timeout: number;
  readonly max_retries: number;
  readonly max_retries_down?: number;
  readonly http_method?: string;
  readonly url_path?: string;
  readonly expected_codes?: string;
  readonly name?: string;
  readonly tags?: readonly string[];
}

export interface HealthMonitorRequest extends NestedMonitorRequest {
  readonly pool_id: string;
}

export type HealthMonitorChanges = Partial<Omit<NestedMonitorRequest, 'type'>>;

export interface SessionPersistence {
  readonly type: 'SOURCE_IP' | 'HTTP_COOKIE' | 'APP_COOKIE';
  readonly cookie_name?: string;
  /** Seconds; of UDP and SCTP pools only. */
  readonly persistence_timeout?: number;
  readonly persistence_granularity?: string;
}

/** A pool that is created together with its load balancer, in which its name is how listeners refer to it. */
export interface NestedPoolRequest {
  readonly name: string;
  readonly protocol: PoolProtocol;
  readonly lb_algorithm: PoolAlgorithm;
  readonly session_persistence?: SessionPersistence;
  readonly members?: readonly MemberRequest[];
  readonly healthmonitor?: NestedMonitorRequest;
  readonly description?: string;
  readonly tags?: readonly string[];
}

/** Of one of a load balancer, or of one listener whose default pool it becomes. */
export type PoolRequest = Omit<NestedPoolRequest, 'name'> & { readonly name?: string } & (
    | { readonly loadbalancer_id: string }
    | { readonly listener_id: string }
  );

export interface PoolChanges {
  readonly name?: string;
  readonly description?: string;
  readonly lb_algorithm?: PoolAlgorithm;
  readonly session_persistence?: SessionPersistence | null;
  readonly tags?: readonly string[];
}

interface ListenerFields {
  readonly name?: string;
  readonly description?: string;
  readonly connection_limit?: number;
  readonly default_tls_container_ref?: string;
  readonly insert_headers?: Readonly<Record<string, string>>;
  /** Milliseconds, as all timeouts here. */
  readonly timeout_client_data?: number;
  readonly timeout_member_connect?: number;
  readonly timeout_member_data?: number;
  readonly timeout_tcp_inspect?: number;
  readonly allowed_cidrs?: readonly string[];
  readonly tags?: readonly string[];
}

/** A listener that is created together with its load balancer. */
export interface NestedListenerRequest extends ListenerFields {
  readonly protocol: ListenerProtocol;
  readonly protocol_port: number;
  /** The whole pool, or the name of one that is created beside it. */
  readonly default_pool?: NestedPoolRequest | { readonly name: string };
}

export interface ListenerRequest extends ListenerFields {
  readonly loadbalancer_id: string;
  readonly protocol: ListenerProtocol;
  readonly protocol_port: number;
  readonly default_pool_id?: string;
}

/** Protocol and port of a listener never change. */
export interface ListenerChanges extends Omit<ListenerFields, 'allowed_cidrs'> {
  readonly default_pool_id?: string | null;
  /** Null or empty lets everybody in. */
  readonly allowed_cidrs?: readonly string[] | null;
}

/** A new load balancer. Its VIP is on the port, or else on the subnet, or else somewhere in the network. */
export interface LoadBalancerRequest {
  readonly name: string;
  readonly description?: string;
  readonly project_id?: string;
  readonly vip_port_id?: string;
  readonly vip_subnet_id?: string;
  readonly vip_network_id?: string;
  readonly vip_address?: string;
  readonly vip_sg_ids?: readonly string[];
  /** One for each further subnet, all of the network of the first. */
  readonly additional_vips?: readonly { readonly subnet_id: string; readonly ip_address?: string }[];
  readonly provider?: string;
  readonly flavor_id?: string;
  readonly availability_zone?: string;
  readonly tags?: readonly string[];
  readonly listeners?: readonly NestedListenerRequest[];
  /** Pools that several listeners share, or none. */
  readonly pools?: readonly NestedPoolRequest[];
}

/** The VIP of a load balancer never changes. */
export interface LoadBalancerChanges {
  readonly name?: string;
  readonly description?: string;
  readonly admin_state_up?: boolean;
  readonly vip_sg_ids?: readonly string[] | null;
  readonly tags?: readonly string[];
}
