import { type IpAddress, type IpFamily, serviceUid } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import {
  CLOUD_PROVIDER_FINALIZER,
  type ClaimedReading,
  type ClaimRules,
  type DemandedPort,
  type DesiredServiceStatus,
  demandsOf,
  type EndpointHost,
  type GatheredEndpoints,
  type LoadBalancerCapabilities,
  notProgrammed,
  type Programmed,
  programmed,
  readService,
  refusal,
  refused,
  requireSupported,
  type ServiceReading,
  selectEndpoints,
  servedFamilies,
  shownAddresses,
  unsupported,
} from '@fairlead/service';
import {
  addressTags,
  azureAnnotationPrefixes,
  azureAnnotations,
  dispensableAnnotations,
  idleTimeoutMinutes,
  refuseAnnotationsBut,
  refusePortsBeyond,
} from '../../arm/index.ts';
import type { Endpoints } from '../engine/difftracker.ts';
import { type InboundKey, inboundKey } from '../engine/nrp-key.ts';
import type { InboundSpec } from '../engine/service-spec.ts';
import { type Failure, isLive, type ServiceState } from '../engine/service-state.ts';
import type { NodeDirectory } from './node-directory.ts';
import { resolvePorts } from './target-ports.ts';

export const SERVICE_GATEWAY_CLASS = 'fairlead.dev/azure-service-gateway';

/** The annotations of Azure's own controller that count here, too; pods are reached without a floating IP anyway. */
const HONOURED: ReadonlySet<string> = new Set([
  azureAnnotations.idleTimeout,
  azureAnnotations.withoutFloatingIp,
  azureAnnotations.addressTags,
]);
/** In minutes. */
const LONGEST_IDLE_TIMEOUT = 30;

/** What a load balancer behind the service gateway can do. It reaches pods directly, so no traffic passes a node. */
const capabilities: LoadBalancerCapabilities = {
  protocols: ['TCP', 'UDP'],
  mixedProtocols: true,
  families: ['IPv4', 'IPv6'],
  dualStack: false,
  namedTargetPorts: true,
  repeatedTargetPorts: false,
  localTraffic: true,
  sourceRanges: false,
  clientAffinity: false,
  chosenAddresses: false,
  needsNodePorts: false,
};

/** What a Service asks for, as far as it alone tells. */
export interface LoadBalancerRequest extends Omit<InboundSpec, 'ports'> {
  readonly demandedPorts: readonly DemandedPort[];
  /** What it asks for and goes without, as its owner is told. */
  readonly ignoredAnnotations: readonly string[];
}

/** How a Service is read. */
export interface GatewayRules extends ClaimRules {
  /** What becomes of harmless annotations that are not honoured. */
  readonly annotations: 'refuse' | 'warn';
}

/** What should exist outside for one Service. */
export type Desired = ServiceReading<LoadBalancerRequest>;
/** The same for a Service that is ours, whether or not it can be served. */
export type ClaimedDesired = ClaimedReading<LoadBalancerRequest>;

export function gatewayRules(
  defaultClass: string | undefined,
  annotations: GatewayRules['annotations'] = 'refuse',
): GatewayRules {
  return {
    annotations,
    loadBalancerClass: SERVICE_GATEWAY_CLASS,
    finalizer: 'fairlead.dev/azure-service-gateway',
    // Those that Azure's own controller knows.
    companionFinalizers: ['servicegateway.azure.com/service-cleanup', CLOUD_PROVIDER_FINALIZER],
    isDefault: defaultClass === SERVICE_GATEWAY_CLASS,
    annotationPrefixes: azureAnnotationPrefixes,
  };
}

/** Reads from a Service what it needs outside. What cannot be honoured is refused, never left out. */
export function desiredFor(service: Service, rules: GatewayRules): Desired {
  return readService(service, rules, () => loadBalancerRequest(service, rules));
}

function loadBalancerRequest(service: Service, { annotations }: GatewayRules): LoadBalancerRequest {
  const demands = demandsOf(service);
  requireSupported(unsupported(demands, capabilities));
  const ignoredAnnotations = dispensableAnnotations(HONOURED, service, annotations);
  refuseAnnotationsBut(new Set([...HONOURED, ...ignoredAnnotations]), service);
  refusePortsBeyond(demands.ports);
  const [family] = servedFamilies(demands, capabilities);
  if (family === undefined) throw refusal('family-unsupported', 'it asks for no address family that there is');
  return {
    key: nrpKeyOf(service),
    uid: uidOf(service),
    family,
    idleTimeoutMinutes: idleTimeoutMinutes(service, LONGEST_IDLE_TIMEOUT, 'invalid-idle-timeout'),
    addressTags: addressTags(service, 'invalid-address-tags'),
    demandedPorts: demands.ports,
    ignoredAnnotations,
  };
}

