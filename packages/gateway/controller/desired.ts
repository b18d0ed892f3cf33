import type { IpAddress } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import {
  type ClaimRules,
  claimService,
  demandsOf,
  familiesOf,
  type LoadBalancerCapabilities,
  readService,
  refusal,
  requireSupported,
  type ServiceReading,
  type SourceRanges,
  servedFamilies,
  serviceKey,
  shownAddresses,
  sourceRangesOf,
  unsupported,
} from '@fairlead/service';
import { MAXIMUM_SOURCE_RANGES } from '../protocol/configuration.ts';
import type { FormerPorts } from './addresses/address-provider.ts';
import type { AllocationRequest, KeptRequest, SeenHolding } from './addresses/allocation-request.ts';
import { isL2PortId, type L4Port } from './addresses/l2-port.ts';
import {
  ANNOTATION_PREFIX,
  BACKENDS_ANNOTATION,
  FORMER_PORT_ANNOTATION,
  FORMER_PREFIX,
  L2_PORTS_ANNOTATION,
  L4_PORTS_ANNOTATION,
  SHARING_ANNOTATION,
} from './annotations.ts';
import { type BackendKind, choosePool, type Pool, permittedPools } from './pools.ts';

export const GATEWAY_CLASS = 'fairlead.dev/gateway';

/** More ports than any Service has, and few enough that one Service costs no more than others. */
const MAXIMUM_PORTS = 1_000;
/** Ports times source ranges of one Service. */
const MAXIMUM_RULES = 10_000;
/** A record of ours is never longer: whatever is, its owner wrote, and it is not even taken apart. */
const LONGEST_RECORD = 20_000;

/** What the gateways of a pool can do for a Service. Where there are none, nothing is between a client and a backend. */
function capabilitiesOf({ gateways }: Pool, backends: BackendKind): LoadBalancerCapabilities {
  const hasGateways = gateways.length > 0;
  return {
    protocols: ['TCP', 'UDP', 'SCTP'],
    mixedProtocols: true,
    families: ['IPv4', 'IPv6'],
    dualStack: true,
    namedTargetPorts: true,
    repeatedTargetPorts: true,
    // What goes to a cluster IP is spread by the node that it meets first.
    localTraffic: backends !== 'cluster-ips' || !hasGateways,
    sourceRanges: hasGateways,
    clientAffinity: hasGateways,
    chosenAddresses: true,
    needsNodePorts: hasGateways && backends === 'node-ports',
  };
}

/** What should exist outside for one Service. */
export type Desired = ServiceReading<AllocationRequest>;

export function claimRules(defaultClass: string | undefined): ClaimRules {
  return {
    loadBalancerClass: GATEWAY_CLASS,
    finalizer: 'fairlead.dev/gateway',
    isDefault: defaultClass === GATEWAY_CLASS,
    annotationPrefixes: [ANNOTATION_PREFIX, FORMER_PREFIX],
  };
}

/** Reads from a Service what it needs of the gateways. */
export function desiredFor(service: Service, rules: ClaimRules, pools: readonly Pool[]): Desired {
  return readService(service, rules, (one) => allocationRequest(one, pools));
}

function allocationRequest(service: Service, pools: readonly Pool[]): AllocationRequest {
  const { ports = [] } = service.spec;
  if (ports.length > MAXIMUM_PORTS) {
    throw refusal('too-many-ports', `it has ${ports.length} ports, and ${MAXIMUM_PORTS} is the most that one may have`);
  }
  const { pool, isAsked } = choosePool(service, pools);
  const backends = backendsOf(service, pool);
  const demands = demandsOf(service);
  const capabilities = capabilitiesOf(pool, backends);
  requireSupported(unsupported(demands, capabilities));
  requireFewRanges(demands.sourceRanges, ports.length);
  if (capabilities.sourceRanges && backends === 'cluster-ips' && clusterAddressesOf(service).length === 0) {
    throw refusal('cluster-ip-missing', 'it has no cluster IP, which is where connections would be sent');
  }
  const sharing = service.metadata.annotations?.[SHARING_ANNOTATION] ?? 'shared';
  if (sharing !== 'shared' && sharing !== 'exclusive') {
    const problem = `is ${JSON.stringify(sharing)}; it can be shared or exclusive`;
    throw refusal('invalid-sharing', `its annotation ${SHARING_ANNOTATION} ${problem}`);
  }
  return {
    service: serviceKey(service.metadata),
    pool: pool.name,
    isPoolAsked: isAsked,
    permittedPools: keepablePools(service, demands.sourceRanges, pools),
    families: servedFamilies(demands, capabilities),
    everyFamilyRequired: demands.familyPolicy !== 'PreferDualStack',
    l4Ports: l4PortsOf(service),
    exclusive: wantsAlone(service),
    requestedAddresses: demands.addresses,
    createdAt: service.metadata.creationTimestamp ?? '',
  };
}

