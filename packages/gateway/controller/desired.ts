import type { Service } from '@fairlead/kube';
import {
  type ClaimRules,
  demandsOf,
  type LoadBalancerCapabilities,
  readService,
  refusal,
  requireSupported,
  type ServiceReading,
  servedFamilies,
  serviceKey,
  unsupported,
} from '@fairlead/service';
import type { AllocationRequest, SeenHolding } from './addresses/allocation.ts';
import { isL2PortId, type L4Port } from './addresses/l2-port.ts';

export const GATEWAY_CLASS = 'fairlead.dev/gateway';

/** How the annotations begin that the gateways read and write. */
const ANNOTATION_PREFIX = 'gateway.fairlead.dev/';

/** The L2 ports a Service was given, by id, separated by commas: what a crash before the status was written leaves. */
export const L2_PORTS_ANNOTATION = `${ANNOTATION_PREFIX}l2-ports`;

/**
 * The L4 ports it was given on them, such as `TCP/80,UDP/53`. A Service's own ports do not tell: they may have been
 * edited since, and what it was given stays its own until it is given something else.
 */
export const L4_PORTS_ANNOTATION = `${ANNOTATION_PREFIX}l4-ports`;

/** `exclusive` keeps other Services off this one's address; anything but `shared` and `exclusive` is refused. */
const SHARING_ANNOTATION = `${ANNOTATION_PREFIX}sharing`;

/** More ports than any Service has, and few enough that one Service costs no more than others. */
const MAXIMUM_PORTS = 1_000;
/** A record of ours is never longer: whatever is, its owner wrote, and it is not even taken apart. */
const LONGEST_RECORD = 20_000;

/** What the gateways can do for a Service today. */
const capabilities: LoadBalancerCapabilities = {
  protocols: ['TCP', 'UDP', 'SCTP'],
  mixedProtocols: true,
  families: ['IPv4', 'IPv6'],
  dualStack: true,
  namedTargetPorts: true,
  repeatedTargetPorts: true,
  localTraffic: true,
  sourceRanges: false,
  clientAffinity: false,
  chosenAddresses: true,
  needsNodePorts: false,
};

/** What should exist outside for one Service. */
export type Desired = ServiceReading<AllocationRequest>;

export function claimRules(defaultClass: string | undefined): ClaimRules {
  return {
    loadBalancerClass: GATEWAY_CLASS,
    finalizer: 'fairlead.dev/gateway',
    isDefault: defaultClass === GATEWAY_CLASS,
    annotationPrefixes: [ANNOTATION_PREFIX],
  };
}

/** Reads from a Service what it needs of the gateways. */
export function desiredFor(service: Service, rules: ClaimRules): Desired {
  return readService(service, rules, allocationRequest);
}

function allocationRequest(service: Service): AllocationRequest {
  const { ports = [] } = service.spec;
  if (ports.length > MAXIMUM_PORTS) {
    throw refusal('too-many-ports', `it has ${ports.length} ports, and ${MAXIMUM_PORTS} is the most that one may have`);
  }
  const demands = demandsOf(service);
  requireSupported(unsupported(demands, capabilities));
  const sharing = service.metadata.annotations?.[SHARING_ANNOTATION] ?? 'shared';
  if (sharing !== 'shared' && sharing !== 'exclusive') {
    const problem = `is ${JSON.stringify(sharing)}; it can be shared or exclusive`;
    throw refusal('invalid-sharing', `its annotation ${SHARING_ANNOTATION} ${problem}`);
  }
  return {
    service: serviceKey(service.metadata),
    families: servedFamilies(demands, capabilities),
    everyFamilyRequired: demands.familyPolicy !== 'PreferDualStack',
    l4Ports: l4PortsOf(service),
    exclusive: wantsAlone(service),
    requestedAddresses: demands.addresses,
    createdAt: service.metadata.creationTimestamp ?? '',
  };
}

/** The L4 ports of a Service, each once, and no more of them than one may have. */
export function l4PortsOf({ spec: { ports: all = [] } }: Service): readonly L4Port[] {
  const ports = all.slice(0, MAXIMUM_PORTS).map(({ protocol = 'TCP', port }) => ({ protocol, port }));
  return [...new Map(ports.map((l4Port) => [`${l4Port.protocol} ${l4Port.port}`, l4Port])).values()];
}

/** What the Service's annotations record, which its owner can write: bounded, and as far as it makes sense. */
export function recordedHolding(service: Service): SeenHolding {
  const { annotations = {} } = service.metadata;
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

/** Whether it asks for an address that it shares with no other Service. */
export function wantsAlone(service: Service): boolean {
  return service.metadata.annotations?.[SHARING_ANNOTATION] === 'exclusive';
}
