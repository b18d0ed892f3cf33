import type { JsonObject } from '../../../json.ts';
import type { KubeObject } from '../../object.ts';

export type ContainerPort = {
  readonly name?: string;
  readonly containerPort: number;
  readonly hostPort?: number;
  readonly protocol?: string;
};

export type Container = JsonObject & {
  readonly name: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly ports?: readonly ContainerPort[];
  readonly volumeMounts?: readonly (JsonObject & { readonly name: string; readonly mountPath: string })[];
  readonly resources?: Resources;
};

export type Resources = JsonObject & {
  readonly limits?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
};

export type PodCondition = { readonly type: string; readonly status: string; readonly [field: string]: string | null };

export type PodSpec = JsonObject & {
  readonly containers: readonly Container[] | null;
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly (JsonObject & { readonly name: string })[];
  readonly nodeName?: string;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly hostNetwork?: boolean;
  readonly restartPolicy?: string;
  readonly schedulerName?: string;
  readonly serviceAccountName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly tolerations?: readonly JsonObject[];
};

export type PodStatus = JsonObject & {
  readonly phase?: string;
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly conditions?: readonly PodCondition[];
};

export type Pod = KubeObject & { readonly spec: PodSpec; readonly status: PodStatus };

/** The decoder has made sure of the rest. */
export function isPod(object: KubeObject): object is Pod {
  return object.kind === 'Pod' && object.apiVersion === 'v1';
}

export function asPod(object: KubeObject): Pod {
  if (isPod(object)) return object;
  throw new TypeError(`expected a Pod, not a ${object.kind}`);
}

export function isTerminal({ status }: Pod): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed';
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}
