import { SERVICE_NAME, SOURCE_CLUSTER } from '../mcs/types.ts';
import type { ExportKey } from './names.ts';

/** Which clusterset an object at the broker belongs to: by it, members select what they watch. */
export const CLUSTERSET = 'clusterset.fairlead.dev/clusterset';
/** The namespace of the Service at its source. */
export const SOURCE_NAMESPACE = 'clusterset.fairlead.dev/source-namespace';
/** On every ServiceImport and EndpointSlice that we made: nothing else is ever changed or deleted. */
const MANAGED_BY = 'clusterset.fairlead.dev/managed-by';
const MANAGER = 'fairlead';
/** Exported labels and annotations as JSON: what came from the export, to be taken back when it no longer does. */
export const EXPORTED_LABELS = 'clusterset.fairlead.dev/exported-labels';
export const EXPORTED_ANNOTATIONS = 'clusterset.fairlead.dev/exported-annotations';

type Texts = Readonly<Record<string, string>>;

/** What every object at the broker carries. */
export function recordLabels({ namespace, name }: ExportKey, clusterset: string, cluster: string): Texts {
  return {
    [CLUSTERSET]: clusterset,
    [MANAGED_BY]: MANAGER,
    [SOURCE_CLUSTER]: cluster,
    [SOURCE_NAMESPACE]: namespace,
    [SERVICE_NAME]: name,
  };
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
