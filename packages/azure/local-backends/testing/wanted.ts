import { clusterId, serviceUid } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import { parseCloudConfiguration } from '../../arm/index.ts';
import type { ConfiguredLoadBalancer } from '../configuration.ts';
import type { WantedService } from '../load-balancers/desired.ts';
import { type PresentTarget, presentOn } from '../load-balancers/target.ts';
import { type AzureSite, azureSite } from '../site.ts';

const cloud = parseCloudConfiguration(
  JSON.stringify({
    subscriptionId: 'sub',
    resourceGroup: 'cluster',
    location: 'westeurope',
    vnetName: 'net',
    subnetName: 'nodes',
    securityGroupName: 'nodes',
  }),
  'azure.json',
);

const loadBalancers: readonly ConfiguredLoadBalancer[] = [
  { name: 'one', frontends: 'public' },
  { name: 'two', frontends: 'public' },
  { name: 'inside', frontends: 'internal' },
];

export const site: AzureSite = azureSite(clusterId('c1'), cloud, loadBalancers);
/** For installations in which the operator sees to it who may reach the nodes. */
export const openSite: AzureSite = { ...site, securityGroupId: undefined };

export function wantedService(key: ServiceKey, more: Partial<WantedService> = {}): WantedService {
  return {
    key,
    uid: serviceUid(`uid-${key.replaceAll('/', '-')}`),
    createdAt: '',
    scope: 'public',
    subnet: undefined,
    allowed: undefined,
    idleTimeoutMinutes: 4,
    families: ['IPv4'],
    ports: [{ protocol: 'TCP', port: 80 }],
    healthCheckNodePort: 30_080,
    affinity: 'none',
    sourceRanges: { kind: 'any' },
    serviceTags: [],
    probe: { intervalInSeconds: 5, probeThreshold: 2 },
    addressGroup: undefined,
    dnsLabel: undefined,
    ownAddresses: {},
    prefixIds: {},
    addresses: [],
    recordedLoadBalancer: undefined,
    adoptedPools: {},
    ...more,
  };
}

export function present(
  wanted: WantedService,
  loadBalancer = wanted.scope === 'internal' ? 'inside' : 'one',
): PresentTarget {
  return presentOn(loadBalancer, wanted);
}
