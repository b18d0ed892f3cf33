import {
  type Condition,
  type EndpointSlice,
  endpointSlices,
  jsonEqual,
  type KubeObject,
  keyText,
  type ObjectKey,
  type Resource,
  SERVICE_NAME_LABEL,
  statusOf,
  type WantedCondition,
  withCondition,
} from '@fairlead/kube';
import type { ServiceImport, ServiceImportSpec } from '../mcs/types.ts';
import type { ExportedSlice } from '../records/exported-slices.ts';
import { DERIVED_IPS, EXPORTED_ANNOTATIONS, EXPORTED_LABELS, readTexts } from '../records/marks.ts';

export type Place = 'member' | 'broker';

/** An object that must, or must not, exist for a deletion to be right: the API server is asked before the deletion. */
export interface Precondition {
  readonly is: 'there' | 'absent';
  readonly at: Place;
  readonly resource: Resource<KubeObject>;
  readonly key: ObjectKey;
  /** The cluster that an import loses by the deletion; a mass of them is held back. */
  readonly loses?: string;
}

/** One write, planned: what the leader does, `plan` counts and `why` tells. */
export interface Write {
  readonly verb: 'create' | 'update' | 'delete';
  readonly at: Place;
  readonly resource: Resource<KubeObject>;
  /** With the version that was decided upon, unless it is new. */
  readonly object: KubeObject;
  /** What it rests upon, where it takes something away. Where one of them does not hold, it is not made. */
  readonly preconditions: readonly Precondition[];
  readonly ifItDiesHere: string;
}

