import type { ServiceImport, ServiceImportSpec } from '../mcs/types.ts';
import type { Export } from '../merge/merge.ts';
import type { ExportFields } from './local-export.ts';
import { EXPORTED_ANNOTATIONS, EXPORTED_LABELS, exportedTexts, readTexts } from './marks.ts';

/** What a cluster says of its export, as a ServiceImport: its spec, and annotations for what that has no field for. */
export function recordContent({
  type,
  ports,
  ipFamilies,
  sessionAffinity,
  affinitySeconds,
  internalTrafficPolicy,
  trafficDistribution,
  labels,
  annotations,
}: ExportFields): { readonly spec: ServiceImportSpec; readonly annotations: Readonly<Record<string, string>> } {
  return {
    spec: {
      type,
      ports,
      ipFamilies,
      sessionAffinity,
      ...(affinitySeconds !== undefined && {
        sessionAffinityConfig: { clientIP: { timeoutSeconds: affinitySeconds } },
      }),
      internalTrafficPolicy,
      ...(trafficDistribution !== undefined && { trafficDistribution }),
    },
    annotations: exportedTexts(labels, annotations),
  };
}

/** Reads a record of the broker; its age is that of the object there. Undefined when it is malformed. */
export function readRecord({ metadata, spec }: ServiceImport, cluster: string): Export | undefined {
  const labels = readTexts(metadata.annotations?.[EXPORTED_LABELS]);
  const annotations = readTexts(metadata.annotations?.[EXPORTED_ANNOTATIONS]);
  if (labels === undefined || annotations === undefined) return undefined;
  const { creationTimestamp: since = '' } = metadata;
  const affinitySeconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const { type, ports, ipFamilies = [], sessionAffinity = 'None', internalTrafficPolicy = 'Cluster' } = spec;
  return {
    cluster,
    since,
    type,
    ports: ports ?? [],
    ipFamilies,
    sessionAffinity,
    ...(affinitySeconds !== undefined && { affinitySeconds }),
    internalTrafficPolicy,
    ...(spec.trafficDistribution !== undefined && { trafficDistribution: spec.trafficDistribution }),
    labels,
    annotations,
  };
}
