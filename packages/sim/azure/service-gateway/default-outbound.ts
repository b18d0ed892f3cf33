import { lastSegment } from '../requests/target.ts';
import type { ArmWorld } from '../world.ts';

const NAME = 'default-natgw';

/** The resource provider gives a new gateway a default outbound service of its own: address, NAT gateway, service. */
export function provideDefaultOutbound(world: ArmWorld, gatewayId: string): void {
  if (!world.behaviour.defaultOutbound) return;
  const gateway = world.existing(gatewayId);
  const { natGatewayId, addressId } = idsFor(gateway.id);
  const { location } = gateway.body;
  const common = { location: location ?? '', sku: { name: 'StandardV2' } };
  const address = { ...common, properties: { publicIPAllocationMethod: 'Static' } };
  world.store.put('publicIPAddresses', addressId, lastSegment(addressId), address, 'Succeeded');
  world.addresses.assign(addressId.toLowerCase(), 'IPv4', world.clock.monotonic());
  const properties = { publicIpAddresses: [{ id: addressId }], serviceGateway: { id: gateway.id } };
  world.store.put('natGateways', natGatewayId, NAME, { ...common, properties }, 'Succeeded');
  world.tables(gatewayId).putService({
    name: NAME,
    serviceType: 'Outbound',
    isDefault: true,
    pools: [],
    natGatewayId,
    owner: 'azure',
  });
}

/** A gateway that goes takes along what came with it. */
export function removeDefaultOutbound(world: ArmWorld, gatewayId: string): void {
  const tables = world.tables(gatewayId);
  const provided = tables.services.get(NAME)?.owner === 'azure';
  tables.clear();
  if (!provided) return;
  const { natGatewayId, addressId } = idsFor(gatewayId);
  world.store.delete(natGatewayId);
  world.store.delete(addressId);
  world.addresses.release(addressId.toLowerCase());
}

function idsFor(gatewayId: string): { readonly natGatewayId: string; readonly addressId: string } {
  const network = gatewayId.split('/').slice(0, -2).join('/');
  return { natGatewayId: `${network}/natGateways/${NAME}`, addressId: `${network}/publicIPAddresses/${NAME}-pip` };
}
