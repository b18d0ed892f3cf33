import { olderImportOf, SERVICE_NAME, type ServiceImport, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import type { EndpointSlice, ObjectMeta } from '@fairlead/kube';

/** All that there is of one Service of the clusterset. */
export interface ServiceView {
  readonly namespace: string;
  readonly name: string;
  /** The aggregated one. */
  readonly serviceImport?: ServiceImport;
  /** Those that clusters with the software before aggregation made, one for each. */
  readonly olderImports: readonly ServiceImport[];
  readonly slices: readonly EndpointSlice[];
  /** How many more there are, which do not count. */
  readonly slicesBeyond?: number;
}

/** What a ServiceImport or an EndpointSlice is about: a Service as a whole, or one cluster's share of it. */
export interface RecordSubject {
  readonly namespace: string;
  readonly name: string;
  readonly cluster?: string;
}

/** A per-cluster ServiceImport of older software is only believed in the namespace of that software. */
export function subjectOfImport({ metadata }: ServiceImport, olderNamespace: string): RecordSubject {
  const { namespace = '', name } = metadata;
  return olderImportOf(metadata, olderNamespace) ?? { namespace, name };
}

/** Undefined for a slice that no cluster exported. */
export function subjectOfSlice({ labels = {}, namespace = '' }: ObjectMeta): RecordSubject | undefined {
  const cluster = labels[SOURCE_CLUSTER];
  const name = labels[SERVICE_NAME];
  return cluster === undefined || name === undefined ? undefined : { namespace, name, cluster };
}
