import type { LoadBalancerCapabilities } from '@fairlead/service';
import type { OctaviaFeature, PoolAlgorithm } from '../../client/index.ts';

/** What a provider of load balancers can do, whatever the version of the API. */
interface ProviderTable {
  /** HTTP, terminated TLS, and the PROXY protocol. */
  readonly layer7: boolean;
  readonly flavors: boolean;
  readonly availabilityZones: boolean;
  readonly timeouts: boolean;
  readonly connectionLimit: boolean;
  readonly allowedCidrs: boolean;
  readonly sessionPersistence: boolean;
  readonly additionalVips: boolean;
  readonly httpMonitors: boolean;
  readonly algorithms: readonly PoolAlgorithm[];
  /** Whether all of a new load balancer can be created in one call. */
  readonly populatedCreation: boolean;
  /** Whether members see the addresses of clients, and not its own. */
  readonly clientAddresses: boolean;
}

const AMPHORA: ProviderTable = {
  layer7: true,
  flavors: true,
  availabilityZones: true,
  timeouts: true,
  connectionLimit: true,
  allowedCidrs: true,
  sessionPersistence: true,
  additionalVips: true,
  httpMonitors: true,
  algorithms: ['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP'],
  populatedCreation: true,
  clientAddresses: false,
};

/** Balances in the switches: it sees no bytes, and leaves children PENDING that came with their load balancer. */
const OVN: ProviderTable = {
  layer7: false,
  flavors: false,
  availabilityZones: false,
  timeouts: false,
  connectionLimit: false,
  allowedCidrs: false,
  sessionPersistence: false,
  additionalVips: true,
  httpMonitors: false,
  algorithms: ['SOURCE_IP_PORT'],
  populatedCreation: false,
  clientAddresses: true,
};

/** By its name; one that is not known is asked what an amphora can do, and refuses what it cannot. */
function providerTable(provider: string | undefined): ProviderTable {
  return provider === 'ovn' ? OVN : AMPHORA;
}

/** What a load balancer can do: of this provider, in this version of the API. */
export interface BalancerCapabilities extends ProviderTable {
  readonly udpHttpMonitors: boolean;
  readonly proxyV2: boolean;
  readonly mixedProtocols: boolean;
  readonly sctp: boolean;
}

export function capabilitiesOf(
  provider: string | undefined,
  features: ReadonlySet<OctaviaFeature>,
): BalancerCapabilities {
  const table = providerTable(provider);
  return {
    ...table,
    timeouts: table.timeouts && features.has('timeouts'),
    flavors: table.flavors && features.has('flavors'),
    availabilityZones: table.availabilityZones && features.has('availability-zones'),
    allowedCidrs: table.allowedCidrs && features.has('allowed-cidrs'),
    additionalVips: table.additionalVips && features.has('additional-vips'),
    udpHttpMonitors: table.httpMonitors && features.has('udp-http-monitors'),
    proxyV2: table.layer7 && features.has('proxyv2'),
    mixedProtocols: features.has('mixed-protocols'),
    sctp: features.has('sctp'),
  };
}

/** The same as every part tells them. `members` is what stands behind a Service. */
export function serviceCapabilities(
  { allowedCidrs, additionalVips, sessionPersistence, sctp }: BalancerCapabilities,
  { members, families }: { readonly members: MemberKind; readonly families: LoadBalancerCapabilities['families'] },
): LoadBalancerCapabilities {
  return {
    protocols: sctp ? ['TCP', 'UDP', 'SCTP'] : ['TCP', 'UDP'],
    mixedProtocols: true,
    families,
    dualStack: additionalVips && families.length > 1,
    namedTargetPorts: true,
    repeatedTargetPorts: true,
    localTraffic: true,
    sourceRanges: allowedCidrs,
    clientAffinity: sessionPersistence,
    chosenAddresses: true,
    needsNodePorts: members === 'node-ports',
  };
}

/** What stands behind a listener: the pods themselves, or the node ports of the Service. */
export type MemberKind = 'pods' | 'node-ports';
