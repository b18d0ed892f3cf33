import type { ArmReference, ArmReferences, ArmResource } from './resource.ts';

export interface SubnetProperties {
  readonly addressPrefix?: string;
  /** In place of `addressPrefix` where there are several, as with both families. */
  readonly addressPrefixes?: readonly string[];
  readonly networkSecurityGroup?: ArmReference<'networkSecurityGroups'>;
  readonly natGateway?: ArmReference<'natGateways'>;
  readonly serviceGateway?: ArmReference<'serviceGateways'>;
  /** Set by Azure: what has an address in it. */
  readonly ipConfigurations?: ArmReferences<'frontendIPConfigurations'>;
}

export type Subnet = ArmResource<'subnets', SubnetProperties>;