/** What an object is to look like. What others wrote to it stays. */
interface Content {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ImportContent extends Content {
  readonly spec: ServiceImportSpec;
}

export const AGAIN = 'What is there is compared again: nothing is lost, and what is missing is written then.';

/** Where an object is to be. */
export interface Target<Kind extends KubeObject> {
  readonly at: Place;
  readonly resource: Resource<Kind>;
  readonly key: { readonly namespace: string; readonly name: string };
}

export function ensureImport(
  { at, resource, key }: Target<ServiceImport>,
  existing: ServiceImport | undefined,
  { spec, labels, annotations }: ImportContent,
): readonly Write[] {
  const rest = { at, resource, preconditions: [], ifItDiesHere: AGAIN };
  if (existing === undefined) {
    const object: ServiceImport = { metadata: { ...key, labels, annotations }, spec };
    return [{ ...rest, verb: 'create', object }];
  }
  const metadata = withTexts(existing, { labels, annotations });
  // A cluster may give the import an address of its own: that stays, but for one of a Service that we derived.
  const { ips } = existing.spec ?? {};
  const isOthers =
    ips !== undefined && spec.ips === undefined && !(DERIVED_IPS in (existing.metadata.annotations ?? {}));
  const wanted = isOthers ? { ...spec, ips } : spec;
  const isSame = existing.spec !== undefined && jsonEqual(comparable(existing.spec), comparable(wanted));
  if (metadata === existing.metadata && isSame) return [];
  const object: ServiceImport = { ...existing, metadata, spec: wanted };
  return [{ ...rest, verb: 'update', object }];
}

/** Brings the status of an import to these clusters and, of our own conditions, to these. */
export function ensureImportStatus(
  { at, resource }: Pick<Target<ServiceImport>, 'at' | 'resource'>,
  existing: ServiceImport,
  clusters: readonly string[],
  conditions: readonly Condition[] | undefined,
): readonly Write[] {
  const wanted = clusters.map((cluster) => ({ cluster }));
  const { status = {} } = existing;
  const isSame = jsonEqual(status.clusters ?? [], wanted) && jsonEqual(status.conditions ?? [], conditions ?? []);
  if (isSame) return [];
  const object = {
    ...existing,
    status: { ...status, clusters: wanted, ...(conditions !== undefined && { conditions }) },
  };
  return [{ verb: 'update', at, resource: statusOf(resource), object, preconditions: [], ifItDiesHere: AGAIN }];
}

export function ensureSlice(
  { at, key }: Omit<Target<EndpointSlice>, 'resource'>,
  existing: EndpointSlice | undefined,
  labels: Readonly<Record<string, string>>,
  { addressType, endpoints, ports }: Omit<ExportedSlice, 'suffix'>,
): readonly Write[] {
  const rest = { at, resource: endpointSlices, preconditions: [], ifItDiesHere: AGAIN };
  if (existing === undefined) {
    return [{ ...rest, verb: 'create', object: sliceObject({ ...key, labels }, addressType, endpoints, ports) }];
  }
  // The family of a slice cannot be changed: it is made anew.
  if (existing.addressType !== addressType) return [{ ...rest, verb: 'delete', object: existing }];
  const metadata = withTexts(existing, { labels, annotations: {} });
  const isSame =
    jsonEqual(existing.endpoints ?? [], endpoints) &&
    jsonEqual(existing.ports?.map(portWithDefaults) ?? [], ports.map(portWithDefaults));
  if (isSame && metadata === existing.metadata) return [];
  const object = { ...existing, ...sliceObject(metadata, addressType, endpoints, ports) };
  return [{ ...rest, verb: 'update', object }];
}

function sliceObject(
  metadata: EndpointSlice['metadata'],
  addressType: EndpointSlice['addressType'],
  endpoints: EndpointSlice['endpoints'],
  ports: EndpointSlice['ports'],
): EndpointSlice {
  return { metadata, addressType, endpoints, ports: ports ?? [] };
}

export function remove(
  at: Place,
  resource: Resource<KubeObject>,
  objects: readonly (KubeObject | undefined)[],
  preconditions: readonly Precondition[] = [],
): readonly Write[] {
  return objects.flatMap((object) =>
    object === undefined || object.metadata.deletionTimestamp !== undefined
      ? []
      : [{ verb: 'delete', at, resource, object, preconditions, ifItDiesHere: AGAIN } as const],
  );
}

/** The conditions with those of ours as wanted; ours that are no longer wanted go. */
export function withConditions(
  object: {
    readonly metadata: KubeObject['metadata'];
    readonly status?: { readonly conditions?: readonly Condition[] };
  },
  wanted: readonly WantedCondition[],
  ours: readonly string[],
  now: number,
): readonly Condition[] {
  const kept = (object.status?.conditions ?? []).filter(
    ({ type }) => !ours.includes(type) || wanted.some((one) => one.type === type),
  );
  return wanted.reduce<readonly Condition[]>(
    (conditions, one) => withCondition({ ...object, status: { conditions } }, one, now),
    kept,
  );
}

/** `create servicesimports shop/web at the broker`: for journal, plan and crash tests. */
export function describeWrite({ verb, at, resource, object }: Write): string {
  const subresource = resource.subresource === undefined ? '' : ` ${resource.subresource}`;
  return `${verb} ${resource.kind}${subresource} ${keyText(object.metadata)}${at === 'broker' ? ' at the broker' : ''}`;
}

/** The same metadata when there is nothing to change. What an export brought and no longer does is taken back. */
function withTexts({ metadata }: KubeObject, wanted: Content): KubeObject['metadata'] {
  const { labels = {}, annotations = {} } = metadata;
  const noLabels = [
    ...stale(annotations[EXPORTED_LABELS], wanted.labels),
    ...[SERVICE_NAME_LABEL].filter((name) => !(name in wanted.labels)),
  ];
  const noAnnotations = [
    ...stale(annotations[EXPORTED_ANNOTATIONS], wanted.annotations),
    ...[EXPORTED_LABELS, EXPORTED_ANNOTATIONS, DERIVED_IPS].filter((name) => !(name in wanted.annotations)),
  ];
  const isSame =
    isIn(wanted.labels, labels) &&
    isIn(wanted.annotations, annotations) &&
    !noLabels.some((name) => name in labels) &&
    !noAnnotations.some((name) => name in annotations);
  if (isSame) return metadata;
  return {
    ...metadata,
    labels: { ...without(labels, noLabels), ...wanted.labels },
    annotations: { ...without(annotations, noAnnotations), ...wanted.annotations },
  };
}

type Texts = Readonly<Record<string, string>>;

const stale = (before: string | undefined, wanted: Texts) =>
  Object.keys(readTexts(before) ?? {}).filter((name) => !(name in wanted));
const isIn = (wanted: Texts, all: Texts) => Object.entries(wanted).every(([name, value]) => all[name] === value);
const without = (texts: Texts, names: readonly string[]) =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => !names.includes(name)));

/** As the server fills it in. */
function portWithDefaults<Port extends { readonly name?: string; readonly protocol?: string }>(port: Port) {
  return { ...port, name: port.name ?? '', protocol: port.protocol ?? 'TCP' };
}

function comparable({ ports, ...spec }: ServiceImportSpec) {
  return { ...spec, ports: (ports ?? []).map(portWithDefaults) };
}

/** The clusters that imports lose by these writes. */
export function clustersLostBy(writes: readonly Write[]): ReadonlySet<string> {
  return new Set(writes.flatMap(({ preconditions }) => preconditions.flatMap(({ loses }) => loses ?? [])));
}
