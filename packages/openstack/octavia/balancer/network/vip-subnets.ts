import type { NeutronClient, Subnet } from '../../../client/index.ts';
import type { DesiredVip } from '../desired.ts';

/** Those that a VIP may be in, and those of further VIPs with an address that the Service chose. */
export async function vipSubnets(
  vip: Extract<DesiredVip, { kind: 'subnet' }>,
  neutron: NeutronClient,
  signal: AbortSignal,
): Promise<readonly Subnet[]> {
  const chosen = vip.additional.filter(({ ip_address }) => ip_address !== undefined);
  const all = [
    subnetsAt(vip.subnetId, vip.networkId, neutron, signal),
    ...chosen.map(({ subnet_id }) => subnetsAt(subnet_id, undefined, neutron, signal)),
  ];
  return (await Promise.all(all)).flat();
}

async function subnetsAt(
  subnetId: string | undefined,
  networkId: string | undefined,
  neutron: NeutronClient,
  signal: AbortSignal,
): Promise<readonly Subnet[]> {
  if (subnetId === undefined && networkId === undefined) return [];
  if (subnetId === undefined) return neutron.listSubnets({ network_id: networkId ?? '' }, { signal });
  const found = await neutron.findSubnet(subnetId, { signal });
  return found === undefined ? [] : [found];
}
