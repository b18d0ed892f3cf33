import type { ObjectMeta } from '@fairlead/kube';

/*
 * Before aggregation, every cluster had a ServiceImport of its own for each Service, with its address in it. All of them
 * lie in one namespace of that software, and say whose they are.
 */

const OLDER_CLUSTER = 'lighthouse.submariner.io/sourceCluster';
const OLDER_NAME = 'lighthouse.submariner.io/sourceName';
const OLDER_NAMESPACE = 'lighthouse.submariner.io/sourceNamespace';
const ORIGIN_NAME = 'origin-name';
const ORIGIN_NAMESPACE = 'origin-namespace';

/** Which Service of which cluster a per-cluster ServiceImport is about. */
export interface OlderImport {
  readonly namespace: string;
  readonly name: string;
  readonly cluster: string;
}

/**
 * Undefined for an import that is no cluster's alone. Its labels can claim anything: only in the namespace of that
 * software, where no tenant can write, do they say the truth.
 */
export function olderImportOf(metadata: ObjectMeta, olderNamespace: string): OlderImport | undefined {
  const { labels = {}, annotations = {}, namespace, name } = metadata;
  const cluster = labels[OLDER_CLUSTER];
  if (cluster === undefined || namespace !== olderNamespace) return undefined;
  return {
    namespace: labels[OLDER_NAMESPACE] ?? annotations[ORIGIN_NAMESPACE] ?? namespace,
    name: labels[OLDER_NAME] ?? annotations[ORIGIN_NAME] ?? name,
    cluster,
  };
}
