import { FairleadError, type IpAddress, parseIpAddress } from '@fairlead/control';
import type { IpFamily, Protocol, Service, ServicePort, ServiceSpec, TrafficPolicy } from '@fairlead/kube';
import { type SourceRanges, sourceRangesOf } from './source-ranges.ts';

/** Asks for addresses, one for each family at most, separated by commas: `spec.loadBalancerIP` holds only one. */
export const ADDRESSES_ANNOTATION = 'fairlead.dev/load-balancer-addresses';

/** What the API server fills in for ClientIP affinity: three hours. */
const DEFAULT_AFFINITY_SECONDS = 10_800;

export interface DemandedPort {
  /** Empty for the only, nameless port. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
  /** The port of the pods; a name stands for a number that may differ from pod to pod: the slices know it. */
  readonly target:
    | { readonly kind: 'number'; readonly port: number }
    | { readonly kind: 'name'; readonly name: string };
  readonly nodePort: number | undefined;
  readonly appProtocol: string | undefined;
}

export type Affinity = { readonly kind: 'none' } | { readonly kind: 'client-ip'; readonly timeoutSeconds: number };

/** Everything a Service asks of a load balancer, with the defaults of the API filled in. */
export interface ServiceDemands {
  readonly ports: readonly DemandedPort[];
  /** The preferred one first. */
  readonly families: readonly IpFamily[];
  readonly familyPolicy: NonNullable<ServiceSpec['ipFamilyPolicy']>;
  readonly externalTraffic: TrafficPolicy;
  readonly internalTraffic: TrafficPolicy;
  /** Where each node tells whether it has endpoints of its own; only with `externalTraffic: Local`. */
  readonly healthCheckNodePort: number | undefined;
  readonly affinity: Affinity;
  readonly sourceRanges: SourceRanges;
  /** The addresses the user chose, at most one for each family; empty: any will do. */
  readonly addresses: readonly IpAddress[];
}

/** Reads the demands. Throws a terminal error for one that cannot be understood: it is never guessed or left out. */
export function demandsOf(service: Service): ServiceDemands {
  const { spec } = service;
  const families = familiesOf(spec);
  const externalTraffic = spec.externalTrafficPolicy ?? 'Cluster';
  return {
    ports: (spec.ports ?? []).map(toDemandedPort),
    families,
    familyPolicy: spec.ipFamilyPolicy ?? 'SingleStack',
    externalTraffic,
    internalTraffic: spec.internalTrafficPolicy ?? 'Cluster',
    healthCheckNodePort: externalTraffic === 'Local' ? spec.healthCheckNodePort || undefined : undefined,
    affinity: affinityOf(spec),
    sourceRanges: sourceRangesOf(service, families),
    addresses: addressesOf(service, families),
  };
}

function toDemandedPort(port: ServicePort): DemandedPort {
  const target = port.targetPort ?? port.port;
  return {
    name: port.name ?? '',
    protocol: port.protocol ?? 'TCP',
    port: port.port,
    target: typeof target === 'number' ? { kind: 'number', port: target } : { kind: 'name', name: target },
    nodePort: port.nodePort || undefined,
    appProtocol: port.appProtocol,
  };
}

/** The server fills in the families, except where it is older than them: then the cluster addresses tell. */
export function familiesOf(spec: ServiceSpec): readonly IpFamily[] {
  if (spec.ipFamilies !== undefined && spec.ipFamilies.length > 0) return spec.ipFamilies;
  const clusterAddresses = spec.clusterIPs ?? [spec.clusterIP ?? ''];
  const families = clusterAddresses.flatMap((address) => parseIpAddress(address)?.family ?? []);
  return families.length > 0 ? families : ['IPv4'];
}

export function affinityOf(spec: ServiceSpec): Affinity {
  if (spec.sessionAffinity !== 'ClientIP') return { kind: 'none' };
  const timeoutSeconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY_SECONDS;
  return { kind: 'client-ip', timeoutSeconds };
}

function addressesOf(service: Service, families: readonly IpFamily[]): readonly IpAddress[] {
  const field = service.spec.loadBalancerIP?.trim() ?? '';
  const annotation = service.metadata.annotations?.[ADDRESSES_ANNOTATION]?.trim() ?? '';
  if (field !== '' && annotation !== '') {
    const message = `spec.loadBalancerIP and the annotation ${ADDRESSES_ANNOTATION} both ask for addresses: keep one`;
    throw new FairleadError(message, { verdict: 'terminal', code: 'addresses-asked-twice' });
  }
  const asked = field !== '' ? [field] : annotation !== '' ? annotation.split(',').map((text) => text.trim()) : [];
  const where = field !== '' ? 'spec.loadBalancerIP' : `the annotation ${ADDRESSES_ANNOTATION}`;
  const taken = new Set<IpFamily>();
  return asked.map((text) => {
    const parsed = parseIpAddress(text);
    if (parsed === undefined) throw invalidAddress(`${where} asks for ${JSON.stringify(text)}, which is no IP address`);
    if (!families.includes(parsed.family)) {
      throw invalidAddress(`${where} asks for ${text}, but the Service is ${families.join(' and ')} only`);
    }
    if (taken.has(parsed.family)) throw invalidAddress(`${where} asks for two ${parsed.family} addresses: keep one`);
    taken.add(parsed.family);
    return parsed.address;
  });
}

function invalidAddress(message: string): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code: 'invalid-address' });
}
