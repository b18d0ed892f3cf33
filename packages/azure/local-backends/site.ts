import { type ClusterId, isOurs, type OwnerMark, ownerTags, readOwnerTags, type ServiceUid } from '@fairlead/control';
import {
  type ArmId,
  type ArmTags,
  armId,
  armName,
  type CloudConfiguration,
  childArmId,
  networkGroup,
  nodeSubnetId,
  type ResourceGroup,
  securityGroupId,
  virtualNetworkId,
} from '../arm/index.ts';
import type { ConfiguredLoadBalancer } from './configuration.ts';
import { type ClusterMark, clusterMark, PART_NAME, readMarks, type ServiceMark, serviceMark } from './names.ts';

/** Where in Azure everything of one cluster lives, and how it is known to be ours. */
export interface AzureSite {
  readonly cluster: ClusterId;
  readonly mark: ClusterMark;
  readonly group: ResourceGroup;
  /** The region. */
  readonly location: string;
  readonly networkId: ArmId<'virtualNetworks'>;
  /** Where internal addresses come from, unless a Service names another subnet. */
  readonly subnetId: ArmId<'subnets'> | undefined;
  readonly securityGroupId: ArmId<'networkSecurityGroups'> | undefined;
  readonly loadBalancers: readonly ConfiguredLoadBalancer[];
}

/** Throws a terminal error when the configuration lacks something that the load balancers need. */
export function azureSite(
  cluster: ClusterId,
  cloud: CloudConfiguration,
  loadBalancers: readonly ConfiguredLoadBalancer[],
): AzureSite {
  const hasInternal = loadBalancers.some(({ frontends }) => frontends === 'internal');
  return {
    cluster,
    mark: clusterMark(cluster),
    group: networkGroup(cloud),
    location: cloud.location,
    networkId: virtualNetworkId(cloud),
    subnetId: hasInternal || cloud.subnetName !== undefined ? nodeSubnetId(cloud) : undefined,
    securityGroupId: securityGroupId(cloud),
    loadBalancers,
  };
}

export function loadBalancerId({ group }: AzureSite, name: string): ArmId<'loadBalancers'> {
  return armId('loadBalancers', group, name);
}

export function poolId(site: AzureSite, loadBalancer: string, pool: string): ArmId<'backendAddressPools'> {
  return childArmId('backendAddressPools', loadBalancerId(site, loadBalancer), pool);
}

export function publicIpId({ group }: AzureSite, name: string): ArmId<'publicIPAddresses'> {
  return armId('publicIPAddresses', group, name);
}

/** The subnet of this name in the network of the nodes; without a name, that of the nodes. */
export function subnetIdOf({ networkId, subnetId }: AzureSite, name: string | undefined): ArmId<'subnets'> {
  if (name !== undefined) return childArmId('subnets', networkId, name);
  if (subnetId === undefined) throw new TypeError(`${armName(networkId)} has no subnet for internal addresses`);
  return subnetId;
}

/** On what belongs to one Service, in the very call that creates it. */
export function serviceTags({ cluster }: AzureSite, service: ServiceUid): ArmTags {
  return ownerTags({ cluster, part: PART_NAME, service });
}

/** On what serves all Services of the cluster. */
export function clusterTags({ cluster }: AzureSite): ArmTags {
  return ownerTags({ cluster, part: PART_NAME });
}

/** The mark on a resource, when it is ours. */
export function ownMark({ cluster }: AzureSite, tags: ArmTags | undefined): OwnerMark | undefined {
  const mark = readOwnerTags(tags ?? {});
  return isOurs(mark, { cluster, part: PART_NAME }) ? mark : undefined;
}

/** The Service that a resource of ours belongs to. */
export function serviceOfTags(site: AzureSite, tags: ArmTags | undefined): ServiceMark | undefined {
  const uid = ownMark(site, tags)?.service;
  return uid === undefined ? undefined : serviceMark(uid);
}

/** The Service that something inside a load balancer or a security group belongs to, by its name. */
export function serviceOfName(site: AzureSite, name: string): ServiceMark | undefined {
  const marks = readMarks(name);
  return marks?.cluster === site.mark ? marks.service : undefined;
}
