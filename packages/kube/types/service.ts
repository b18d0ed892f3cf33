import type { Condition, KubeObject } from './meta.ts';

/* Objects as the API has them, with the fields that are read or written here. */

export type Protocol = 'TCP' | 'UDP' | 'SCTP';
export type IpFamily = 'IPv4' | 'IPv6';
export type ServiceType = 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
/** `Local`: only endpoints on the node where the traffic arrives. */
export type TrafficPolicy = 'Cluster' | 'Local';

export interface ServicePort {
  /** Required by the API when there is more than one port. */
  readonly name?: string;
  /** The server fills in TCP. */
  readonly protocol?: Protocol;
  readonly appProtocol?: string;
  readonly port: number;
  /** A number, or the name of a container port; the server fills in `port`. */
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

export interface SessionAffinityConfig {
  readonly clientIP?: { readonly timeoutSeconds?: number };
}

export interface ServiceSpec {
  readonly type?: ServiceType;
  readonly selector?: Readonly<Record<string, string>>;
  readonly ports?: readonly ServicePort[];
  /** `None` for a headless Service. */
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly ipFamilies?: readonly IpFamily[];
  readonly ipFamilyPolicy?: 'SingleStack' | 'PreferDualStack' | 'RequireDualStack';
  readonly externalIPs?: readonly string[];
  readonly externalName?: string;
  readonly externalTrafficPolicy?: TrafficPolicy;
  readonly internalTrafficPolicy?: TrafficPolicy;
  readonly healthCheckNodePort?: number;
  readonly publishNotReadyAddresses?: boolean;
  readonly sessionAffinity?: 'None' | 'ClientIP';
  readonly sessionAffinityConfig?: SessionAffinityConfig;
  readonly trafficDistribution?: string;
  readonly loadBalancerClass?: string;
  /** Deprecated by Kubernetes, and still what many users ask for an address with. */
  readonly loadBalancerIP?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly allocateLoadBalancerNodePorts?: boolean;
}

export interface LoadBalancerIngressPort {
  readonly port: number;
  readonly protocol: Protocol;
  readonly error?: string;
}

export interface LoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  /** `Proxy`: traffic reaches the nodes with the node's address as destination, so nodes must not short-cut it. */
  readonly ipMode?: 'VIP' | 'Proxy';
  readonly ports?: readonly LoadBalancerIngressPort[];
}

export interface ServiceStatus {
  readonly loadBalancer?: { readonly ingress?: readonly LoadBalancerIngress[] };
  readonly conditions?: readonly Condition[];
}

export interface Service extends KubeObject {
  readonly spec: ServiceSpec;
  readonly status?: ServiceStatus;
}
