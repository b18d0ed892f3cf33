import { codeOf, findFairleadError, messageOf } from '@fairlead/control';
import { keyText, type ObjectKey, type Service } from '@fairlead/kube';
import {
  type Claim,
  type ClaimedService,
  type ClaimRules,
  claimService,
  demandsOf,
  type ForeignService,
  type LoadBalancerCapabilities,
  type ServiceDemands,
  type ServiceToRelease,
  servedFamilies,
  unsupported,
} from '@fairlead/service';
import type { AllocationRequest } from './allocation.ts';
import { isL2PortId, type L2PortId, type L4Port, type ServiceKey } from './l2-port.ts';

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
export type Desired =
  | { readonly kind: 'address'; readonly claim: ClaimedService; readonly request: AllocationRequest }
  | { readonly kind: 'refused'; readonly claim: ClaimedService; readonly code: string; readonly message: string }
  | { readonly kind: 'nothing'; readonly claim: ServiceToRelease }
  | { readonly kind: 'foreign'; readonly claim: ForeignService }
  /** We failed to read it, which is a defect of ours: it keeps what it has, and nobody else suffers. */
  | { readonly kind: 'unreadable'; readonly claim: ClaimedService; readonly error: unknown };

export function claimRules(defaultClass: string | undefined): ClaimRules {
  return {
    loadBalancerClass: GATEWAY_CLASS,
    finalizer: 'fairlead.dev/gateway',
    isDefault: defaultClass === GATEWAY_CLASS,
  };
}

/** Reads from a Service what it needs of the gateways. */
export function desiredFor(service: Service, rules: ClaimRules): Desired {
  const claim: Claim = claimService(service, rules);
  if (claim.state === 'foreign') return { kind: 'foreign', claim };
  if (claim.state === 'release') return { kind: 'nothing', claim };
  try {
    return desiredAddress(claim);
  } catch (error) {
    if (findFairleadError(error) === undefined) return { kind: 'unreadable', claim, error };
    return { kind: 'refused', claim, code: codeOf(error), message: messageOf(error) };
  }
}

function desiredAddress(claim: ClaimedService): Desired {
  const demands = demandsOf(claim.service);
  const refusals = unsupported(demands, capabilities);
  const first = refusals[0];
  if (first !== undefined) {
    return {
      kind: 'refused',
      claim,
      code: first.code,
      message: refusals.map((refusal) => refusal.sentence).join('; '),
    };
  }
  const sharing = claim.service.metadata.annotations?.[SHARING_ANNOTATION] ?? 'shared';
  if (sharing !== 'shared' && sharing !== 'exclusive') {
    const message = `its annotation ${SHARING_ANNOTATION} is ${JSON.stringify(sharing)}; it can be shared or exclusive`;
    return { kind: 'refused', claim, code: 'invalid-sharing', message };
  }
  return { kind: 'address', claim, request: toRequest(claim.service, demands) };
}

function toRequest(service: Service, demands: ServiceDemands): AllocationRequest {
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

export function serviceKey({ namespace = 'default', name }: ObjectKey): ServiceKey {
  return `${namespace}/${name}`;
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

/** Whether it asks for an address that it shares with nobody. */
export function wantsAlone(service: Service): boolean {
  return service.metadata.annotations?.[SHARING_ANNOTATION] === 'exclusive';
}

/** Oldest first: whoever came first keeps an address that two Services claim. */
export function byAge(left: Service, right: Service): number {
  const leftBorn = left.metadata.creationTimestamp ?? '';
  const rightBorn = right.metadata.creationTimestamp ?? '';
  if (leftBorn !== rightBorn) return leftBorn < rightBorn ? -1 : 1;
  const leftKey = keyText(left.metadata);
  const rightKey = keyText(right.metadata);
  return leftKey < rightKey ? -1 : leftKey > rightKey ? 1 : 0;
}
