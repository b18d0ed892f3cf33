import type { KubeObject, ReportedCondition } from './meta.ts';
import type { Protocol } from './service.ts';

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: Protocol;
}

/** The part of a Pod that controllers read. */
export interface Pod extends KubeObject {
  readonly spec: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly hostNetwork?: boolean;
    readonly containers: readonly { readonly name: string; readonly ports?: readonly ContainerPort[] }[];
  };
  readonly status?: {
    readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly hostIP?: string;
    readonly hostIPs?: readonly { readonly ip: string }[];
    readonly conditions?: readonly ReportedCondition[];
  };
}
