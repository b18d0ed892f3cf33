import type { ClusterId, IpFamily } from '@fairlead/control';
import type { OctaviaFeature, Subnet } from '../../client/index.ts';
import type { MemberKind } from './capabilities.ts';
import type { ProjectDriver } from './project-driver.ts';

export type SiteSubnet = Pick<Subnet, 'id' | 'cidr' | 'network_id'>;

/** Placements that a Service chooses by name, as the classes of cloud-provider-openstack. */
export interface PlacementClass {
  readonly networkId?: string;
  readonly subnetId?: string;
  readonly floatingNetworkId?: string;
  readonly floatingSubnetId?: string;
  readonly memberSubnetId?: string;
}

/** The OpenStack we work in: what the configuration names, as ids. */
export interface Site {
  readonly cluster: ClusterId;
  readonly project: ProjectDriver;
  readonly features: ReadonlySet<OctaviaFeature>;
  /** Undefined: the default of Octavia. */
  readonly provider: string | undefined;
  /** Where VIPs are, at most one of each family, all of one network. */
  readonly vipSubnets: Readonly<Partial<Record<IpFamily, SiteSubnet>>>;
  /** Where the VIPs of ClusterIP Services are: the subnet of the cluster's Service addresses. */
  readonly serviceSubnet: SiteSubnet | undefined;
  readonly floatingNetworkId: string | undefined;
  readonly members: MemberKind;
  /** In which of them a member is, by its address. */
  readonly memberSubnets: readonly SiteSubnet[];
  /** What pods, or nodes, are in: rules there let load balancers reach them. */
  readonly memberSecurityGroupIds: readonly string[];
  readonly flavorId: string | undefined;
  readonly availabilityZone: string | undefined;
  readonly hasHealthMonitors: boolean;
  readonly classes: Readonly<Record<string, PlacementClass>>;
  /** Annotations by which Services may choose nothing here. */
  readonly forbiddenAnnotations: readonly string[];
  /** By which name cloud-provider-openstack knew the cluster, where what it made is taken over. */
  readonly adoptedClusterName: string | undefined;
}

/** The subnets that the configuration names: of VIPs, and of members. */
export function configuredSubnets({ vipSubnets, serviceSubnet, memberSubnets }: Site): readonly SiteSubnet[] {
  return [vipSubnets.IPv4, vipSubnets.IPv6, serviceSubnet, ...memberSubnets].filter((subnet) => subnet !== undefined);
}
