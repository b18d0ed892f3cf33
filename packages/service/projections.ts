import { picked } from '@fairlead/control';
import {
  type Endpoint,
  type EndpointConditions,
  type EndpointSlice,
  type Node,
  type Pod,
  type Projection,
  SERVICE_NAME_LABEL,
  type Service,
  type ServicePort,
  type ServiceSpec,
} from '@fairlead/kube';
import { CLOUD_PROVIDER_FINALIZER, type ClaimRules, claimService, isOwnerFinalizer } from './claim/class-claim.ts';
import { partAnnotations } from './claim/part-annotations.ts';

/** By what a cache knows an object, beside its name, and what a write to it is guarded by. */
const IDENTITY = ['namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'] as const;

/** What claims and demands are read from, beside the ports; a field that is not here is read by no part. */
const SPEC = [
  'type',
  'loadBalancerClass',
  'ipFamilies',
  'ipFamilyPolicy',
  'externalTrafficPolicy',
  'internalTrafficPolicy',
  'healthCheckNodePort',
  'sessionAffinity',
  'sessionAffinityConfig',
  'loadBalancerIP',
  'loadBalancerSourceRanges',
] as const satisfies readonly (keyof ServiceSpec)[];

/** Of a Service that is not ours: whose it is, and which addresses it may have. */
const FOREIGN_SPEC = ['type', 'loadBalancerClass', 'ipFamilies'] as const;

export interface ServiceProjectionOptions {
  /** Which Services are the part's own: of all others next to nothing is kept. */
  readonly rules: ClaimRules;
  /** Labels that the part selects Services by. */
  readonly labelNames?: readonly string[];
  /** Keeps the node ports, too: for a part whose load balancers send to them. */
  readonly nodePorts?: boolean;
  /** Keeps the cluster addresses, too. */
  readonly clusterAddresses?: boolean;
}

const made = new Map<string, Projection<Service, Service>>();

/**
 * What a cache keeps of Services, so that nothing that tenants may write takes memory unless a part reads it. What is
 * written back from it is whole: the finalizers, the status and the annotations of the part. The same function for the
 * same options, as caches are shared by the function.
 */
export function serviceProjection(options: ServiceProjectionOptions): Projection<Service, Service> {
  const id = JSON.stringify(options);
  const projection = made.get(id) ?? newServiceProjection(options);
  made.set(id, projection);
  return projection;
}

function newServiceProjection(options: ServiceProjectionOptions) {
  const { rules, nodePorts = false, clusterAddresses = false } = options;
  const labelNames = [...Object.keys(rules.otherTypesByLabel ?? {}), ...(options.labelNames ?? [])];
  const keptPort = nodePorts ? (port: ServicePort) => port : withoutNodePort;
  const kept = (service: Service): Service => {
    const { metadata, spec, status } = service;
    const { name, finalizers, generation } = metadata;
    const about = { name, ...picked(metadata, IDENTITY), ...labelled(metadata.labels, labelNames) };
    if (claimService(service, rules).state === 'foreign') {
      const owners = finalizers?.filter((one) => isOwnerFinalizer(one) || one === CLOUD_PROVIDER_FINALIZER);
      const owned = owners === undefined || owners.length === 0 ? {} : { finalizers: owners };
      return { metadata: { ...about, ...owned }, spec: picked(spec, FOREIGN_SPEC) };
    }
    const annotations = partAnnotations(service, rules);
    return compact({
      metadata: {
        ...about,
        ...(generation === undefined ? {} : { generation }),
        ...(finalizers === undefined ? {} : { finalizers }),
        ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      },
      spec: {
        ...picked(spec, SPEC),
        // Where an old server leaves out the families, the cluster addresses tell.
        ...((spec.ipFamilies ?? []).length > 0 && !clusterAddresses ? {} : picked(spec, ['clusterIP', 'clusterIPs'])),
        ...(spec.ports === undefined ? {} : { ports: spec.ports.map(keptPort) }),
      },
      ...(status === undefined ? {} : { status }),
    });
  };
  return (service: Service): Service => {
    try {
      return kept(service);
    } catch {
      // The reader of Services tells what is wrong with it; one that is missing from a cache would count as deleted.
      return service;
    }
  };
}

/** So that equal ports of many Services are one in memory. */
function withoutNodePort(port: ServicePort): ServicePort {
  const { nodePort: _, ...kept } = port;
  return kept;
}

/** Where traffic goes, and nothing about the pods there. */
export function endpointSliceProjection(slice: EndpointSlice): EndpointSlice {
  const { addressType, ports } = slice;
  const { name, labels = {} } = slice.metadata;
  const service = labels[SERVICE_NAME_LABEL];
  const metadata = compact({
    name,
    ...picked(slice.metadata, ['namespace', 'uid', 'resourceVersion']),
    ...(service === undefined ? {} : { labels: { [SERVICE_NAME_LABEL]: service } }),
  });
  const endpoints = slice.endpoints?.map((endpoint) => new KeptEndpoint(endpoint)) ?? null;
  return ports === undefined ? { metadata, addressType, endpoints } : { metadata, addressType, endpoints, ports };
}

/**
 * There are more of these than of anything else: an array for the only address that counts would be half of it, and
 * conditions that say what is taken for granted without them are left out.
 */
class KeptEndpoint implements Endpoint {
  readonly onlyAddress: string;
  declare readonly nodeName?: string;
  declare readonly conditions?: EndpointConditions;

  constructor({ addresses: [first = ''], nodeName, conditions = {} }: Endpoint) {
    this.onlyAddress = first;
    if (nodeName !== undefined) this.nodeName = nodeName;
    const { ready = true, serving = true, terminating = false } = conditions;
    if (!ready || !serving || terminating) this.conditions = conditions;
  }

  get addresses(): readonly string[] {
    return [this.onlyAddress];
  }
}

/**
 * Where a pod runs, by which addresses, and how long. `labelNames` are the labels to keep. Make it once: caches are
 * shared by the function.
 */
export function podProjection(...labelNames: readonly string[]): Projection<Pod, Pod> {
  return ({ metadata, spec, status }) => ({
    metadata: {
      name: metadata.name,
      ...picked(metadata, [...IDENTITY, 'finalizers', 'deletionGracePeriodSeconds']),
      ...labelled(metadata.labels, labelNames),
    },
    spec: { ...picked(spec, ['nodeName', 'hostNetwork']), containers: [] },
    status: picked(status ?? {}, ['phase', 'podIP', 'podIPs']),
  });
}

/** Of a node that reports its health all the time, what a load balancer needs changes rarely. */
export function nodeProjection({ metadata, spec, status }: Node): Node {
  const ready = (status?.conditions ?? []).filter(({ type }) => type === 'Ready');
  return {
    metadata: {
      name: metadata.name,
      ...picked(metadata, ['uid', 'resourceVersion', 'deletionTimestamp', 'labels']),
    },
    spec: { taints: spec?.taints ?? [] },
    status: { addresses: status?.addresses ?? [], conditions: ready },
  };
}

/** Those of the labels that are to be kept; nothing when there are none. */
function labelled(labels: Readonly<Record<string, string>> = {}, names: readonly string[]) {
  const kept = Object.entries(labels).filter(([name]) => names.includes(name));
  return kept.length === 0 ? {} : { labels: Object.fromEntries(kept) };
}

/** The same, without the room that V8 leaves in objects to which fields are added one by one: a tenth of their size. */
function compact<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}
