import type { ArmReference, ArmReferences, TrackedArmResource } from './resource.ts';

export interface NatGatewayProperties {
  readonly idleTimeoutInMinutes?: number;
  readonly publicIpAddresses?: ArmReferences<'publicIPAddresses'>;
  readonly publicIpAddressesV6?: ArmReferences<'publicIPAddresses'>;
  /** The gateway that sends pods' traffic through it. */
  readonly serviceGateway?: ArmReference<'serviceGateways'> | null;
  /** Set by Azure. */
  readonly subnets?: ArmReferences<'subnets'>;
}

export interface NatGateway extends TrackedArmResource<'natGateways', NatGatewayProperties> {
  readonly sku: { readonly name: 'Standard' | 'StandardV2' };
  readonly zones?: readonly string[];
}
