import { type IpAddress, type IpFamily, type ServiceUid, serviceUid } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import {
  type Affinity,
  type ClaimRules,
  demandsOf,
  type LoadBalancerCapabilities,
  type Refusal,
  readService,
  requireSupported,
  type ServiceDemands,
  type ServiceKey,
  type ServiceReading,
  type SourceRanges,
  servedFamilies,
  serviceKey,
  unsupported,
} from '@fairlead/service';
import { azureAnnotationPrefixes, isResourceName, refusePortsBeyond } from '../../arm/index.ts';
import { PART_NAME } from '../names.ts';
import type { AzureSite } from '../site.ts';
import {
  type AnnotatedDemands,
  allowedSources,
  annotatedDemands,
  chosenAddresses,
  type OwnAddress,
  ownAddresses,
  prefixIds,
} from './annotated.ts';

export const AZURE_LOCAL_CLASS = 'fairlead.dev/azure-local';

/** How the annotations begin that we write. */
const ANNOTATION_PREFIX = 'azure-local.fairlead.dev/';
/** The load balancer that a Service was placed on: what a restart finds its place by. */
export const LOAD_BALANCER_ANNOTATION = `${ANNOTATION_PREFIX}load-balancer`;
/** Pools that another controller had made for the Service, as `IPv4=name,IPv6=name`. */
export const ADOPTED_POOLS_ANNOTATION = `${ANNOTATION_PREFIX}adopted-backend-pools`;

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
export interface WantedService extends AnnotatedDemands {
  readonly key: ServiceKey;
  readonly uid: ServiceUid;
  /** As the cluster tells it. */
  readonly createdAt: string;
  /** The preferred one first. */
  readonly families: readonly IpFamily[];
  readonly ports: readonly WantedPort[];
  readonly healthCheckNodePort: number;
  readonly affinity: Affinity['kind'];
  readonly sourceRanges: SourceRanges;
  /** Azure's names for many ranges, whose clients may come beside those of the source ranges. */
  readonly serviceTags: readonly string[];
  /** Public addresses that the user has made; the others are made here. */
  readonly ownAddresses: Readonly<Partial<Record<IpFamily, OwnAddress>>>;
  /** Prefixes from which public addresses are taken that are made here. */
  readonly prefixIds: Readonly<Partial<Record<IpFamily, string>>>;
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
  const able = { ...capabilities, sourceRanges: hasSecurityGroup };
  const sources = allowedSources(service, demands.families, demands.sourceRanges);
  requireSupported(unsupported({ ...demands, ...sources }, able), unsupportedHere(demands));
  refusePortsBeyond(demands.ports);
  const families = servedFamilies(demands, able);
  const addresses = chosenAddresses(service, families, demands.addresses);
  const isPublic = annotated.scope === 'public';
  return {
    ...annotated,
    ...sources,
    key: serviceKey(service.metadata),
    uid: serviceUid(service.metadata.uid ?? ''),
    createdAt: service.metadata.creationTimestamp ?? '',
    families,
    ownAddresses: isPublic ? ownAddresses(service, families, addresses) : {},
    prefixIds: prefixIds(service, families),
    ports: wantedPorts(demands),
    healthCheckNodePort: demands.healthCheckNodePort ?? 0,
    affinity: demands.affinity.kind,
    addresses: isPublic ? [] : addresses,
    recordedLoadBalancer: recordedLoadBalancer(service),
    adoptedPools: adoptedPools(service),
  };
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
    // Owners can write anything there.
    return isFamily(family) && isResourceName(name) ? [[family, name] as const] : [];
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
