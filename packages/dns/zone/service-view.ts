import { SERVICE_NAME, type ServiceImport, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
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
}

/** What a ServiceImport or an EndpointSlice is about: a Service as a whole, or one cluster's share of it. */
export interface Belonging {
  readonly namespace: string;
  readonly name: string;
  readonly cluster?: string;
}

const OLDER_CLUSTER = 'lighthouse.submariner.io/sourceCluster';
const OLDER_NAME = 'lighthouse.submariner.io/sourceName';
const OLDER_NAMESPACE = 'lighthouse.submariner.io/sourceNamespace';
const ORIGIN_NAME = 'origin-name';
const ORIGIN_NAMESPACE = 'origin-namespace';

/** A per-cluster ServiceImport of older software lies in a namespace of that software, and says whose it is. */
export function belongingOfImport({ metadata }: ServiceImport): Belonging {
  const { labels = {}, annotations = {}, namespace = '', name } = metadata;
  const cluster = labels[OLDER_CLUSTER];
  if (cluster === undefined) return { namespace, name };
  return {
    namespace: labels[OLDER_NAMESPACE] ?? annotations[ORIGIN_NAMESPACE] ?? namespace,
    name: labels[OLDER_NAME] ?? annotations[ORIGIN_NAME] ?? name,
    cluster,
  };
}

/** Undefined for a slice that no cluster exported. */
export function belongingOfSlice({ labels = {}, namespace = '' }: ObjectMeta): Belonging | undefined {
  const cluster = labels[SOURCE_CLUSTER];
  const name = labels[SERVICE_NAME];
  return cluster === undefined || name === undefined ? undefined : { namespace, name, cluster };
}
