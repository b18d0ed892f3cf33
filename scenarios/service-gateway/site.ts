import { type ArmId, armId, childArmId } from '@fairlead/azure/arm';
import { clusterId, ownerTags } from '@fairlead/control';
import { CLOUD, GROUP } from '../azure.ts';

export const NAMESPACE = 'shop';
export const REPLICAS = ['replica-1', 'replica-2'];
export const PART = 'azure-service-gateway';

export const CLASS = 'fairlead.dev/azure-service-gateway';
export const FINALIZER = 'fairlead.dev/azure-service-gateway';
export const POD_FINALIZER = 'servicegateway.azure.com/pod-cleanup';
/** The condition of Services. */
export const PROGRAMMED = 'fairlead.dev/Programmed';
export const TAGS_ANNOTATION = 'service.beta.kubernetes.io/azure-pip-tags';
export const EGRESS_LABEL = 'kubernetes.azure.com/service-egress-gateway';

/** Marks what is ours in Azure. */
export const CLUSTER_ID = 'cluster-1';
export const OUR_TAGS = ownerTags({ cluster: clusterId(CLUSTER_ID), part: PART });

export const GATEWAY = armId('serviceGateways', GROUP, 'sgw');
export const NETWORK = armId('virtualNetworks', GROUP, CLOUD.vnetName);
export const SUBNET = childArmId('subnets', NETWORK, CLOUD.subnetName);

export const loadBalancerId = (name: string): ArmId<'loadBalancers'> => armId('loadBalancers', GROUP, name);
export const natGatewayId = (name: string): ArmId<'natGateways'> => armId('natGateways', GROUP, name);
export const publicIpId = (name: string): ArmId<'publicIPAddresses'> => armId('publicIPAddresses', GROUP, name);

/** The public addresses that a service may have, of either family. */
export const addressNames = (name: string): readonly string[] => [`${name}-pip`, `${name}-pip-v6`];
