import type {
  Condition,
  IpFamily,
  KubeObject,
  Protocol,
  Resource,
  SessionAffinityConfig,
  TrafficPolicy,
} from '@fairlead/kube';

/* The Multi-Cluster Services API: the fields are the same in v1beta1 and v1alpha1. */

export const MCS_GROUP = 'multicluster.x-k8s.io';
/** Best first. */
export const MCS_VERSIONS = ['v1beta1', 'v1alpha1'] as const;
export type McsVersion = (typeof MCS_VERSIONS)[number];

/** Which Service of the clusterset an EndpointSlice belongs to; its namespace is that of the slice. */
export const SERVICE_NAME = 'multicluster.kubernetes.io/service-name';
/** Which cluster exported it. */
export const SOURCE_CLUSTER = 'multicluster.kubernetes.io/source-cluster';

/** Asks for the Service of the same name to be there in every cluster of the clusterset. */
export interface ServiceExport extends KubeObject {
  readonly spec?: {
    readonly exportedLabels?: Readonly<Record<string, string>>;
    readonly exportedAnnotations?: Readonly<Record<string, string>>;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface ImportedPort {
  readonly name?: string;
  readonly protocol?: Protocol;
  readonly appProtocol?: string;
  readonly port: number;
}

export type ImportType = 'ClusterSetIP' | 'Headless';

export interface ServiceImportSpec {
  readonly type: ImportType;
  /** The server writes `null` for none. */
  readonly ports: readonly ImportedPort[] | null;
  readonly ips?: readonly string[];
  readonly ipFamilies?: readonly IpFamily[];
  readonly sessionAffinity?: 'None' | 'ClientIP';
  readonly sessionAffinityConfig?: SessionAffinityConfig;
  readonly internalTrafficPolicy?: TrafficPolicy;
  readonly trafficDistribution?: string;
}

/** A Service of the clusterset as one cluster sees it. */
export interface ServiceImport extends KubeObject {
  /** Definitions that other projects install do not require it: who reads what others wrote must expect none. */
  readonly spec: ServiceImportSpec;
  readonly status?: {
    readonly clusters?: readonly { readonly cluster: string }[];
    readonly conditions?: readonly Condition[];
  };
}

export function serviceExports(version: McsVersion): Resource<ServiceExport> {
  return { group: MCS_GROUP, version, plural: 'serviceexports', kind: 'ServiceExport', namespaced: true };
}

export function serviceImports(version: McsVersion): Resource<ServiceImport> {
  return { group: MCS_GROUP, version, plural: 'serviceimports', kind: 'ServiceImport', namespaced: true };
}
