import type { AllocationMethod, IpVersion } from './public-ip-address.ts';
import type { ArmChild, ArmReference, ArmReferences, ArmResource, TrackedArmResource } from './resource.ts';

export interface FrontendProperties {
  readonly publicIPAddress?: ArmReference<'publicIPAddresses'>;
  /** With a subnet, the load balancer is internal. */
  readonly subnet?: ArmReference<'subnets'>;
  readonly privateIPAddress?: string;
  readonly privateIPAllocationMethod?: AllocationMethod;
  readonly privateIPAddressVersion?: IpVersion;
}

export type Frontend = ArmChild<'frontendIPConfigurations', FrontendProperties> & {
  readonly zones?: readonly string[];
};

export interface BackendAddress {
  readonly name: string;
  readonly properties: {
    readonly ipAddress?: string;
    readonly virtualNetwork?: ArmReference<'virtualNetworks'>;
    readonly subnet?: ArmReference<'subnets'>;
    /** `Up` and `Down` overrule the probe. */
    readonly adminState?: 'None' | 'Up' | 'Down';
  };
}

interface BackendPoolProperties {
  readonly virtualNetwork?: ArmReference<'virtualNetworks'>;
  readonly loadBalancerBackendAddresses?: readonly BackendAddress[];
  /** Set by Azure: the rules that use it. */
  readonly loadBalancingRules?: ArmReferences<'loadBalancingRules'>;
}

/** A pool read or written by itself. Its etag is that of its load balancer: a change to either changes both. */
export type BackendPool = ArmResource<'backendAddressPools', BackendPoolProperties>;

type ProbeProperties = {
  readonly port: number;
  readonly intervalInSeconds?: number;
  readonly numberOfProbes?: number;
  readonly probeThreshold?: number;
} & ({ readonly protocol: 'Tcp' } | { readonly protocol: 'Http' | 'Https'; readonly requestPath: string });

interface LoadBalancingRuleProperties {
  readonly protocol: 'Tcp' | 'Udp' | 'All';
  readonly frontendPort: number;
  readonly backendPort: number;
  readonly frontendIPConfiguration: ArmReference<'frontendIPConfigurations'>;
  readonly backendAddressPool?: ArmReference<'backendAddressPools'>;
  readonly backendAddressPools?: ArmReferences<'backendAddressPools'>;
  readonly probe?: ArmReference<'probes'>;
  readonly loadDistribution?: 'Default' | 'SourceIP' | 'SourceIPProtocol';
  readonly idleTimeoutInMinutes?: number;
  readonly enableFloatingIP?: boolean;
  readonly enableTcpReset?: boolean;
  readonly disableOutboundSnat?: boolean;
}

/** A rule of others: only what it uses matters here. */
interface OtherRule {
  readonly properties: { readonly backendAddressPool?: ArmReference<'backendAddressPools'> };
}

export interface LoadBalancerProperties {
  /** For the SKU `Service` only. */
  readonly scope?: 'Public' | 'Private';
  readonly frontendIPConfigurations?: readonly Frontend[];
  readonly backendAddressPools?: readonly ArmChild<'backendAddressPools', BackendPoolProperties>[];
  readonly loadBalancingRules?: readonly ArmChild<'loadBalancingRules', LoadBalancingRuleProperties>[];
  readonly probes?: readonly ArmChild<'probes', ProbeProperties>[];
  readonly outboundRules?: readonly OtherRule[];
  readonly inboundNatRules?: readonly OtherRule[];
}

export interface LoadBalancer extends TrackedArmResource<'loadBalancers', LoadBalancerProperties> {
  /** `Service` is driven by a service gateway, `Standard` by its own backend pools. */
  readonly sku: { readonly name: 'Service' | 'Standard'; readonly tier?: 'Regional' | 'Global' };
}
