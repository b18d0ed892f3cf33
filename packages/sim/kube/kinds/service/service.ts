import type { KubeObject } from '../../object.ts';
import { builtInSchema } from '../../schema/built-in.ts';
import { inOrderOf } from '../../schema/schema.ts';
import type { Family } from '../../validation/addresses.ts';

const serviceSpec = builtInSchema('io.k8s.api.core.v1.ServiceSpec');

export type ServicePort = {
  readonly name?: string;
  readonly protocol?: string;
  readonly appProtocol?: string;
  readonly port: number;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
};

export type ServiceSpec = {
  readonly ports?: readonly ServicePort[];
  readonly selector?: Readonly<Record<string, string>>;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly type?: string;
  readonly externalIPs?: readonly string[];
  readonly sessionAffinity?: string;
  readonly loadBalancerIP?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly externalName?: string;
  readonly externalTrafficPolicy?: string;
  readonly healthCheckNodePort?: number;
  readonly publishNotReadyAddresses?: boolean;
  readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number } };
  readonly ipFamilies?: readonly Family[];
  readonly ipFamilyPolicy?: string;
  readonly allocateLoadBalancerNodePorts?: boolean;
  readonly loadBalancerClass?: string;
  readonly internalTrafficPolicy?: string;
  readonly trafficDistribution?: string;
};

export type LoadBalancerIngress = {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ipMode?: string;
  readonly ports?: readonly { readonly port: number; readonly protocol: string; readonly error?: string }[];
};

export type Service = KubeObject & {
  readonly spec: ServiceSpec;
  readonly status: { readonly loadBalancer: { readonly ingress?: readonly LoadBalancerIngress[] } };
};

/** The decoder has made sure of the rest. */
export function isService(object: KubeObject): object is Service {
  return object.kind === 'Service' && object.apiVersion === 'v1';
}

export function asService(object: KubeObject): Service {
  if (isService(object)) return object;
  throw new TypeError(`expected a Service, not a ${object.kind}`);
}

type SpecChanges = { readonly [Field in keyof ServiceSpec]?: ServiceSpec[Field] | undefined };

/** The Service with other values in its spec; a field set to undefined is dropped. */
export function withSpec(service: Service, changes: SpecChanges): Service {
  return asService({ ...service, spec: inOrderOf(serviceSpec, { ...service.spec, ...changes }) });
}

export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIPs?.length === 1 ? spec.clusterIPs[0] === 'None' : spec.clusterIP === 'None';
}

/** Everything but a mere name gets addresses in the cluster. */
export function needsClusterIP({ spec }: Service): boolean {
  return spec.type !== 'ExternalName';
}

export function needsNodePorts({ spec }: Service): boolean {
  if (spec.type === 'NodePort') return true;
  return spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false;
}

/** Load balancers that must know which nodes have endpoints ask them at a port of their own. */
export function needsHealthCheckPort({ spec }: Service): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/** Reachable from outside the cluster. */
export function isExternallyAccessible({ spec }: Service): boolean {
  if (spec.type === 'LoadBalancer' || spec.type === 'NodePort') return true;
  return spec.type === 'ClusterIP' && (spec.externalIPs?.length ?? 0) > 0;
}

export function sameTexts(left: readonly string[] = [], right: readonly string[] = []): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}
