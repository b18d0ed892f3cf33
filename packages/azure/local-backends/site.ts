import type { ClusterId } from '@fairlead/control';
import type { KubeClient } from '@fairlead/kube';
import { readClusterId } from '@fairlead/part';
import {
  type ArmId,
  type ArmTags,
  type AzureScope,
  armId,
  armName,
  azureScope,
  type CloudConfiguration,
  childArmId,
  nodeSubnetId,
  ownMark,
  securityGroupId,
} from '../arm/index.ts';
import type { ConfiguredLoadBalancer, LocalBackendsConfiguration } from './configuration.ts';
import { type ClusterMark, clusterMark, PART_NAME, readMarks, type ServiceMark, serviceMark } from './names.ts';

export interface AzureSite extends AzureScope {
  readonly mark: ClusterMark;
  /** Where internal addresses come from, unless a Service names another subnet. */
  readonly subnetId: ArmId<'subnets'> | undefined;
  readonly securityGroupId: ArmId<'networkSecurityGroups'> | undefined;
  readonly loadBalancers: readonly ConfiguredLoadBalancer[];
  /** In which zones new addresses are; undefined: as Azure does it. */
  readonly zones: readonly string[] | undefined;
}

/** Where everything is, for the cluster that the client reads. */
export async function readSite(
  client: KubeClient,
  cloud: CloudConfiguration,
  { clusterId, loadBalancers, zones }: Pick<LocalBackendsConfiguration, 'clusterId' | 'loadBalancers' | 'zones'>,
  signal: AbortSignal,
): Promise<AzureSite> {
  return azureSite(await readClusterId(clusterId, client, { signal }), cloud, loadBalancers, zones);
}

/** Throws a terminal error when the configuration lacks something that the load balancers need. */
export function azureSite(
  cluster: ClusterId,
  cloud: CloudConfiguration,
  loadBalancers: readonly ConfiguredLoadBalancer[],
  zones?: readonly string[],
): AzureSite {
  const hasInternal = loadBalancers.some(({ frontends }) => frontends === 'internal');
  return {
    ...azureScope(PART_NAME, cluster, cloud),
    mark: clusterMark(cluster),
    subnetId: hasInternal || cloud.subnetName !== undefined ? nodeSubnetId(cloud) : undefined,
    securityGroupId: securityGroupId(cloud),
    loadBalancers,
    zones,
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
