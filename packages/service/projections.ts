import {
  type EndpointSlice,
  type ObjectMeta,
  type Pod,
  type Projection,
  SERVICE_NAME_LABEL,
  type Service,
  type ServiceSpec,
} from '@fairlead/kube';
import { CLOUD_PROVIDER_FINALIZER, type ClaimRules, claimService, isOwnerFinalizer } from './claim/class-claim.ts';
import { ADDRESSES_ANNOTATION } from './demands/service-demands.ts';
import { SOURCE_RANGES_ANNOTATION } from './demands/source-ranges.ts';

/** By what a cache knows an object, and what a write to it is guarded by. */
const IDENTITY = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'] as const;

/** What claims and demands are read from; a field that is not here is read by no part. */
const SPEC = [
  'type',
  'loadBalancerClass',
  'ports',
  'clusterIP',
  'clusterIPs',
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

/** Annotations by which every part reads demands. */
const DEMANDS: ReadonlySet<string> = new Set([ADDRESSES_ANNOTATION, SOURCE_RANGES_ANNOTATION]);

/** Of a Service that is not ours: whose it is, and which addresses it may have. */
const FOREIGN_SPEC = ['type', 'loadBalancerClass', 'ipFamilies'] as const;

export interface ServiceProjectionOptions {
  /** Which Services are the part's own: of all others next to nothing is kept. */
  readonly rules: ClaimRules;
  /** How the annotations begin that the part reads, writes or has to refuse. Those of demands need not be named. */
  readonly annotationPrefixes?: readonly string[];
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

function newServiceProjection({ rules, annotationPrefixes = [] }: ServiceProjectionOptions) {
  const labelNames = Object.keys(rules.otherTypesByLabel ?? {});
  const isLabelKept = (name: string) => labelNames.includes(name);
  const isAnnotationKept = (name: string) =>
    DEMANDS.has(name) || annotationPrefixes.some((prefix) => name.startsWith(prefix));
  return (service: Service): Service => {
    const { apiVersion, kind, metadata, spec, status } = service;
    const { labels, annotations, finalizers, generation } = metadata;
    const about = { ...typed(apiVersion, kind), metadata: { ...picked(metadata, IDENTITY), name: metadata.name } };
    const selecting = some('labels', entriesOf(labels, isLabelKept));
    if (claimService(service, rules).state === 'foreign') {
      const owners = finalizers?.filter((one) => isOwnerFinalizer(one) || one === CLOUD_PROVIDER_FINALIZER);
      const owned = owners === undefined || owners.length === 0 ? {} : { finalizers: owners };
      return { ...about, metadata: { ...about.metadata, ...owned, ...selecting }, spec: picked(spec, FOREIGN_SPEC) };
    }
    return {
      ...about,
      metadata: {
        ...about.metadata,
        ...(generation === undefined ? {} : { generation }),
        ...(finalizers === undefined ? {} : { finalizers }),
        ...selecting,
        ...some('annotations', entriesOf(annotations, isAnnotationKept)),
      },
      spec: picked(spec, SPEC),
      ...(status === undefined ? {} : { status }),
    };
  };
}

/** Where traffic goes, and nothing about the pods there. */
export function endpointSliceProjection(slice: EndpointSlice): EndpointSlice {
  const { apiVersion, kind, metadata, addressType, endpoints, ports } = slice;
  return {
    ...typed(apiVersion, kind),
    metadata: {
      ...picked(metadata, IDENTITY),
      name: metadata.name,
      ...some(
        'labels',
        entriesOf(metadata.labels, (name) => name === SERVICE_NAME_LABEL),
      ),
    },
    addressType,
    endpoints:
      endpoints?.map(({ addresses, conditions, nodeName }) => ({
        addresses: addresses.length > 1 ? addresses.slice(0, 1) : addresses,
        ...(conditions === undefined ? {} : { conditions }),
        ...(nodeName === undefined ? {} : { nodeName }),
      })) ?? null,
    ...(ports === undefined ? {} : { ports }),
  };
}

/**
 * Where a pod runs, by which addresses, and how long. `labelNames` are the labels to keep. Make it once: caches are
 * shared by the function.
 */
export function podProjection(...labelNames: readonly string[]): Projection<Pod, Pod> {
  return ({ apiVersion, kind, metadata, spec, status }) => ({
    ...typed(apiVersion, kind),
    metadata: {
      ...picked(metadata, [...IDENTITY, 'deletionGracePeriodSeconds']),
      name: metadata.name,
      ...some(
        'labels',
        entriesOf(metadata.labels, (name) => labelNames.includes(name)),
      ),
    },
    spec: { ...picked(spec, ['nodeName', 'hostNetwork']), containers: [] },
    status: picked(status ?? {}, ['phase', 'podIP', 'podIPs']),
  });
}

function typed(apiVersion: string | undefined, kind: string | undefined) {
  return { ...(apiVersion === undefined ? {} : { apiVersion }), ...(kind === undefined ? {} : { kind }) };
}

/** The fields of these names that are there. */
function picked<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  names: readonly Name[],
): Partial<Pick<Whole, Name>> {
  const kept: Partial<Pick<Whole, Name>> = {};
  for (const name of names) if (whole[name] !== undefined) kept[name] = whole[name];
  return kept;
}

function entriesOf(
  map: ObjectMeta['annotations'],
  isKept: (name: string) => boolean,
): Readonly<Record<string, string>> | undefined {
  const kept = Object.entries(map ?? {}).filter(([name]) => isKept(name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function some<Name extends 'labels' | 'annotations'>(name: Name, map: Readonly<Record<string, string>> | undefined) {
  return map === undefined ? {} : { [name]: map };
}
