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
import type { AllocationRequest } from './addresses/allocation.ts';
import { isL2PortId, type L2PortId, type L4Port } from './addresses/l2-port.ts';

export const GATEWAY_CLASS = 'fairlead.dev/gateway';

/** The L2 ports a Service was given, by id, separated by commas: what a restart finds its state by. */
export const L2_PORTS_ANNOTATION = 'gateway.fairlead.dev/l2-ports';

/**
 * The L4 ports it was given on them, such as `TCP/80,UDP/53`. A Service's own ports do not tell: they may have been
 * edited since, and what it was given stays its own until it is given something else.
 */
export const L4_PORTS_ANNOTATION = 'gateway.fairlead.dev/l4-ports';

/** `exclusive` keeps other Services off this one's address; anything but `shared` and `exclusive` is refused. */
const SHARING_ANNOTATION = 'gateway.fairlead.dev/sharing';

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
  };
}

/** Reads from a Service what it needs of the gateways. */
export function desiredFor(service: Service, rules: ClaimRules): Desired {
  return readService(service, rules, allocationRequest);
}

function allocationRequest(service: Service): AllocationRequest {
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
    current: recordedL2Ports(service),
  };
}

/** The L4 ports of a Service, each once. */
export function l4PortsOf(service: Service): readonly L4Port[] {
  const ports = (service.spec.ports ?? []).map(({ protocol = 'TCP', port }) => ({ protocol, port }));
  return [...new Map(ports.map((l4Port) => [`${l4Port.protocol} ${l4Port.port}`, l4Port])).values()];
}

/** The L2 ports that the Service's annotation records. */
export function recordedL2Ports(service: Service): readonly L2PortId[] {
  const recorded = service.metadata.annotations?.[L2_PORTS_ANNOTATION] ?? '';
  return recorded.split(',').filter(isL2PortId);
}

/** The L4 ports that the Service's annotation records. */
export function recordedL4Ports(service: Service): readonly L4Port[] {
  const recorded = service.metadata.annotations?.[L4_PORTS_ANNOTATION] ?? '';
  return recorded.split(',').flatMap((text) => {
    const [protocol, port] = text.split('/');
    if (protocol !== 'TCP' && protocol !== 'UDP' && protocol !== 'SCTP') return [];
    return [{ protocol, port: Number(port) }];
  });
}

/** Whether it asks for an address that it shares with no other Service. */
export function wantsAlone(service: Service): boolean {
  return service.metadata.annotations?.[SHARING_ANNOTATION] === 'exclusive';
}
