import { familyOf } from '@fairlead/control';
import { type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import { spelled } from '../neutron/addresses.ts';
import { isInSubnet } from '../neutron/addresses.ts';
import { unsupported } from './refusals.ts';
import { vipsOf } from './store.ts';
import type { OctaviaWorld } from './world.ts';

export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  amphora: 'Octavia amphora driver',
  ovn: 'Octavia OVN driver',
};

const OVN_PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const OVN_MONITORS = ['TCP', 'UDP-CONNECT'];

/** The amphora provider can do whatever the API has; OVN balances connections, and knows nothing above them. */
export function checkListener(provider: string, { protocol, allowed_cidrs }: JsonObject): void {
  if (provider !== 'ovn') return;
  if (!OVN_PROTOCOLS.includes(textOf(protocol))) throw ovnLacks(`${textOf(protocol)} protocol`);
  if (listOf(allowed_cidrs).length > 0) throw ovnLacks('allowed_cidrs option');
}

export function checkPool(provider: string, { protocol, lb_algorithm, session_persistence }: JsonObject): void {
  if (provider !== 'ovn') return;
  if (!OVN_PROTOCOLS.includes(textOf(protocol))) throw ovnLacks(`${textOf(protocol)} protocol`);
  if (lb_algorithm !== 'SOURCE_IP_PORT') throw ovnLacks(`${textOf(lb_algorithm)} algorithm`);
  const persistence = textOf(objectOf(session_persistence)['type']);
  if (persistence !== '' && persistence !== 'SOURCE_IP') {
    throw ovnLacks(`${persistence} session persistence. Only SOURCE_IP type is supported.`);
  }
}

export function checkMonitor(provider: string, { type }: JsonObject): void {
  if (provider === 'ovn' && !OVN_MONITORS.includes(textOf(type))) throw ovnLacks(`health monitor type ${textOf(type)}`);
}

export function checkMember(world: OctaviaWorld, loadBalancer: JsonObject, member: JsonObject): void {
  if (loadBalancer['provider'] !== 'ovn') return;
  const { monitor_address = null, monitor_port = null, subnet_id = null } = member;
  if (monitor_address !== null || monitor_port !== null) {
    throw unsupported('ovn', 'OVN Load Balancer does not support different member monitor address or port.');
  }
  const address = spelled(textOf(member['address']));
  if (address === undefined) return;
  const families = vipsOf(loadBalancer).flatMap((vip) => {
    const known = spelled(vip);
    return known === undefined ? [] : [familyOf(known)];
  });
  if (!families.includes(familyOf(address))) {
    throw ovnLacks('mixing IPv4/IPv6 configuration within the same Load Balancer.');
  }
  const subnet = world.neutron.store.find('subnets', textOf(loadBalancer['vip_subnet_id']));
  if (subnet_id !== null || (subnet !== undefined && isInSubnet(subnet, address))) return;
  throw unsupported('ovn', 'Subnet is required for members that are not in the subnet of the VIP');
}

export function checkFailover(provider: string): void {
  if (provider === 'ovn') throw ovnLacks('loadbalancer failover');
}

function ovnLacks(what: string) {
  return unsupported('ovn', `OVN provider does not support ${what}`);
}