/** What a request comes to with the endpoints that are there now. */
export interface ServedService {
  readonly request: LoadBalancerRequest;
  readonly spec: InboundSpec;
  readonly located: LocatedEndpoints;
  /** What was left out, in plain words; undefined when nothing was. */
  readonly ignored: string | undefined;
}

export interface LocatedEndpoints {
  readonly endpoints: Endpoints;
  /** All nodes it has endpoints on, whether or not they are known. */
  readonly nodes: ReadonlySet<string>;
}

/** Throws a terminal error when the endpoints make the request impossible. */
export function serve(
  request: LoadBalancerRequest,
  gathered: GatheredEndpoints,
  hosts: readonly EndpointHost[],
  nodes: NodeDirectory,
): ServedService {
  const { demandedPorts, ignoredAnnotations: _, ...rest } = request;
  const { ports, deviating } = resolvePorts(demandedPorts, gathered);
  return {
    request,
    spec: { ...rest, ports },
    located: locate(rest.family, hosts, nodes, deviating),
    ignored: ignoredEndpoints(gathered, deviating),
  };
}

/** Where the endpoints are that take traffic now. Those whose node is not known yet wait for it. */
export function locate(
  family: IpFamily,
  hosts: readonly EndpointHost[],
  nodes: NodeDirectory,
  leftOut: ReadonlySet<IpAddress> = new Set(),
): LocatedEndpoints {
  const candidates = hosts.filter((host) => host.family === family && !leftOut.has(host.address));
  const endpoints = new Map<IpAddress, IpAddress>();
  const asked = new Set<string>();
  for (const { address, nodeName } of selectEndpoints(candidates).endpoints) {
    if (nodeName !== undefined) asked.add(nodeName);
    const addressKey = nodes.addressKeyOf(address, nodeName);
    if (addressKey !== undefined) endpoints.set(addressKey.address, addressKey.location);
  }
  return { endpoints, nodes: asked };
}

/** The key of a Service, whether or not it is ours. */
export function nrpKeyOf(service: Service): InboundKey {
  return inboundKey(uidOf(service));
}

function uidOf({ metadata }: Service) {
  return serviceUid(metadata.uid ?? '');
}

/** The family of a Service that could not be read to the end. */
export function likelyFamily({ spec }: Service): IpFamily {
  return spec.ipFamilies?.[0] ?? 'IPv4';
}

function ignoredEndpoints({ problems }: GatheredEndpoints, deviating: ReadonlySet<IpAddress>): string | undefined {
  const sentences = problems.map(({ slice, sentence }) => `EndpointSlice ${slice}: ${sentence}`);
  if (deviating.size > 0) {
    const some = [...deviating].slice(0, 3).join(', ');
    sentences.push(`${deviating.size} endpoints give a named port another number than most do, such as ${some}`);
  }
  return sentences.length === 0 ? undefined : sentences.join('; ');
}

/**
 * What the status of a Service should say; undefined while there is nothing to say yet. `refusal`: why it cannot be
 * served as it asks: it keeps the address that it shows, and is given none.
 */
export function desiredStatus(
  service: Service,
  state: ServiceState | undefined,
  address: IpAddress | undefined,
  refusal?: Failure,
): DesiredServiceStatus | undefined {
  const said = refusal === undefined ? programmedIn(state, address) : refused(refusal);
  if (said === undefined) return undefined;
  const isReachable = isLive(state) && (refusal === undefined || shownAddresses(service).length > 0);
  // Packets reach the pods with the pod's address as destination: nodes must not short-cut the public one.
  const ingress = isReachable && address !== undefined ? [{ address, mode: 'Proxy' } as const] : [];
  return { ingress, programmed: said };
}

/** Azure's own words change from call to call, and stand in the Event. */
function programmedIn(state: ServiceState | undefined, address: IpAddress | undefined): Programmed | undefined {
  switch (state?.kind) {
    case 'Created':
      return address === undefined ? undefined : programmed([address]);
    case 'Parked':
      return notProgrammed(state.failure.code, 'Azure refuses what it takes; it is tried again now and then.');
    case 'NotStarted':
    case 'UpdatePending': {
      const { failure } = state.wait;
      return failure === undefined ? undefined : notProgrammed(failure, 'An attempt failed and is repeated.');
    }
    case undefined:
    case 'CreationInProgress':
    case 'UpdateInProgress':
    case 'DeletionPending':
    case 'DeletionInProgress':
      return undefined;
  }
}
