import { type IpAddress, type IpFamily, type ServiceUid, serviceUid } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import {
  type Affinity,
  type ClaimRules,
  demandsOf,
  type LoadBalancerCapabilities,
  type Refusal,
  readService,
  refusal,
  requireSupported,
  type ServiceDemands,
  type ServiceKey,
  type ServiceReading,
  type SourceRanges,
  servedFamilies,
  serviceKey,
  unsupported,
} from '@fairlead/service';
import {
  annotationText,
  azureAnnotationPrefixes,
  azureAnnotations,
  idleTimeoutMinutes,
  refuseAnnotationsBut,
  refusePortsBeyond,
} from '../../arm/index.ts';
import type { FrontendScope } from '../configuration.ts';
import { PART_NAME } from '../names.ts';
import type { AzureSite } from '../site.ts';

export const AZURE_LOCAL_CLASS = 'fairlead.dev/azure-local';

/** How the annotations begin that we write. */
const ANNOTATION_PREFIX = 'azure-local.fairlead.dev/';
/** The load balancer that a Service was placed on: what a restart finds its place by. */
export const LOAD_BALANCER_ANNOTATION = `${ANNOTATION_PREFIX}load-balancer`;
/** Pools that another controller had made for the Service, as `IPv4=name,IPv6=name`. */
export const ADOPTED_POOLS_ANNOTATION = `${ANNOTATION_PREFIX}adopted-backend-pools`;

const { internal: INTERNAL, internalSubnet: INTERNAL_SUBNET, loadBalancers: LOAD_BALANCERS } = azureAnnotations;
const HONOURED: ReadonlySet<string> = new Set(Object.values(azureAnnotations));
/** In minutes, as a standard load balancer has it. */
const LONGEST_IDLE_TIMEOUT = 100;

/** What a standard load balancer with floating addresses can do for a local Service. */
const capabilities: LoadBalancerCapabilities = {
  protocols: ['TCP', 'UDP'],
  mixedProtocols: true,
  families: ['IPv4', 'IPv6'],
  dualStack: true,
  namedTargetPorts: true,
  repeatedTargetPorts: true,
  localTraffic: true,
  sourceRanges: true,
  clientAffinity: true,
  chosenAddresses: true,
  needsNodePorts: false,
};

/** Pools under names that are not of our making. */
export type AdoptedPools = Readonly<Partial<Record<IpFamily, string>>>;

export interface WantedPort {
  readonly protocol: 'TCP' | 'UDP';
  readonly port: number;
}

/** What a Service asks for, ready to be built in Azure. */
export interface WantedService {
  readonly key: ServiceKey;
  readonly uid: ServiceUid;
  readonly scope: FrontendScope;
  /** The name of the subnet for the internal address; undefined: that of the nodes. */
  readonly subnet: string | undefined;
  /** The load balancers it may be placed on; undefined: any. */
  readonly allowed: readonly string[] | undefined;
  readonly idleTimeoutMinutes: number;
  /** The preferred one first. */
  readonly families: readonly IpFamily[];
  readonly ports: readonly WantedPort[];
  readonly healthCheckNodePort: number;
  readonly affinity: Affinity['kind'];
  readonly sourceRanges: SourceRanges;
  /** Private addresses that the user chose. */
  readonly addresses: readonly IpAddress[];
  /** Where it was placed before. */
  readonly recordedLoadBalancer: string | undefined;
  readonly adoptedPools: AdoptedPools;
}

/** What should exist outside for one Service. */
export type Desired = ServiceReading<WantedService>;

/** What this installation can do, beyond what Azure can. */
export interface DesiredOptions {
  readonly rules: ClaimRules;
  /** Whether there is a security group to keep sources out with. */
  readonly hasSecurityGroup: boolean;
}

export function desiredOptions(
  { securityGroupId }: Pick<AzureSite, 'securityGroupId'>,
  defaultClass: string | undefined,
): DesiredOptions {
  const isDefault = defaultClass === AZURE_LOCAL_CLASS;
  const rules: ClaimRules = {
    loadBalancerClass: AZURE_LOCAL_CLASS,
    finalizer: `fairlead.dev/${PART_NAME}`,
    isDefault,
    annotationPrefixes: [ANNOTATION_PREFIX, ...azureAnnotationPrefixes],
  };
  return { rules, hasSecurityGroup: securityGroupId !== undefined };
}

