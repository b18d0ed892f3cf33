import type { ClusterId, IpFamily } from '@fairlead/control';

/** Where ports of a pool are made, and what they get. All ids are Neutron's. */
export interface PortPool {
  readonly name: string;
  readonly networkId: string;
  /** For each family that the pool has addresses of. */
  readonly subnetIds: Readonly<Partial<Record<IpFamily, string>>>;
  /** The network of the floating IPs that ports get; none where it is absent, and never for IPv6. */
  readonly floatingNetworkId?: string;
  /** Ports that users made. */
  readonly portIds?: readonly string[];
  /** The addresses of floating IPs that users made. */
  readonly floatingAddresses?: readonly string[];
  /** Neutron's default where it is absent. */
  readonly securityGroupIds?: readonly string[];
}

/** Whose ports these are, and the pools that they belong to. */
export interface PortScope {
  readonly cluster: ClusterId;
  readonly part: string;
  readonly pools: readonly PortPool[];
}
