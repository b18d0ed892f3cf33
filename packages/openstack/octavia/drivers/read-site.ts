import { type ClusterId, FairleadError } from '@fairlead/control';
import type { NeutronClient, OctaviaClient, OpenStackSession, Subnet } from '../../client/index.ts';
import { findReferenced, subnetsByFamily } from '../../ports/resolve.ts';
import type { OctaviaConfiguration } from '../configuration.ts';
import { CredentialsProject } from './project-driver.ts';
import type { PlacementClass, Site } from './site.ts';

interface Clients {
  readonly session: OpenStackSession;
  readonly neutron: NeutronClient;
  readonly octavia: OctaviaClient;
}

/**
 * Finds what the configuration names, by name or id, once for all Services. Throws a terminal error that says what to change in it.
 */
export async function readSite(
  { session, neutron, octavia }: Clients,
  configuration: OctaviaConfiguration,
  cluster: ClusterId,
  signal: AbortSignal,
): Promise<Site> {
  const options = { signal };
  const features = await octavia.features(options);
  if (!features.has('tags')) {
    const message = 'this Octavia is older than API 2.5 (Stein), and keeps no tags by which to find what is ours';
    throw new FairleadError(message, { verdict: 'terminal', code: 'octavia-too-old' });
  }
  const where = (key: string) => `parts.octavia.${key}`;
  const network = (name: string, key: string) =>
    findReferenced(name, 'network', where(key), (filter) => neutron.listNetworks(filter, options));
  const subnet = (name: string, key: string) =>
    findReferenced(name, 'subnet', where(key), (filter) => neutron.listSubnets(filter, options));
  const vipNetwork = await network(configuration.network, 'network');
  const inNetwork = await neutron.listSubnets({ network_id: vipNetwork.id }, options);
  const named = configuration.subnets ?? [];
  const ids = subnetsByFamily(named, inNetwork, configuration.network, where('subnets'));
  const byId = (id: string | undefined) => inNetwork.find((one) => one.id === id);
  const memberSubnets: Subnet[] = [];
  for (const name of configuration.memberSubnets) memberSubnets.push(await subnet(name, 'memberSubnets'));
  const memberSecurityGroupIds: string[] = [];
  for (const name of configuration.memberSecurityGroups) {
    const list = (filter: Parameters<NeutronClient['listSecurityGroups']>[0]) =>
      neutron.listSecurityGroups(filter, options);
    memberSecurityGroupIds.push((await findReferenced(name, 'security group', where('memberSecurityGroups'), list)).id);
  }
  const classes: [string, PlacementClass][] = [];
  for (const [name, section] of Object.entries(configuration.classes)) {
    const key = `classes.${name}`;
    classes.push([
      name,
      {
        ...(section.network === undefined ? {} : { networkId: (await network(section.network, key)).id }),
        ...(section.subnet === undefined ? {} : { subnetId: (await subnet(section.subnet, key)).id }),
        ...(section.floatingNetwork === undefined
          ? {}
          : { floatingNetworkId: (await network(section.floatingNetwork, key)).id }),
        ...(section.floatingSubnet === undefined
          ? {}
          : { floatingSubnetId: (await subnet(section.floatingSubnet, key)).id }),
        ...(section.memberSubnet === undefined ? {} : { memberSubnetId: (await subnet(section.memberSubnet, key)).id }),
      },
    ]);
  }
  const { floatingNetwork, clusterIPServices } = configuration;
  const [ipv4, ipv6] = [byId(ids.IPv4), byId(ids.IPv6)];
  return {
    cluster,
    project: new CredentialsProject(await session.projectId(options)),
    features,
    provider: configuration.provider,
    vipSubnets: { ...(ipv4 === undefined ? {} : { IPv4: ipv4 }), ...(ipv6 === undefined ? {} : { IPv6: ipv6 }) },
    serviceSubnet:
      clusterIPServices === undefined ? undefined : await subnet(clusterIPServices.subnet, 'clusterIPServices.subnet'),
    floatingNetworkId:
      floatingNetwork === undefined ? undefined : (await network(floatingNetwork, 'floatingNetwork')).id,
    members: configuration.members,
    memberSubnets,
    memberSecurityGroupIds,
    flavorId: configuration.flavor,
    availabilityZone: configuration.availabilityZone,
    hasHealthMonitors: configuration.healthMonitors,
    classes: Object.fromEntries(classes),
    forbiddenAnnotations: configuration.forbiddenAnnotations,
    adoptedClusterName: configuration.adopt?.clusterName,
  };
}
