import { type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import type { Requester } from '../keystone/identity.ts';
import { isInSubnet, spelled } from '../neutron/addresses.ts';
import { subnetsOf } from '../neutron/networks.ts';
import { createPort, deletePort } from '../neutron/ports.ts';
import { fixedIpsOf, type Kind } from '../neutron/store.ts';
import { idOf, type NeutronWorld } from '../neutron/world.ts';
import { Refusal } from '../refusal.ts';
import { conflict, failed, invalid, invalidRequest } from './refusals.ts';

/** Octavia's own project, to which its security groups belong. */
const SERVICE_PROJECT = 'service';

/** Where a VIP is to be: what a request says, completed. */
export interface VipPlace {
  readonly portId: string | undefined;
  readonly networkId: string;
  readonly subnetId: string;
  readonly address: string | undefined;
  readonly additional: readonly { readonly subnetId: string; readonly address: string | undefined }[];
}

/** Finds the place that a request means: by its port, or else its network or subnet. */
export function vipPlace(neutron: NeutronWorld, requester: Requester, fields: JsonObject): VipPlace {
  const place = mainPlace(neutron, requester, fields);
  const additional = listOf(fields['additional_vips']).map((entry) => {
    const { subnet_id, ip_address } = objectOf(entry);
    return { subnetId: textOf(subnet_id), address: textOf(ip_address) || undefined };
  });
  const subnets = [place.subnetId, ...additional.map(({ subnetId }) => subnetId)];
  if (new Set(subnets).size < subnets.length) {
    throw invalidRequest('Duplicate VIP subnet(s) specified. Only one IP can be bound per subnet.');
  }
  const networks = subnets.map((id) => {
    const subnet = neutron.store.find('subnets', id);
    if (subnet === undefined) throw failed(`subnet not found (subnet id: ${id}).`);
    return subnet['network_id'];
  });
  if (new Set(networks).size > 1) throw invalidRequest('All VIP subnets must belong to the same network.');
  return { ...place, additional };
}

function mainPlace(neutron: NeutronWorld, requester: Requester, fields: JsonObject): Omit<VipPlace, 'additional'> {
  const portId = textOf(fields['vip_port_id']);
  const networkId = textOf(fields['vip_network_id']);
  const subnetId = textOf(fields['vip_subnet_id']);
  const address = textOf(fields['vip_address']) || undefined;
  const visible = (kind: Kind, title: string, id: string): JsonObject => {
    const found = neutron.visible(requester, kind, id);
    if (found === undefined) throw invalid(`${title} ${id} not found.`);
    return found;
  };
  if (portId !== '') return onPort(visible('ports', 'Port', portId), subnetId, address);
  if (networkId !== '') {
    visible('networks', 'Network', networkId);
    return { portId: undefined, networkId, subnetId: subnetId || subnetIn(neutron, networkId, address), address };
  }
  if (subnetId === '') {
    throw invalidRequest('VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.');
  }
  const subnet = visible('subnets', 'Subnet', subnetId);
  return { portId: undefined, networkId: textOf(subnet['network_id']), subnetId, address };
}

function onPort(port: JsonObject, subnetId: string, address: string | undefined): Omit<VipPlace, 'additional'> {
  const place = { portId: idOf(port), networkId: textOf(port['network_id']) };
  const addresses = fixedIpsOf(port);
  if (subnetId !== '') {
    const found = addresses.find((one) => one.subnetId === subnetId);
    if (found !== undefined) return { ...place, ...found };
    throw invalidRequest('No VIP address found on the specified VIP port within the specified subnet.');
  }
  if (address !== undefined) {
    const found = addresses.find((one) => one.address === spelled(address));
    if (found !== undefined) return { ...place, ...found };
    throw invalidRequest('Specified VIP address not found on the specified VIP port.');
  }
  const [first, ...others] = addresses;
  if (first !== undefined && others.length === 0) return { ...place, ...first };
  throw invalidRequest("VIP port's subnet could not be determined. Please specify either a VIP subnet or address.");
}

/** The subnet of the address, or else the first of IPv4. */
function subnetIn(neutron: NeutronWorld, networkId: string, address: string | undefined): string {
  const subnets = subnetsOf(neutron, networkId);
  if (address === undefined) {
    const chosen = subnets.find((subnet) => subnet['ip_version'] === 4) ?? subnets[0];
    if (chosen === undefined) throw invalidRequest('Supplied network does not contain a subnet.');
    return idOf(chosen);
  }
  const wanted = spelled(address);
  const found = subnets.find((subnet) => wanted !== undefined && isInSubnet(subnet, wanted));
  if (found !== undefined) return idOf(found);
  throw invalidRequest('Supplied network does not contain a subnet for VIP address specified.');
}

/** The port of the VIP: the one that was given, or a new one. It is there even if what follows is refused. */
export function vipPort(
  neutron: NeutronWorld,
  place: VipPlace,
  loadBalancer: { readonly id: string; readonly projectId: string; readonly provider: string },
): JsonObject {
  const { id, projectId, provider } = loadBalancer;
  const given = place.portId === undefined ? undefined : neutron.store.find('ports', place.portId);
  if (given !== undefined) return given;
  const fixed_ips = [place, ...place.additional].map(({ subnetId, address }) => {
    checkInside(neutron, subnetId, address, provider);
    return { subnet_id: subnetId, ...(address === undefined ? {} : { ip_address: address }) };
  });
  const names = provider === 'ovn' ? { name: `ovn-lb-vip-${id}` } : { name: `octavia-lb-${id}`, device_id: `lb-${id}` };
  const fields = { ...names, network_id: place.networkId, fixed_ips, device_owner: 'Octavia', admin_state_up: false };
  try {
    return createPort(neutron, { projectId, isAdmin: true }, fields);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.type === 'IpAddressAlreadyAllocated') {
      throw conflict(`The VIP IP address is already in use: ${error.message}`);
    }
    throw new Refusal(error.status, 'Client', error.message);
  }
}

