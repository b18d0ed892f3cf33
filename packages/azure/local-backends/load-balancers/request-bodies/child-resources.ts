import type { IpAddress, IpFamily } from '@fairlead/control';
import { objectKeyOf } from '@fairlead/service';
import { childArmId, type Frontend, type FrontendProperties, type LoadBalancer } from '../../../arm/index.ts';
import type { BackendTracker } from '../../backend-pools/backend-tracker.ts';
import type { LocalServiceInfo } from '../../backend-pools/local-services.ts';
import { baseName, entryName, familyName, ruleName, serviceMark } from '../../names.ts';
import { type AzureSite, loadBalancerId, poolId, publicIpId, subnetIdOf } from '../../site.ts';
import type { WantedPort, WantedService } from '../desired.ts';
import type { PublicAddress } from './public-addresses.ts';
import type { PresentTarget } from '../target.ts';

/** The lists of a load balancer in which a Service has child resources. */
export const CHILD_LISTS = [
  'frontendIPConfigurations',
  'backendAddressPools',
  'probes',
  'loadBalancingRules',
] as const satisfies readonly (keyof LoadBalancer['properties'])[];
export type ChildList = (typeof CHILD_LISTS)[number];

/** Everything of one Service inside its load balancer. */
export type ChildResources = Readonly<Required<Pick<LoadBalancer['properties'], ChildList>>>;
export type PoolChild = ChildResources['backendAddressPools'][number];
type RuleChild = ChildResources['loadBalancingRules'][number];

export const NO_CHILDREN: ChildResources = {
  frontendIPConfigurations: [],
  backendAddressPools: [],
  probes: [],
  loadBalancingRules: [],
};

/** kube-proxy answers for its node. */
const PROBE = { requestPath: '/healthz', protocol: 'Http' } as const;

/** What frontend, probe and public address of a family are called. */
export function nameFor(site: AzureSite, { key, uid }: Pick<WantedService, 'key' | 'uid'>, family: IpFamily): string {
  return familyName(baseName(objectKeyOf(key), site.mark, serviceMark(uid)), family);
}

/** Its own, or the one that was taken over. */
function poolNameFor(site: AzureSite, wanted: WantedService, family: IpFamily): string {
  return wanted.adoptedPools[family] ?? nameFor(site, wanted, family);
}

/** Where the pools of a Service are that is to be served. */
export function localServiceInfo(site: AzureSite, { wanted, loadBalancer }: PresentTarget): LocalServiceInfo {
  const pools = wanted.families.map((family) => ({ family, name: poolNameFor(site, wanted, family) }));
  const { key: service, createdAt, families, ports } = wanted;
  return { service, createdAt, rules: families.length * ports.length, loadBalancer, pools };
}

/** What the Service is to have inside the load balancer; its nodes go into pools that are new. */
export function childResourcesFor(
  site: AzureSite,
  wanted: WantedService,
  loadBalancer: string,
  backends: Pick<BackendTracker, 'addresses'>,
  /** Of its families, in their order; not asked for an internal one. */
  publicIps: readonly PublicAddress[],
): ChildResources {
  const { families, ports } = wanted;
  return {
    frontendIPConfigurations: families.map((family, index) => frontendFor(site, wanted, family, publicIps[index])),
    backendAddressPools: families.map((family) =>
      poolFor(site, wanted, family, backends.addresses(wanted.key, family)),
    ),
    probes: families.map((family) => ({
      name: nameFor(site, wanted, family),
      properties: { ...wanted.probe, ...PROBE, port: wanted.healthCheckNodePort },
    })),
    loadBalancingRules: families.flatMap((family) =>
      ports.map((port) => ruleFor(site, wanted, loadBalancer, family, port)),
    ),
  };
}

/** Lets no traffic in yet: for an internal frontend whose address is not known before it exists. */
export function withoutRules(children: ChildResources): ChildResources {
  return { ...children, loadBalancingRules: [] };
}

function frontendFor(
  site: AzureSite,
  wanted: WantedService,
  family: IpFamily,
  publicIp: PublicAddress | undefined,
): Frontend {
  const name = nameFor(site, wanted, family);
  if (wanted.scope === 'public') {
    const id = publicIp === undefined || publicIp.kind === 'missing' ? publicIpId(site, name) : publicIp.id;
    return { name, properties: { publicIPAddress: { id } } };
  }
  const chosen = wanted.addresses.find((address) => address.includes(':') === (family === 'IPv6'));
  const allocation: FrontendProperties =
    chosen === undefined
      ? { privateIPAllocationMethod: 'Dynamic' }
      : { privateIPAllocationMethod: 'Static', privateIPAddress: chosen };
  const subnet = { id: subnetIdOf(site, wanted.subnet) };
  const zones = site.zones === undefined ? {} : { zones: site.zones };
  return { name, ...zones, properties: { subnet, ...allocation, privateIPAddressVersion: family } };
}

function poolFor(site: AzureSite, wanted: WantedService, family: IpFamily, addresses: readonly IpAddress[]): PoolChild {
  return {
    name: poolNameFor(site, wanted, family),
    properties: {
      virtualNetwork: { id: site.networkId },
      loadBalancerBackendAddresses: addresses.map((address) => ({
        name: entryName(address),
        properties: { ipAddress: address },
      })),
    },
  };
}

/** Packets keep their destination, the frontend's address, so that kube-proxy knows which Service they are for. */
function ruleFor(
  site: AzureSite,
  wanted: WantedService,
  loadBalancer: string,
  family: IpFamily,
  { protocol, port }: WantedPort,
): RuleChild {
  const id = loadBalancerId(site, loadBalancer);
  const name = nameFor(site, wanted, family);
  const forTcp = { idleTimeoutInMinutes: wanted.idleTimeoutMinutes, enableTcpReset: true };
  return {
    name: ruleName(name, protocol, port),
    properties: {
      protocol: protocol === 'TCP' ? 'Tcp' : 'Udp',
      frontendPort: port,
      backendPort: port,
      frontendIPConfiguration: { id: childArmId('frontendIPConfigurations', id, name) },
      backendAddressPool: { id: poolId(site, loadBalancer, poolNameFor(site, wanted, family)) },
      probe: { id: childArmId('probes', id, name) },
      enableFloatingIP: true,
      loadDistribution: wanted.affinity === 'client-ip' ? 'SourceIP' : 'Default',
      ...(protocol === 'TCP' ? forTcp : {}),
      // How the nodes reach the internet is up to the operator.
      ...(wanted.scope === 'public' ? { disableOutboundSnat: true } : {}),
    },
  };
}
