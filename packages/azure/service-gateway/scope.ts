import { type ClusterId, type IpFamily, readOwnerTags } from '@fairlead/control';
import {
  type ArmId,
  type ArmTags,
  type AzureScope,
  armId,
  azureScope,
  type CloudConfiguration,
  childArmId,
  clusterTags,
  nodeSubnetId,
  requireArmId,
  serviceTags,
} from '../arm/index.ts';
import type { ServiceGatewayConfiguration } from './configuration.ts';
import {
  egressName,
  inboundKey,
  keyFromNrp,
  type NrpKey,
  nrpName,
  type OutboundKey,
  outboundKey,
} from './engine/nrp-key.ts';
import { isInboundSpec, type ServiceSpec } from './engine/service-spec.ts';

export const PART_NAME = 'azure-service-gateway';
/** Whom the API server names as the writer of what we write. */
export const FIELD_MANAGER = `fairlead-${PART_NAME}`;

export const FAMILIES = ['IPv4', 'IPv6'] as const satisfies readonly IpFamily[];

/** On what belongs to an egress gateway: its name, as a Service's things carry its UID. */
const EGRESS_TAG = 'fairlead-egress';

/** What an operator has decided about the public addresses of an egress gateway. */
export interface EgressAddresses {
  /** They stay when its last pod goes, for the next one. */
  readonly areKept: boolean;
  /** The operator's own, in place of those that would be made. */
  readonly own: Readonly<Partial<Record<IpFamily, ArmId<'publicIPAddresses'>>>>;
}

export interface GatewayScope extends AzureScope {
  readonly gatewayId: ArmId<'serviceGateways'>;
  readonly subnetId: ArmId<'subnets'>;
  /** Of the egress gateways that have any; of all others they are made and deleted with them. */
  readonly egressAddresses: ReadonlyMap<NrpKey, EgressAddresses>;
}

/** The operator's own public address; undefined: one is made. */
export function ownPublicIpId(
  { egressAddresses }: GatewayScope,
  key: NrpKey,
  family: IpFamily,
): ArmId<'publicIPAddresses'> | undefined {
  return egressAddresses.get(key)?.own[family];
}

/** Whether addresses that were made stay when nothing needs them. */
export function keepsAddresses({ egressAddresses }: GatewayScope, key: NrpKey): boolean {
  return egressAddresses.get(key)?.areKept === true;
}

/** Of one that is made. */
export function publicIpId(scope: GatewayScope, key: NrpKey, family: IpFamily): ArmId<'publicIPAddresses'> {
  return armId('publicIPAddresses', scope.group, `${nrpName(key)}-pip${family === 'IPv6' ? '-v6' : ''}`);
}

export function loadBalancerId(scope: GatewayScope, key: NrpKey): ArmId<'loadBalancers'> {
  return armId('loadBalancers', scope.group, nrpName(key));
}

export function natGatewayId(scope: GatewayScope, key: OutboundKey): ArmId<'natGateways'> {
  return armId('natGateways', scope.group, nrpName(key));
}

/** The pool is named by the UID, like its load balancer. */
export function backendPoolId(scope: GatewayScope, key: NrpKey): ArmId<'backendAddressPools'> {
  return childArmId('backendAddressPools', loadBalancerId(scope, key), nrpName(key));
}

/** The marks that go on everything in the very call that creates it. */
export function tagsFor(scope: GatewayScope, spec: ServiceSpec): ArmTags {
  if (isInboundSpec(spec)) return serviceTags(scope, spec.uid);
  return { ...clusterTags(scope), [EGRESS_TAG]: nrpName(spec.key) };
}

/** The service that a resource of ours belongs to, by its tags; undefined when they do not say. */
export function serviceOfTags(tags: ArmTags | undefined): NrpKey | undefined {
  const uid = readOwnerTags(tags ?? {})?.service;
  if (uid !== undefined) return inboundKey(uid);
  const egress = Object.entries(tags ?? {}).find(([name]) => name.toLowerCase() === EGRESS_TAG)?.[1];
  return egress === undefined ? undefined : keyFromNrp(egress, 'outbound');
}

/** Where in Azure everything of this cluster lives. */
export function gatewayScope(
  configuration: ServiceGatewayConfiguration,
  cloud: CloudConfiguration,
  cluster: ClusterId,
): GatewayScope {
  const scope = azureScope(PART_NAME, cluster, cloud);
  const gatewayId = armId('serviceGateways', scope.group, configuration.gatewayName);
  const egressAddresses = new Map<NrpKey, EgressAddresses>(
    configuration.egressGateways.map(({ gateway, keepAddresses, publicIpAddress, publicIpAddressV6 }) => {
      const own = {
        ...(publicIpAddress === undefined ? {} : { IPv4: requireArmId('publicIPAddresses', publicIpAddress) }),
        ...(publicIpAddressV6 === undefined ? {} : { IPv6: requireArmId('publicIPAddresses', publicIpAddressV6) }),
      };
      return [outboundKey(egressName(gateway)), { areKept: keepAddresses, own }] as const;
    }),
  );
  return { ...scope, gatewayId, subnetId: nodeSubnetId(cloud), egressAddresses };
}