/** Reads from a Service what it needs in Azure. What cannot be honoured is refused, never left out. */
export function desiredFor(service: Service, { rules, hasSecurityGroup }: DesiredOptions): Desired {
  return readService(service, rules, () => wantedService(service, hasSecurityGroup));
}

function wantedService(service: Service, hasSecurityGroup: boolean): WantedService {
  const annotated = annotatedDemands(service);
  const demands = demandsOf(service);
  const able = { ...capabilities, sourceRanges: hasSecurityGroup, chosenAddresses: annotated.scope === 'internal' };
  requireSupported(unsupported(demands, able), unsupportedHere(demands));
  refusePortsBeyond(demands.ports);
  return {
    ...annotated,
    key: serviceKey(service.metadata),
    uid: serviceUid(service.metadata.uid ?? ''),
    families: servedFamilies(demands, able),
    ports: wantedPorts(demands),
    healthCheckNodePort: demands.healthCheckNodePort ?? 0,
    affinity: demands.affinity.kind,
    sourceRanges: demands.sourceRanges,
    addresses: demands.addresses,
    recordedLoadBalancer: recordedLoadBalancer(service),
    adoptedPools: adoptedPools(service),
  };
}

/**
 * Reads the annotations that users of Azure's own controller know. Throws a terminal error for one that cannot be
 * honoured or understood: it is never left out.
 */
function annotatedDemands(
  service: Service,
): Pick<WantedService, 'scope' | 'subnet' | 'allowed' | 'idleTimeoutMinutes'> {
  refuseAnnotationsBut(HONOURED, service);
  const scope = scopeOf(annotationText(service, INTERNAL));
  const subnet = annotationText(service, INTERNAL_SUBNET);
  if (subnet !== undefined && scope === 'public') {
    throw refusal(
      'annotation-unsupported',
      `its annotation ${INTERNAL_SUBNET} makes sense only with ${INTERNAL}: "true"`,
    );
  }
  const allowed = annotationText(service, LOAD_BALANCERS)
    ?.split(',')
    .map((name) => name.trim());
  const idleTimeout = idleTimeoutMinutes(service, LONGEST_IDLE_TIMEOUT, 'invalid-annotation');
  return { scope, subnet, allowed, idleTimeoutMinutes: idleTimeout };
}

function scopeOf(text: string | undefined): FrontendScope {
  const lower = text?.toLowerCase() ?? 'false';
  if (lower === 'true') return 'internal';
  if (lower === 'false') return 'public';
  throw refusal('invalid-annotation', `its annotation ${INTERNAL} is ${JSON.stringify(text)}: use "true" or "false"`);
}

/** What only makes sense for local Services. */
function* unsupportedHere(demands: ServiceDemands): Generator<Refusal> {
  if (demands.externalTraffic !== 'Local') {
    const message = `it asks for externalTrafficPolicy: ${demands.externalTraffic}, and only Local is served here`;
    yield { code: 'cluster-traffic-unsupported', message };
  } else if (demands.healthCheckNodePort === undefined) {
    const message = 'it has no healthCheckNodePort, without which no probe can tell which nodes serve it';
    yield { code: 'health-check-port-missing', message };
  }
  if (demands.ports.length === 0) yield { code: 'no-ports', message: 'it has no ports' };
}

/** By port, then protocol. */
function wantedPorts({ ports }: ServiceDemands): readonly WantedPort[] {
  return ports
    .flatMap(({ protocol, port }) => (protocol === 'SCTP' ? [] : [{ protocol, port }]))
    .toSorted((left, right) => left.port - right.port || (left.protocol < right.protocol ? -1 : 1));
}

export function recordedLoadBalancer(service: Service): string | undefined {
  return service.metadata.annotations?.[LOAD_BALANCER_ANNOTATION] || undefined;
}

export function adoptedPools(service: Service): AdoptedPools {
  const recorded = service.metadata.annotations?.[ADOPTED_POOLS_ANNOTATION] ?? '';
  const pairs = recorded.split(',').flatMap((pair) => {
    const [family = '', name = ''] = pair.split('=');
    return isFamily(family) && name !== '' ? [[family, name] as const] : [];
  });
  return Object.fromEntries(pairs);
}

/** Undefined when there is nothing to record. */
export function adoptedPoolsText(pools: AdoptedPools): string | undefined {
  const text = Object.entries(pools)
    .map((pair) => pair.join('='))
    .join(',');
  return text === '' ? undefined : text;
}

function isFamily(text: string): text is IpFamily {
  return text === 'IPv4' || text === 'IPv6';
}