function checkInside(neutron: NeutronWorld, subnetId: string, address: string | undefined, provider: string): void {
  const subnet = neutron.store.find('subnets', subnetId);
  const wanted = address === undefined ? undefined : spelled(address);
  if (subnet === undefined || wanted === undefined || isInSubnet(subnet, wanted)) return;
  throw failed(`Provider '${provider}' reports error: BadRequestException: 400`);
}

/** The VIP's port gets a security group of Octavia's, in place of those that it had. */
export function connectVip(neutron: NeutronWorld, loadBalancer: JsonObject): void {
  const port = neutron.store.find('ports', textOf(loadBalancer['vip_port_id']));
  if (port === undefined || loadBalancer['provider'] !== 'amphora') return;
  const group = { name: `lb-${idOf(loadBalancer)}`, project_id: SERVICE_PROJECT, stateful: true, shared: false };
  const { id = '' } = neutron.store.add('security-groups', group, 1);
  neutron.store.change('ports', idOf(port), { security_groups: [id] });
}

/** What Octavia made for the VIP goes; a port that was given stays. */
export function releaseVip(neutron: NeutronWorld, loadBalancer: JsonObject): void {
  const port = neutron.store.find('ports', textOf(loadBalancer['vip_port_id']));
  const group = neutron.store
    .all('security-groups')
    .find((one) => one['name'] === `lb-${idOf(loadBalancer)}` && one['project_id'] === SERVICE_PROJECT);
  if (port !== undefined && loadBalancer['is_port_owner'] === true) deletePort(neutron, port);
  else if (port !== undefined && group !== undefined) {
    const left = listOf(port['security_groups']).filter((id) => id !== idOf(group));
    neutron.store.change('ports', idOf(port), { security_groups: left });
  }
  if (group !== undefined) neutron.store.remove('security-groups', idOf(group));
}
