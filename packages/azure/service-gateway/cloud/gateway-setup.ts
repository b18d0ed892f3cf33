import { FairleadError, type IpFamily } from '@fairlead/control';
import { armName, type CallOptions, hasFailed, type ServiceGateway, sameArmId } from '../../arm/index.ts';
import type { Engine } from '../engine/engine.ts';
import { defaultOutboundSpec } from '../engine/service-spec.ts';
import type { RegisteredServices } from './observed.ts';
import type { Repository } from './repository.ts';

/** What had to be done so that the gateway is there and the nodes' subnet is attached to it. */
export interface GatewaySetup {
  readonly created: boolean;
  readonly attached: boolean;
}

/** Creates the service gateway where there is none, and attaches it to the nodes' subnet where that is not so yet. */
export async function ensureServiceGateway(repository: Repository, options: CallOptions): Promise<GatewaySetup> {
  const gateway = await findServiceGateway(repository, options);
  const isThere = gateway !== undefined && !hasFailed(gateway) && isWhole(gateway);
  if (gateway === undefined) await repository.createGateway(options);
  else if (!isThere) await repository.repeatGateway(gateway, options);
  return { created: !isThere, attached: await attachServiceGatewayToSubnet(repository, options) };
}

/** Without an address to lead traffic to, it serves nothing. */
function isWhole({ properties }: ServiceGateway): boolean {
  return properties.routeTargetAddress?.subnet !== undefined;
}

/** The gateway of this name; throws when it is one that cannot be ours. */
async function findServiceGateway(repository: Repository, options: CallOptions): Promise<ServiceGateway | undefined> {
  const gateway = await repository.findGateway(options);
  if (gateway === undefined) return undefined;
  const network = gateway.properties.virtualNetwork.id;
  if (sameArmId(network, repository.scope.networkId)) return gateway;
  throw new FairleadError(
    `the service gateway ${gateway.name} belongs to the virtual network ${armName(network)}, not to ` +
      `${armName(repository.scope.networkId)}: choose another gatewayName`,
    { verdict: 'terminal', code: 'gateway-of-another-network' },
  );
}

/** True when it was not attached before. A subnet that belongs to another gateway is not taken away from it. */
async function attachServiceGatewayToSubnet(repository: Repository, options: CallOptions): Promise<boolean> {
  const subnet = await repository.getSubnet(options);
  const attached = subnet.properties.serviceGateway?.id;
  if (attached !== undefined && sameArmId(attached, repository.scope.gatewayId)) return false;
  if (attached !== undefined) {
    throw new FairleadError(
      `the subnet ${subnet.name} is attached to the service gateway ${armName(attached)}: detach it there first`,
      { verdict: 'terminal', code: 'subnet-of-another-gateway' },
    );
  }
  await repository.attachToSubnet(subnet, options);
  return true;
}

/** Those that some node has at the time. */
export interface DefaultOutboundFamilies {
  readonly families: readonly IpFamily[];
}

/**
 * Makes the default outbound service if the gateway reports none; one that Azure or an operator made is adopted.
 * `wanted` is undefined where we do not see to it.
 */
export function ensureDefaultOutboundServiceExists(
  engine: Engine,
  { defaultOutbound, ours }: RegisteredServices,
  wanted: DefaultOutboundFamilies | undefined,
): void {
  const isAdopted = defaultOutbound !== undefined && !ours.has(defaultOutbound);
  if (wanted === undefined || isAdopted) return;
  engine.addService(defaultOutboundSpec(wanted.families));
}
