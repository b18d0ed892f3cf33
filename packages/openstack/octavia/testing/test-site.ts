import { clusterId } from '@fairlead/control';
import type { OctaviaFeature } from '../../client/index.ts';
import { CredentialsProject } from '../drivers/project-driver.ts';
import type { Site } from '../drivers/site.ts';

const FEATURES: readonly OctaviaFeature[] = [
  'timeouts',
  'tags',
  'flavors',
  'allowed-cidrs',
  'mixed-protocols',
  'availability-zones',
  'udp-http-monitors',
  'proxyv2',
  'sctp',
  'additional-vips',
];

/** What Services are read and load balancers planned with, where no OpenStack is asked. */
export const testSite: Site = {
  cluster: clusterId('cluster-1'),
  project: new CredentialsProject('project-1'),
  features: new Set(FEATURES),
  provider: undefined,
  vipSubnets: {
    IPv4: { id: 'subnet-4', cidr: '10.0.0.0/24', network_id: 'network-1' },
    IPv6: { id: 'subnet-6', cidr: 'fd00::/64', network_id: 'network-1' },
  },
  serviceSubnet: undefined,
  floatingNetworkId: undefined,
  members: 'pods',
  memberSubnets: [{ id: 'subnet-pods', cidr: '10.1.0.0/16', network_id: 'network-2' }],
  memberSecurityGroupIds: [],
  flavorId: undefined,
  availabilityZone: undefined,
  hasHealthMonitors: false,
  classes: {},
  forbiddenAnnotations: [],
  adoptedClusterName: undefined,
};
