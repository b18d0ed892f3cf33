import { type EndpointSlice, type KubeObject, SERVICE_NAME_LABEL } from '@fairlead/kube';
import { SERVICE_NAME, SOURCE_CLUSTER } from '../mcs/types.ts';
import { derivedServiceName, type ExportKey } from './names.ts';

/** Which clusterset an object at the broker belongs to: by it, members select what they watch. */
export const CLUSTERSET = 'clusterset.fairlead.dev/clusterset';
/** On the Lease of a cluster that has left, or is about to: only itself and the broker's operator can write there. */
export const LEAVING = 'clusterset.fairlead.dev/leaving';
/** The namespace of the Service at its source. */
export const SOURCE_NAMESPACE = 'clusterset.fairlead.dev/source-namespace';
/** On every ServiceImport and EndpointSlice that we made: nothing else is ever changed or deleted. */
const MANAGED_BY = 'clusterset.fairlead.dev/managed-by';
const MANAGER = 'fairlead';
const SLICE_MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const SLICE_MANAGER = 'clusterset.fairlead.dev';
/** On copies of what older software has at the broker, and on what it left that we are to remove. */
const OLDER = 'clusterset.fairlead.dev/older-import';
/** On the Service that we derived from an import, and on the slices of this cluster behind it: the name of the import. */
const DERIVED_FROM = 'clusterset.fairlead.dev/derived-from';
/** On an import: its addresses are those of our derived Service, and not given by another controller. */
export const DERIVED_IPS = 'clusterset.fairlead.dev/derived-ips';
/** Exported labels and annotations as JSON: what came from the export, to be taken back when it no longer does. */
export const EXPORTED_LABELS = 'clusterset.fairlead.dev/exported-labels';
export const EXPORTED_ANNOTATIONS = 'clusterset.fairlead.dev/exported-annotations';

const DOMAIN = 'clusterset.fairlead.dev/';
/** On a ServiceExport under `exportedAnnotations`: what becomes of a cluster's endpoints when it falls silent. */
export const WHEN_SILENT = `${DOMAIN}when-silent`;

/** Whether a label or annotation is ours to write, and not an exporter's. */
export function isOwnMark(name: string): boolean {
  return name !== WHEN_SILENT && (name.startsWith(DOMAIN) || name === SERVICE_NAME || name === SOURCE_CLUSTER);
}

type Texts = Readonly<Record<string, string>>;

/** What every object at the broker carries. */
export function recordLabels({ namespace, name }: ExportKey, clusterset: string, cluster: string): Texts {
  return {
    ...aggregateLabels({ namespace, name }, clusterset),
    [SOURCE_CLUSTER]: cluster,
  };
}

/** The same for what is of all clusters. */
export function aggregateLabels({ namespace, name }: ExportKey, clusterset: string): Texts {
  return {
    [CLUSTERSET]: clusterset,
    [MANAGED_BY]: MANAGER,
    [SOURCE_NAMESPACE]: namespace,
    [SERVICE_NAME]: name,
  };
}

/** What a ServiceImport in a cluster carries. */
export const importLabels: Texts = { [MANAGED_BY]: MANAGER };

export function sliceLabels(service: string, cluster: string): Texts {
  return {
    [MANAGED_BY]: MANAGER,
    [SLICE_MANAGED_BY]: SLICE_MANAGER,
    [SERVICE_NAME]: service,
    [SOURCE_CLUSTER]: cluster,
  };
}

/** What the Service that is derived from an import carries. */
export function derivedLabels(service: string): Texts {
  return { [MANAGED_BY]: MANAGER, [DERIVED_FROM]: service };
}

/** The label by which kube-proxy takes an EndpointSlice for one of the derived Service. */
export function derivedServiceNameLabel(service: string): Texts {
  return { [SERVICE_NAME_LABEL]: derivedServiceName(service) };
}

/** This cluster's share behind it: no export, and therefore without the labels that make a slice one. */
export function derivedSliceLabels(service: string): Texts {
  return { ...derivedLabels(service), ...derivedServiceNameLabel(service), [SLICE_MANAGED_BY]: SLICE_MANAGER };
}

/** The import that a Service or a slice of ours is derived from. */
export function derivedKey(object: KubeObject): ExportKey | undefined {
  const { namespace, labels } = object.metadata;
  const name = labels?.[DERIVED_FROM];
  return namespace === undefined || name === undefined || !isOurs(object) ? undefined : { namespace, name };
}

export function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[MANAGED_BY] === MANAGER;
}

export const OLDER_COPY: Texts = { [OLDER]: MANAGER };

/** Whether it is of older software, and ours to remove. */
export function isAdopted({ metadata }: KubeObject): boolean {
  return metadata.labels?.[OLDER] === MANAGER;
}

/** The Service of the clusterset behind an EndpointSlice that we made in a cluster. */
export function importedSliceKey(slice: EndpointSlice): ExportKey | undefined {
  const { namespace, labels } = slice.metadata;
  const name = labels?.[SERVICE_NAME];
  return namespace === undefined || name === undefined || !isOurs(slice) ? undefined : { namespace, name };
}

/** Whether the cluster of this Lease has said that it leaves. */
export function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[LEAVING] !== undefined;
}

export function clusterOf({ metadata }: KubeObject): string {
  return metadata.labels?.[SOURCE_CLUSTER] ?? '';
}

/** Exported labels or annotations, out of the annotation that holds them. Undefined when it is malformed. */
export function readTexts(json: string | undefined): Texts | undefined {
  if (json === undefined) return {};
  try {
    const value: unknown = JSON.parse(json);
    return isTexts(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The annotations that hold them; none where there is nothing to hold. */
export function exportedTexts(labels: Texts, annotations: Texts): Texts {
  return {
    ...(Object.keys(labels).length > 0 && { [EXPORTED_LABELS]: sortedJson(labels) }),
    ...(Object.keys(annotations).length > 0 && { [EXPORTED_ANNOTATIONS]: sortedJson(annotations) }),
  };
}

function sortedJson(texts: Texts): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(texts).toSorted(([left], [right]) => (left < right ? -1 : 1))),
  );
}

function isTexts(value: unknown): value is Texts {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === 'string')
  );
}
