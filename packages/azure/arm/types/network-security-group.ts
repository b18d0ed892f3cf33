import type { ArmReferences, TrackedArmResource } from './resource.ts';

/** A rule names one range or prefix, or several in the plural field. `*` stands for all. */
export interface SecurityRuleProperties {
  readonly description?: string;
  readonly protocol: 'Tcp' | 'Udp' | '*';
  readonly access: 'Allow' | 'Deny';
  readonly direction: 'Inbound' | 'Outbound';
  /** From 100 to 4096, once for each direction; the lowest that matches decides. */
  readonly priority: number;
  readonly sourcePortRange?: string;
  readonly sourcePortRanges?: readonly string[];
  readonly destinationPortRange?: string;
  readonly destinationPortRanges?: readonly string[];
  readonly sourceAddressPrefix?: string;
  readonly sourceAddressPrefixes?: readonly string[];
  readonly destinationAddressPrefix?: string;
  readonly destinationAddressPrefixes?: readonly string[];
}

export interface SecurityRule {
  readonly name: string;
  readonly properties: SecurityRuleProperties;
}

export interface NetworkSecurityGroupProperties {
  readonly securityRules?: readonly SecurityRule[];
  /** Set by Azure. */
  readonly subnets?: ArmReferences<'subnets'>;
}

export type NetworkSecurityGroup = TrackedArmResource<'networkSecurityGroups', NetworkSecurityGroupProperties>;
