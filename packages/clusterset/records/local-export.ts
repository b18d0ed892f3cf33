import type { EndpointSlice, Service, ServiceSpec, WantedCondition } from '@fairlead/kube';
import { picked } from '@fairlead/control';
import type { ImportedPort, ServiceExport } from '../mcs/types.ts';
import type { Export } from '../merge/merge.ts';
import { inadmissible, validationProblem } from './malformed.ts';
import { derivedKey } from './marks.ts';

/** Kubernetes' own. */
export const DEFAULT_AFFINITY_SECONDS = 10_800;

const EXPORTED = [
  'type',
  'clusterIP',
  'clusterIPs',
  'ports',
  'ipFamilies',
  'sessionAffinity',
  'sessionAffinityConfig',
  'internalTrafficPolicy',
  'trafficDistribution',
] as const satisfies readonly (keyof ServiceSpec)[];

/**
 * What a cache keeps of a Service: of one that is not ours to write, no more than is exported of it. Its owner can fill
 * labels, annotations and selectors at will.
 */
export function keptService(service: Service): Service {
  if (derivedKey(service) !== undefined) return service;
  const { metadata, spec } = service;
  const identity = picked(metadata, ['namespace', 'uid', 'resourceVersion', 'deletionTimestamp']);
  return { metadata: { name: metadata.name, ...identity }, spec: picked(spec, EXPORTED) };
}

/** What this cluster exports under a name; since when is the broker's to say. */
export type ExportFields = Omit<Export, 'since'>;

/** An export of this cluster: what it exports, or why it cannot. */
export type LocalExport =
  | { readonly kind: 'valid'; readonly service: Service; readonly fields: ExportFields }
  | { readonly kind: 'invalid'; readonly valid: WantedCondition };

/** Reads what a ServiceExport asks for. `mayExport` is whether its namespace may. */
export function readLocalExport(
  serviceExport: ServiceExport,
  service: Service | undefined,
  cluster: string,
  mayExport: boolean,
): LocalExport {
  const { namespace, name } = serviceExport.metadata;
  if (!mayExport) return invalid('NamespaceNotAllowed', `The namespace ${namespace} may not export Services.`);
  if (service === undefined) return invalid('NoService', `There is no Service ${namespace}/${name}.`);
  const { spec } = service;
  if (spec.type === 'ExternalName') {
    return invalid('InvalidServiceType', `A Service of type ExternalName has no endpoints to export.`);
  }
  if (derivedKey(service) !== undefined) {
    return invalid(
      'InvalidExport',
      `The Service leads to an import: what other clusters export is not exported again.`,
    );
  }
  const { exportedLabels: labels = {}, exportedAnnotations: annotations = {} } = serviceExport.spec ?? {};
  const { sessionAffinity = 'None', internalTrafficPolicy = 'Cluster', trafficDistribution } = spec;
  const affinitySeconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY_SECONDS;
  const fields: ExportFields = {
    cluster,
    type: isHeadless(service) ? 'Headless' : 'ClusterSetIP',
    ports: (spec.ports ?? []).map(portOf),
    ipFamilies: spec.ipFamilies ?? [],
    sessionAffinity,
    ...(sessionAffinity === 'ClientIP' && { affinitySeconds }),
    internalTrafficPolicy,
    ...(trafficDistribution !== undefined && { trafficDistribution }),
    labels,
    annotations,
  };
  const wrong = validationProblem(fields);
  if (wrong !== undefined) return invalid('InvalidExport', `The export has ${wrong}, which no API server takes.`);
  const unwelcome = inadmissible(fields);
  if (unwelcome !== undefined) return invalid('InvalidExport', `The export has ${unwelcome}, which no cluster takes.`);
  return { kind: 'valid', service, fields };
}

export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIP === 'None';
}

/** Where the Service is being deleted, or has no VIP yet, there is nothing to lead to. */
export function isBacked(slices: readonly EndpointSlice[], family: 'IPv4' | 'IPv6'): boolean {
  return slices.some(
    ({ addressType, endpoints }) =>
      addressType === family && (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false),
  );
}

function portOf({ name = '', protocol = 'TCP', appProtocol, port }: ImportedPort): ImportedPort {
  return { ...(name !== '' && { name }), protocol, port, ...(appProtocol !== undefined && { appProtocol }) };
}

function invalid(reason: string, message: string): LocalExport {
  return { kind: 'invalid', valid: { type: 'Valid', status: 'False', reason, message } };
}
