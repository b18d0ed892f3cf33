import { type JsonObject, textOf } from '../../json.ts';
import type { Requester } from '../keystone/identity.ts';
import { badRequest, Refusal } from '../refusal.ts';
import { routerBetween, subnetsOf } from './networks.ts';
import { fixedIpsOf } from './store.ts';
import { idOf, type NeutronWorld } from './world.ts';

export function createFloatingIp(world: NeutronWorld, requester: Requester, fields: JsonObject): JsonObject {
  const networkId = textOf(fields['floating_network_id']);
  if (networkId === '') {
    throw badRequest("Failed to parse request. Required attribute 'floating_network_id' not specified");
  }
  if (fields['floating_ip_address'] !== undefined && !requester.isAdmin) {
    throw new Refusal(
      403,
      'PolicyNotAuthorized',
      '(rule:create_floatingip and rule:create_floatingip:floating_ip_address) is disallowed by policy',
    );
  }
  const network = world.required(requester, 'networks', networkId);
  if (network['router:external'] !== true) {
    const message = `Bad floatingip request: Network ${networkId} is not a valid external network.`;
    throw new Refusal(400, 'BadRequest', message);
  }
  world.checkQuota(requester, 'floatingips', 'floatingip');
  const { port_id: portId, fixed_ip_address: fixed, ...rest } = fields;
  const made = world.store.add(
    'floatingips',
    {
      project_id: requester.projectId,
      router_id: null,
      port_id: null,
      fixed_ip_address: null,
      status: 'DOWN',
      port_details: null,
      floating_ip_address: publicAddress(world, network),
      ...rest,
    },
    0,
  );
  if (portId === undefined || portId === null) return made;
  try {
    const association = associate(world, requester, made, textOf(portId), textOf(fixed));
    return world.store.complete('floatingips', made, association);
  } catch (error) {
    deleteFloatingIp(world, made);
    throw error;
  }
}

export function changeFloatingIp(
  world: NeutronWorld,
  requester: Requester,
  floating: JsonObject,
  fields: JsonObject,
): JsonObject {
  const { port_id: portId, fixed_ip_address: fixed, ...rest } = fields;
  if (portId === undefined) return changed(world, floating, rest);
  if (portId === null) {
    const free = { port_id: null, router_id: null, fixed_ip_address: null, port_details: null };
    const forgets = world.lastRouters.delete(idOf(floating));
    if (floating['router_id'] !== null) world.lastRouters.set(idOf(floating), textOf(floating['router_id']));
    return changed(world, floating, { ...rest, ...free }, forgets);
  }
  // Even where it is of that port already, this counts as a change.
  const association = associate(world, requester, floating, textOf(portId), textOf(fixed));
  return world.store.change('floatingips', idOf(floating), { ...rest, ...association });
}

export function deleteFloatingIp(world: NeutronWorld, floating: JsonObject): void {
  const address = textOf(floating['floating_ip_address']);
  for (const subnet of subnetsOf(world, textOf(floating['floating_network_id']))) {
    world.addresses.release(idOf(subnet), address);
  }
  world.store.remove('floatingips', idOf(floating));
}

function changed(world: NeutronWorld, floating: JsonObject, fields: JsonObject, isChanged = false): JsonObject {
  const isChange = isChanged || Object.entries(fields).some(([name, value]) => floating[name] !== value);
  return world.store.change('floatingips', idOf(floating), fields, isChange);
}

function publicAddress(world: NeutronWorld, network: JsonObject): string {
  for (const subnet of subnetsOf(world, idOf(network))) {
    if (subnet['ip_version'] !== 4) continue;
    const address = world.addresses.draw(subnet);
    if (address === undefined) continue;
    world.addresses.take(idOf(subnet), address);
    return address;
  }
  const message = `No more IP addresses available on network ${idOf(network)}.`;
  throw new Refusal(409, 'IpAddressGenerationFailure', message);
}

function associate(
  world: NeutronWorld,
  requester: Requester,
  floating: JsonObject,
  portId: string,
  fixedAddress: string,
): JsonObject {
  const port = world.required(requester, 'ports', portId);
  const { subnetId, address } = fixedIpFor(port, portId, fixedAddress);
  const networkId = textOf(floating['floating_network_id']);
  const router = routerBetween(world, subnetId, networkId);
  if (router === undefined) {
    throw new Refusal(
      404,
      'ExternalGatewayForFloatingIPNotFound',
      `External network ${networkId} is not reachable from subnet ${subnetId}.  ` +
        `Therefore, cannot associate Port ${portId} with a Floating IP.`,
    );
  }
  checkFree(world, floating, portId, address, networkId);
  const { name = '', network_id = '', mac_address = '', device_id = '', device_owner = '' } = port;
  const port_details = { name, network_id, mac_address, admin_state_up: true, status: 'DOWN', device_id, device_owner };
  return { port_id: portId, fixed_ip_address: address, router_id: idOf(router), port_details };
}

function fixedIpFor(port: JsonObject, portId: string, wanted: string) {
  const addresses = fixedIpsOf(port).filter(({ address }) => !address.includes(':'));
  const chosen = wanted === '' ? addresses[0] : addresses.find(({ address }) => address === wanted);
  if (chosen === undefined) {
    const message = `Bad floatingip request: Cannot add floating IP to port ${portId} that has no fixed IPv4 addresses.`;
    throw new Refusal(400, 'BadRequest', message);
  }
  if (wanted === '' && addresses.length > 1) {
    throw new Refusal(
      400,
      'BadRequest',
      `Bad floatingip request: Port ${portId} has multiple fixed IPv4 addresses.  ` +
        'Must provide a specific IPv4 address when assigning a floating IP.',
    );
  }
  return chosen;
}

function checkFree(
  world: NeutronWorld,
  floating: JsonObject,
  portId: string,
  address: string,
  networkId: string,
): void {
  const other = world.store
    .all('floatingips')
    .find((one) => one['port_id'] === portId && one['fixed_ip_address'] === address && one['id'] !== floating['id']);
  if (other === undefined) return;
  throw new Refusal(
    409,
    'FloatingIPPortAlreadyAssociated',
    `Cannot associate floating IP ${textOf(floating['floating_ip_address'])} (${idOf(floating)}) with port ${portId} ` +
      `using fixed IP ${address}, as that fixed IP already has a floating IP on external network ${networkId}.`,
  );
}
