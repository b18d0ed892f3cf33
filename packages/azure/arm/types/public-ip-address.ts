import type { ArmReference, TrackedArmResource } from './resource.ts';

export type IpVersion = 'IPv4' | 'IPv6';
export type AllocationMethod = 'Static' | 'Dynamic';

export interface PublicIpAddressProperties {
  readonly publicIPAllocationMethod: AllocationMethod;
  readonly publicIPAddressVersion?: IpVersion;
  /** Set by Azure, and not always at once. */
  readonly ipAddress?: string;
  readonly idleTimeoutInMinutes?: number;
  readonly dnsSettings?: { readonly domainNameLabel?: string };
  /** Where the address was taken from when it was made. */
  readonly publicIPPrefix?: { readonly id: string };
  /** Set by Azure: what in a load balancer uses it. */
  readonly ipConfiguration?: ArmReference<'frontendIPConfigurations'>;
  /** Set by Azure. */
  readonly natGateway?: ArmReference<'natGateways'>;
}

export interface PublicIpAddress extends TrackedArmResource<'publicIPAddresses', PublicIpAddressProperties> {
  readonly sku: { readonly name: 'Standard' | 'StandardV2'; readonly tier?: 'Regional' | 'Global' };
  readonly zones?: readonly string[];
}