/**
 * What a Service that cannot be honoured may go on with, if it has it. Undefined when keeping it would let in whom the
 * Service means to shut out: where it cannot be read who that is.
 */
export function keptRequest(service: Service, pools: readonly Pool[]): KeptRequest | undefined {
  try {
    const families = familiesOf(service.spec);
    const ranges = sourceRangesOf(service, families);
    requireFewRanges(ranges, service.spec.ports?.length ?? 0);
    return {
      service: serviceKey(service.metadata),
      permittedPools: keepablePools(service, ranges, pools),
      families,
      l4Ports: l4PortsOf(service),
      exclusive: wantsAlone(service),
      createdAt: service.metadata.creationTimestamp ?? '',
    };
  } catch {
    return undefined;
  }
}

/** Where it may stay: without gateways, nothing would keep out whom it does not admit. */
function keepablePools(service: Service, ranges: SourceRanges, pools: readonly Pool[]): readonly string[] {
  return permittedPools(service, ranges.kind === 'any' ? pools : pools.filter(({ gateways }) => gateways.length > 0));
}

/** Each port has rules for each of them in the gateways. */
function requireFewRanges(ranges: SourceRanges, ports: number): void {
  if (ranges.kind === 'any') return;
  const count = ranges.IPv4.length + ranges.IPv6.length;
  const most = Math.min(MAXIMUM_SOURCE_RANGES, Math.floor(MAXIMUM_RULES / Math.max(1, ports)));
  if (count <= most) return;
  const message = `it has ${count} source ranges, and ${most} is the most with its ${ports} ports`;
  throw refusal('too-many-source-ranges', message);
}

/** Where its connections go: as it asks, else as its pool has it. Throws a refusal for what is no kind of backends. */
export function backendsOf({ metadata: { annotations = {} } }: Service, pool: Pool): BackendKind {
  const asked = annotations[BACKENDS_ANNOTATION] ?? pool.backends;
  if (asked === 'pods' || asked === 'node-ports' || asked === 'cluster-ips') return asked;
  const problem = `is ${JSON.stringify(asked)}; it can be pods, node-ports or cluster-ips`;
  throw refusal('invalid-backends', `its annotation ${BACKENDS_ANNOTATION} ${problem}`);
}

/** A headless Service has none. */
export function clusterAddressesOf({ spec: { clusterIPs, clusterIP = '' } }: Service): readonly string[] {
  return (clusterIPs ?? [clusterIP]).filter((address) => address !== '' && address !== 'None');
}

/** The L4 ports of a Service, each once, and no more of them than one may have. */
export function l4PortsOf({ spec: { ports: all = [] } }: Service): readonly L4Port[] {
  const ports = all.slice(0, MAXIMUM_PORTS).map(({ protocol = 'TCP', port }) => ({ protocol, port }));
  return [...new Map(ports.map((l4Port) => [`${l4Port.protocol} ${l4Port.port}`, l4Port])).values()];
}

/**
 * What the Service's annotations record, which its owner can write: bounded, and as far as it makes sense. `asked` are the
 * ports of the Service: all that ch-k8s-lbaas records is the L2 port of them all.
 */
export function recordedHolding(service: Service, asked: readonly L4Port[]): SeenHolding {
  const { annotations = {} } = service.metadata;
  const former = annotations[FORMER_PORT_ANNOTATION];
  if (former !== undefined && !(L2_PORTS_ANNOTATION in annotations)) {
    return { l2Ports: [former].filter(isL2PortId), l4Ports: asked };
  }
  const entries = (name: string) => {
    const text = annotations[name] ?? '';
    return text.length > LONGEST_RECORD ? [] : text.split(',');
  };
  const l4Ports = entries(L4_PORTS_ANNOTATION).flatMap((text): readonly L4Port[] => {
    const [protocol, port] = text.split('/');
    if (protocol !== 'TCP' && protocol !== 'UDP' && protocol !== 'SCTP') return [];
    return [{ protocol, port: Number(port) }];
  });
  // One for each family.
  return { l2Ports: entries(L2_PORTS_ANNOTATION).filter(isL2PortId).slice(0, 2), l4Ports };
}

/** The L2 ports that ch-k8s-lbaas gave to Services of ours, which have no record of ours yet. */
export function formerPorts(services: Iterable<Service>, rules: ClaimRules): FormerPorts {
  const shown = new Map<string, Set<IpAddress>>();
  for (const service of services) {
    const { annotations = {} } = service.metadata;
    const id = annotations[FORMER_PORT_ANNOTATION];
    if (id === undefined || L2_PORTS_ANNOTATION in annotations) continue;
    if (claimService(service, rules).state === 'foreign') continue;
    shown.set(id, new Set([...(shown.get(id) ?? []), ...shownAddresses(service)]));
  }
  return shown;
}

/** Whether it asks for an address that it shares with no other Service. */
export function wantsAlone(service: Service): boolean {
  return service.metadata.annotations?.[SHARING_ANNOTATION] === 'exclusive';
}
