import { createHash } from 'node:crypto';
import type { IpAddress } from '@fairlead/control';
import type { VrrpConfiguration } from '../configuration.ts';

const HIGHEST_PRIORITY = 200;
const PRIORITY_STEP = 10;
/** So that a gateway that comes back has its configuration before it takes its addresses back. */
const PREEMPT_DELAY_SECONDS = 10;

/**
 * The configuration of keepalived: groups of addresses, each with an instance of VRRPv3 of its own, of which each
 * gateway is the first choice for some. Addresses are no part of the advertisements, so that gateways that learn of a
 * new one at different moments go on understanding each other.
 */
export function renderKeepalived(addresses: Iterable<IpAddress>, vrrp: VrrpConfiguration, healthFile: string): string {
  const count = vrrp.inside === undefined ? vrrp.instances : 1;
  const groups = Map.groupBy([...addresses].toSorted(), (address) => groupOf(address, count));
  const instances = Array.from({ length: count }, (_, index) => renderInstance(index, groups.get(index) ?? [], vrrp));
  return `global_defs {
  router_id fairlead
  vrrp_version 3
  vrrp_garp_master_refresh 60
}
track_file dataplane {
  file "${healthFile}"
}
${instances.join('')}`;
}

/** Which group an address is in: the same on all gateways, and whatever other addresses there are. */
function groupOf(address: IpAddress, count: number): number {
  return createHash('sha256').update(address).digest().readUInt32BE(0) % count;
}

function renderInstance(index: number, addresses: readonly IpAddress[], vrrp: VrrpConfiguration): string {
  const { interface: outside, address: own, gateways, routerId, advertMilliseconds, inside } = vrrp;
  const rank = (gateways.indexOf(own) - index + gateways.length * index) % gateways.length;
  const peers = gateways.filter((gateway) => gateway !== own);
  const held = [
    ...addresses.map((address) => `${address}/${address.includes(':') ? 128 : 32} dev ${outside}`),
    ...(inside === undefined ? [] : [`${inside.address} dev ${inside.interface}`]),
  ];
  const lines = [
    'state BACKUP',
    `interface ${outside}`,
    `virtual_router_id ${routerId + index}`,
    `priority ${HIGHEST_PRIORITY - PRIORITY_STEP * rank}`,
    `advert_int ${advertMilliseconds / 1_000}`,
    // Connections whose clients' addresses are preserved survive one change of gateways: there is no second, for nothing.
    inside === undefined ? `preempt_delay ${PREEMPT_DELAY_SECONDS}` : 'nopreempt',
    `unicast_src_ip ${own}`,
    ...block('unicast_peer', peers),
    ...(inside === undefined ? [] : block('track_interface', [inside.interface])),
    ...block('track_file', ['dataplane weight 1']),
    // keepalived wants one that is advertised: this one leads nowhere and never changes.
    ...block('virtual_ipaddress', [`169.254.254.${routerId + index}/32 dev lo scope host`]),
    ...block('virtual_ipaddress_excluded', held),
  ];
  return `vrrp_instance fairlead-${index} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}

function block(name: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${name} {`, ...lines.map((line) => `  ${line}`), '}'];
}
