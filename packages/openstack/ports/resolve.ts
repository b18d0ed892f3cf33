import { FairleadError, type IpFamily } from '@fairlead/control';
import type { Filter, NeutronClient, Subnet } from '../client/index.ts';
import type { PortPool } from './pool.ts';
import type { PoolSection } from './section.ts';

/** A pool as it is configured. */
export interface ConfiguredPool {
  readonly name: string;
  readonly section: PoolSection;
}

/** Finds the ids of what the section of a pool names. Throws a terminal error that says what to change in it. */
export async function resolvePool(
  neutron: NeutronClient,
  { name, section }: ConfiguredPool,
  signal: AbortSignal,
): Promise<PortPool> {
  const where = (key: keyof PoolSection) => `openstack.${key} of the pool ${name}`;
  const options = { signal };
  const network = await findReferenced(section.network, 'network', where('network'), (filter) =>
    neutron.listNetworks(filter, options),
  );
  const inNetwork = await neutron.listSubnets({ network_id: network.id }, options);
  const subnetIds = subnetsByFamily(section.subnets ?? [], inNetwork, section.network, where('subnets'));
  const floating =
    section.floatingNetwork === undefined
      ? undefined
      : await findReferenced(section.floatingNetwork, 'network', where('floatingNetwork'), (filter) =>
          neutron.listNetworks(filter, options),
        );
  if (floating?.['router:external'] === false) {
    throw unusable(
      `the network "${section.floatingNetwork}" is not external: put another into`,
      where('floatingNetwork'),
    );
  }
  if (floating === undefined && section.floatingIps.length > 0)
    throw unusable('floating IPs are named without their network: put it into', where('floatingNetwork'));
  const securityGroupIds: string[] = [];
  for (const group of section.securityGroups ?? []) {
    const found = await findReferenced(group, 'security group', where('securityGroups'), (filter) =>
      neutron.listSecurityGroups(filter, options),
    );
    securityGroupIds.push(found.id);
  }
  return {
    name,
    networkId: network.id,
    subnetIds,
    portIds: section.ports,
    floatingAddresses: section.floatingIps,
    ...(floating === undefined ? {} : { floatingNetworkId: floating.id }),
    ...(section.securityGroups === undefined ? {} : { securityGroupIds }),
  };
}

/** By its id, else by its name. */
export async function findReferenced<Found>(
  reference: string,
  kind: string,
  where: string,
  list: (filter: Filter) => Promise<readonly Found[]>,
): Promise<Found> {
  const [byId] = await list({ id: reference });
  if (byId !== undefined) return byId;
  const [first, ...others] = await list({ name: reference });
  if (first === undefined) throw unusable(`there is no ${kind} "${reference}": put another name or id into`, where);
  if (others.length === 0) return first;
  throw unusable(`there are ${others.length + 1} of the ${kind} "${reference}": put the id of one into`, where);
}

/** Those that are named, or all of them: one of each family. */
export function subnetsByFamily(
  named: readonly string[],
  inNetwork: readonly Subnet[],
  network: string,
  where: string,
): PortPool['subnetIds'] {
  const isNamed = ({ id, name }: Subnet) => named.includes(id) || named.includes(name);
  const missing = named.find((reference) => inNetwork.every(({ id, name }) => id !== reference && name !== reference));
  if (missing !== undefined)
    throw unusable(`the network "${network}" has no subnet "${missing}": put another name or id into`, where);
  const subnets = named.length === 0 ? inNetwork : inNetwork.filter(isNamed);
  if (subnets.length === 0) throw unusable(`the network "${network}" has no subnet: add one, and name it in`, where);
  const ids: Partial<Record<IpFamily, string>> = {};
  for (const { id, ip_version } of subnets) {
    const family = ip_version === 4 ? 'IPv4' : 'IPv6';
    if (ids[family] !== undefined)
      throw unusable(
        `the network "${network}" has several ${family} subnets to choose from: put the id of one into`,
        where,
      );
    ids[family] = id;
  }
  return ids;
}

function unusable(problem: string, where: string): FairleadError {
  return new FairleadError(`${problem} ${where}`, { verdict: 'terminal', code: 'openstack-pool-unusable' });
}
