import type { IpAddress, IpFamily } from '@fairlead/control';
import { objectKeyOf } from '@fairlead/service';
import {
  type ArmPart,
  type BackendPoolProperties,
  childArmId,
  type Frontend,
  type FrontendProperties,
  type LoadBalancer,
  type LoadBalancingRuleProperties,
  type ProbeProperties,
} from '../../arm/index.ts';
import { baseName, entryName, familyName, ruleName, serviceMark } from '../names.ts';
import { type AzureSite, loadBalancerId, poolId, publicIpId, subnetIdOf } from '../site.ts';
import type { WantedPort, WantedService } from './desired.ts';

export type PoolPart = ArmPart<'backendAddressPools', BackendPoolProperties>;
export type ProbePart = ArmPart<'probes', ProbeProperties>;
export type RulePart = ArmPart<'loadBalancingRules', LoadBalancingRuleProperties>;

/** The lists of a load balancer in which a Service has parts. */
export const PART_LISTS = [
  'frontendIPConfigurations',
  'backendAddressPools',
  'probes',
  'loadBalancingRules',
] as const satisfies readonly (keyof LoadBalancer['properties'])[];
export type PartList = (typeof PART_LISTS)[number];

/** Everything of one Service inside its load balancer. */
export interface ServiceParts {
  readonly frontendIPConfigurations: readonly Frontend[];
  readonly backendAddressPools: readonly PoolPart[];
  readonly probes: readonly ProbePart[];
  readonly loadBalancingRules: readonly RulePart[];
}

export const NO_PARTS: ServiceParts = {
  frontendIPConfigurations: [],
  backendAddressPools: [],
  probes: [],
  loadBalancingRules: [],
};

/** Often enough that a node that stops serving is noticed within ten seconds. */
const PROBE = { intervalInSeconds: 5, probeThreshold: 2, requestPath: '/healthz', protocol: 'Http' } as const;

/** The nodes that serve a Service, by family. */
export type BackendContents = Readonly<Record<IpFamily, readonly IpAddress[]>>;

/** What frontend, probe and public address of a family are called. */
export function nameFor(site: AzureSite, { key, uid }: Pick<WantedService, 'key' | 'uid'>, family: IpFamily): string {
  return familyName(baseName(objectKeyOf(key), site.mark, serviceMark(uid)), family);
}

/** Its own, or the one that was taken over. */
export function poolNameFor(site: AzureSite, wanted: WantedService, family: IpFamily): string {
  return wanted.adoptedPools[family] ?? nameFor(site, wanted, family);
}

/** What the Service is to have inside the load balancer; `contents` goes into pools that are new. */
export function partsFor(
  site: AzureSite,
  wanted: WantedService,
  loadBalancer: string,
  contents: BackendContents,
): ServiceParts {
  const { families, ports } = wanted;
  return {
    frontendIPConfigurations: families.map((family) => frontendFor(site, wanted, family)),
    backendAddressPools: families.map((family) => poolFor(site, wanted, family, contents[family])),
    probes: families.map((family) => ({
      name: nameFor(site, wanted, family),
      properties: { ...PROBE, port: wanted.healthCheckNodePort },
    })),
    loadBalancingRules: families.flatMap((family) =>
      ports.map((port) => ruleFor(site, wanted, loadBalancer, family, port)),
    ),
  };
}

/** Lets nobody in yet: for an internal frontend whose address is not known before it exists. */
export function withoutRules(parts: ServiceParts): ServiceParts {
  return { ...parts, loadBalancingRules: [] };
}

function frontendFor(site: AzureSite, wanted: WantedService, family: IpFamily): Frontend {
  const name = nameFor(site, wanted, family);
  if (wanted.scope === 'public') return { name, properties: { publicIPAddress: { id: publicIpId(site, name) } } };
  const chosen = wanted.addresses.find((address) => address.includes(':') === (family === 'IPv6'));
  const allocation: FrontendProperties =
    chosen === undefined
      ? { privateIPAllocationMethod: 'Dynamic' }
      : { privateIPAllocationMethod: 'Static', privateIPAddress: chosen };
  const subnet = { id: subnetIdOf(site, wanted.subnet) };
  return { name, properties: { subnet, ...allocation, privateIPAddressVersion: family } };
}

function poolFor(site: AzureSite, wanted: WantedService, family: IpFamily, addresses: readonly IpAddress[]): PoolPart {
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
): RulePart {
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
      // How the nodes reach the internet is for others to say.
      ...(wanted.scope === 'public' ? { disableOutboundSnat: true } : {}),
    },
  };
}
