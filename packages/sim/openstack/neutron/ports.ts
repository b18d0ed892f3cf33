import { randomInteger } from '@fairlead/control';
import { type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import type { Requester } from '../keystone/identity.ts';
import { badRequest, Refusal } from '../refusal.ts';
import { differs } from './fields.ts';
import { subnetFor, subnetsOf } from './networks.ts';
import { defaultSecurityGroup } from './security-groups.ts';
import { fixedIpsOf } from './store.ts';
import { idOf, type NeutronWorld, notFound } from './world.ts';

export function createPort(world: NeutronWorld, requester: Requester, fields: JsonObject): JsonObject {
  const networkId = textOf(fields['network_id']);
  if (networkId === '') throw badRequest("Failed to parse request. Required attribute 'network_id' not specified");
  const network = world.required(requester, 'networks', networkId);
  const isForeign = network['project_id'] !== requester.projectId && network['shared'] !== true;
  if (isForeign && !requester.isAdmin) {
    throw new Refusal(403, 'HTTPForbidden', `Tenant ${requester.projectId} not allowed to create port on this network`);
  }
  checkSecurityGroups(world, requester, fields);
  world.checkQuota(requester, 'ports', 'port');
  const { tags, ...rest } = fields;
  const mac = newMacAddress(world);
  const pairs = addressPairs(world, fields, mac);
  const fixedIps = allocate(world, network, fields);
  const port = {
    name: '',
    project_id: requester.projectId,
    mac_address: mac,
    admin_state_up: true,
    status: 'DOWN',
    device_id: '',
    device_owner: '',
    port_security_enabled: true,
    'binding:vnic_type': 'normal',
    extra_dhcp_opts: [],
    security_groups: [idOf(defaultSecurityGroup(world, requester.projectId))],
    ...rest,
    fixed_ips: fixedIps,
    allowed_address_pairs: pairs ?? [],
    ...(world.behaviour.portTags === 'kept' ? { tags: listOf(tags) } : {}),
  };
  return world.store.add('ports', port, 1);
}

export function changePort(
  world: NeutronWorld,
  requester: Requester,
  port: JsonObject,
  fields: JsonObject,
): JsonObject {
  checkSecurityGroups(world, requester, fields);
  const pairs = addressPairs(world, fields, textOf(port['mac_address']));
  const changes = {
    ...fields,
    ...(pairs === undefined ? {} : { allowed_address_pairs: pairs }),
    ...movedAddresses(world, requester, port, fields),
  };
  return world.store.change('ports', idOf(port), changes, differs(port, changes));
}

/** A floating IP goes on naming the address that it was given for. */
function movedAddresses(world: NeutronWorld, requester: Requester, port: JsonObject, fields: JsonObject): JsonObject {
  if (fields['fixed_ips'] === undefined) return {};
  const network = world.required(requester, 'networks', textOf(port['network_id']));
  const moved = allocate(world, network, fields);
  for (const { subnetId, address } of fixedIpsOf(port)) world.addresses.release(subnetId, address);
  return { fixed_ips: moved };
}

/** What was reached through the port by a floating IP is so no longer; the floating IP stays. */
export function deletePort(world: NeutronWorld, port: JsonObject): void {
  const id = idOf(port);
  const owner = textOf(port['device_owner']);
  if (owner.startsWith('network:')) {
    throw new Refusal(
      409,
      'ServicePortInUse',
      `Port ${id} cannot be deleted directly via the port API: has device owner ${owner}.`,
    );
  }
  for (const floating of world.store.all('floatingips')) {
    if (floating['port_id'] !== id) continue;
    const gone = { port_id: null, router_id: null, fixed_ip_address: null, port_details: null };
    world.store.change('floatingips', idOf(floating), gone);
  }
  for (const { subnetId, address } of fixedIpsOf(port)) world.addresses.release(subnetId, address);
  world.store.remove('ports', id);
}

/** The addresses that were asked for, or one of each family that the network has. */
function allocate(world: NeutronWorld, network: JsonObject, fields: JsonObject): readonly JsonObject[] {
  const networkId = idOf(network);
  const asked = fields['fixed_ips'];
  const wanted = asked === undefined ? oneOfEachFamily(world, networkId) : listOf(asked).map(objectOf);
  const allocated: { readonly subnet_id: string; readonly ip_address: string }[] = [];
  try {
    for (const entry of wanted) {
      const made = allocateOne(world, networkId, entry);
      world.addresses.take(made.subnet_id, made.ip_address);
      allocated.push(made);
    }
  } catch (error) {
    for (const { subnet_id, ip_address } of allocated) world.addresses.release(subnet_id, ip_address);
    throw error;
  }
  return allocated;
}

function oneOfEachFamily(world: NeutronWorld, networkId: string): readonly JsonObject[] {
  const subnets = subnetsOf(world, networkId);
  return [4, 6].flatMap((version) => {
    const subnet = subnets.find((one) => one['ip_version'] === version);
    return subnet === undefined ? [] : [{ subnet_id: idOf(subnet) }];
  });
}

function allocateOne(world: NeutronWorld, networkId: string, entry: JsonObject) {
  const [subnetId, address] = [textOf(entry['subnet_id']), textOf(entry['ip_address'])];
  const named = subnetsOf(world, networkId).find((subnet) => idOf(subnet) === subnetId);
  if (subnetId !== '' && named === undefined) throw notFound('subnets', subnetId);
  const subnet = named ?? subnetFor(world, networkId, address);
  if (address === '') {
    const drawn = world.addresses.draw(subnet);
    if (drawn !== undefined) return { subnet_id: idOf(subnet), ip_address: drawn };
    const message = `No more IP addresses available on network ${networkId}.`;
    throw new Refusal(409, 'IpAddressGenerationFailure', message);
  }
  if (world.addresses.isTaken(idOf(subnet), address)) {
    const message = `IP address ${address} already allocated in subnet ${idOf(subnet)}`;
    throw new Refusal(409, 'IpAddressAlreadyAllocated', message);
  }
  return { subnet_id: idOf(subnet), ip_address: address };
}

/** The pairs of a request, each with a MAC address: that of the port unless it names another. */
function addressPairs(world: NeutronWorld, fields: JsonObject, mac: string): readonly JsonObject[] | undefined {
  if (fields['allowed_address_pairs'] === undefined) return undefined;
  const pairs = listOf(fields['allowed_address_pairs']).map(objectOf);
  const limit = world.behaviour.addressPairLimit;
  if (pairs.length > limit) {
    const message = `The number of allowed address pair exceeds the maximum ${limit}.`;
    throw new Refusal(400, 'AllowedAddressPairExhausted', message);
  }
  const seen = new Set<string>();
  return pairs.map((pair) => {
    const address = textOf(pair['ip_address']);
    if (!/^[0-9a-f.:]+(?:\/\d+)?$/i.test(address)) throw badRequest(`'${address}' is not a valid IP address`);
    const own = textOf(pair['mac_address']);
    const key = `${own} ${address}`;
    if (seen.has(key)) {
      const message = `Request contains duplicate address pair: mac_address ${own || 'None'} ip_address ${address}.`;
      throw new Refusal(400, 'DuplicateAddressPairInRequest', message);
    }
    seen.add(key);
    return { mac_address: own || mac, ip_address: address };
  });
}

function checkSecurityGroups(world: NeutronWorld, requester: Requester, fields: JsonObject): void {
  for (const id of listOf(fields['security_groups'])) world.required(requester, 'security-groups', textOf(id));
}

function newMacAddress({ random }: NeutronWorld): string {
  const byte = () => randomInteger(random, 0, 255).toString(16).padStart(2, '0');
  return `fa:16:3e:${byte()}:${byte()}:${byte()}`;
}
