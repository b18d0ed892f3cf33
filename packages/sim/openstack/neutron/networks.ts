import { type JsonObject, listOf, textOf, valueAt } from '../../json.ts';
import type { Requester } from '../keystone/identity.ts';
import { badRequest, Refusal } from '../refusal.ts';
import { isInSubnet, layoutOf, spelled } from './addresses.ts';
import { idOf, type NeutronWorld } from './world.ts';

export function createNetwork(world: NeutronWorld, requester: Requester, fields: JsonObject): JsonObject {
  if (fields['router:external'] === true && !requester.isAdmin) {
    throw new Refusal(403, 'PolicyNotAuthorized', 'rule:create_network:router:external is disallowed by policy');
  }
  world.checkQuota(requester, 'networks', 'network');
  const network = {
    name: '',
    project_id: requester.projectId,
    admin_state_up: true,
    mtu: 1450,
    status: 'ACTIVE',
    subnets: [],
    shared: false,
    port_security_enabled: true,
    'router:external': false,
    vlan_transparent: false,
    qinq: false,
    is_default: false,
    availability_zone_hints: [],
    availability_zones: [],
    ipv4_address_scope: null,
    ipv6_address_scope: null,
    ...fields,
  };
  return world.store.add('networks', network, 1);
}

export function deleteNetwork(world: NeutronWorld, network: JsonObject): void {
  const id = idOf(network);
  const ports = world.store.all('ports').filter((port) => port['network_id'] === id);
  if (ports.length > 0) {
    const listed = ports.map(idOf).sort().join(',');
    throw new Refusal(
      409,
      'NetworkInUse',
      `Unable to complete operation on network ${id}. There are one or more ports still in use on the network, ` +
        `id for these ports is: ${listed}.`,
    );
  }
  for (const subnet of subnetsOf(world, id)) world.store.remove('subnets', idOf(subnet));
  world.store.remove('networks', id);
}

export function createSubnet(world: NeutronWorld, requester: Requester, fields: JsonObject): JsonObject {
  const network = world.required(requester, 'networks', textOf(fields['network_id']));
  const { gateway, start, end } = layoutOf(textOf(fields['cidr']));
  const subnet = {
    name: '',
    project_id: requester.projectId,
    subnetpool_id: null,
    enable_dhcp: true,
    ipv6_ra_mode: null,
    ipv6_address_mode: null,
    gateway_ip: gateway,
    allocation_pools: [{ start, end }],
    host_routes: [],
    dns_nameservers: [],
    'router:external': network['router:external'] === true,
    service_types: [],
    ...fields,
  };
  const made = world.store.add('subnets', subnet, 0);
  world.store.change('networks', idOf(network), { subnets: [...listOf(network['subnets']), idOf(made)] });
  return made;
}

export function deleteSubnet(world: NeutronWorld, subnet: JsonObject): void {
  const id = idOf(subnet);
  const isUsed = world.store
    .all('ports')
    .some((port) => listOf(port['fixed_ips']).some((entry) => valueAt(entry, 'subnet_id') === id));
  if (isUsed) {
    throw new Refusal(
      409,
      'SubnetInUse',
      `Unable to complete operation on subnet ${id}: One or more ports have an IP allocation from this subnet.`,
    );
  }
  const network = world.store.find('networks', textOf(subnet['network_id']));
  const subnets = listOf(network?.['subnets']).filter((one) => one !== id);
  world.store.change('networks', textOf(subnet['network_id']), { subnets });
  world.store.remove('subnets', id);
}

export function subnetsOf(world: NeutronWorld, networkId: string): readonly JsonObject[] {
  return world.store.all('subnets').filter((subnet) => subnet['network_id'] === networkId);
}

export function createRouter(world: NeutronWorld, requester: Requester, fields: JsonObject): JsonObject {
  const external = valueAt(fields['external_gateway_info'], 'network_id');
  if (external !== undefined) world.required(requester, 'networks', textOf(external));
  const router = {
    name: '',
    project_id: requester.projectId,
    admin_state_up: true,
    status: 'ACTIVE',
    external_gateway_info: null,
    ...fields,
  };
  return world.store.add('routers', router, 1);
}

/** `add_router_interface`: the router gets the gateway's address of the subnet. */
export function addRouterInterface(world: NeutronWorld, requester: Requester, router: JsonObject, body: JsonObject) {
  const subnet = world.required(requester, 'subnets', textOf(body['subnet_id']));
  const address = textOf(subnet['gateway_ip']);
  const [routerId, subnetId] = [idOf(router), idOf(subnet)];
  world.addresses.take(subnetId, address);
  const port = world.store.add(
    'ports',
    {
      name: '',
      network_id: textOf(subnet['network_id']),
      project_id: requester.projectId,
      mac_address: 'fa:16:3e:00:00:01',
      admin_state_up: true,
      status: 'DOWN',
      device_id: routerId,
      device_owner: 'network:router_interface',
      fixed_ips: [{ subnet_id: subnetId, ip_address: address }],
      port_security_enabled: false,
      security_groups: [],
      'binding:vnic_type': 'normal',
      allowed_address_pairs: [],
      extra_dhcp_opts: [],
    },
    1,
  );
  const about = { port_id: idOf(port), network_id: textOf(subnet['network_id']), subnet_id: subnetId };
  return { id: routerId, project_id: requester.projectId, ...about, subnet_ids: [subnetId] };
}

/** `remove_router_interface`. */
export function removeRouterInterface(world: NeutronWorld, router: JsonObject, body: JsonObject): JsonObject {
  const subnetId = textOf(body['subnet_id']);
  const port = interfacesOf(world, router).find((one) => isOnSubnet(one, subnetId));
  if (port === undefined) throw new Refusal(404, 'RouterInterfaceNotFoundForSubnet', 'Router has no such interface');
  world.store.remove('ports', idOf(port));
  return { id: idOf(router), subnet_id: subnetId, port_id: idOf(port) };
}

export function deleteRouter(world: NeutronWorld, router: JsonObject): void {
  if (interfacesOf(world, router).length > 0) {
    throw new Refusal(409, 'RouterInUse', `Router ${idOf(router)} still has ports`);
  }
  world.store.remove('routers', idOf(router));
}

/** The router between a subnet and an external network. */
export function routerBetween(world: NeutronWorld, subnetId: string, externalId: string): JsonObject | undefined {
  return world.store.all('routers').find((router) => {
    if (valueAt(router['external_gateway_info'], 'network_id') !== externalId) return false;
    return interfacesOf(world, router).some((port) => isOnSubnet(port, subnetId));
  });
}

function interfacesOf(world: NeutronWorld, router: JsonObject): readonly JsonObject[] {
  return world.store.all('ports').filter((port) => port['device_id'] === router['id']);
}

function isOnSubnet(port: JsonObject, subnetId: string): boolean {
  return listOf(port['fixed_ips']).some((entry) => valueAt(entry, 'subnet_id') === subnetId);
}

/** The subnet of a network that an address belongs to. */
export function subnetFor(world: NeutronWorld, networkId: string, text: string): JsonObject {
  const address = spelled(text);
  if (address === undefined) {
    throw badRequest(`Invalid input for fixed_ips. Reason: '${text}' is not a valid IP address.`);
  }
  const found = subnetsOf(world, networkId).find((subnet) => isInSubnet(subnet, address));
  if (found !== undefined) return found;
  throw new Refusal(
    400,
    'InvalidIpForNetwork',
    `IP address ${text} is not a valid IP for any of the subnets on the specified network.`,
  );
}
