import {
  isExternallyAccessible,
  needsClusterIP,
  needsHealthCheckPort,
  type Service,
  type ServicePort,
  sameTexts,
  withSpec,
} from './service.ts';

/**
 * Takes back what the server had filled in and the new type has no use for. What the client changed by itself
 * stays, so that validation can say what is wrong with it.
 */
export function dropTypeDependentFields(next: Service, previous: Service): Service {
  let result = { ...next, status: previous.status };
  const before = previous.spec;
  const after = next.spec;
  if (needsClusterIP(previous) && !needsClusterIP(next)) {
    if (before.clusterIP === after.clusterIP && sameTexts(before.clusterIPs, after.clusterIPs)) {
      result = withSpec(result, { clusterIP: undefined, clusterIPs: undefined });
    }
    if (sameTexts(before.ipFamilies, after.ipFamilies)) result = withSpec(result, { ipFamilies: undefined });
    if (before.ipFamilyPolicy === after.ipFamilyPolicy) result = withSpec(result, { ipFamilyPolicy: undefined });
  }
  if (usesNodePorts(previous) && !usesNodePorts(next) && addsNoNodePort(next, previous)) {
    result = withSpec(result, { ports: after.ports?.map(withoutNodePort) });
  }
  const hadHealthCheck = needsHealthCheckPort(previous) && !needsHealthCheckPort(next);
  if (hadHealthCheck && before.healthCheckNodePort === after.healthCheckNodePort) {
    result = withSpec(result, { healthCheckNodePort: undefined });
  }
  if (before.type === 'LoadBalancer' && after.type !== 'LoadBalancer') {
    if (before.allocateLoadBalancerNodePorts === after.allocateLoadBalancerNodePorts) {
      result = withSpec(result, { allocateLoadBalancerNodePorts: undefined });
    }
    if (before.loadBalancerClass === after.loadBalancerClass) {
      result = withSpec(result, { loadBalancerClass: undefined });
    }
  }
  const wasAccessible = isExternallyAccessible(previous) && !isExternallyAccessible(next);
  if (wasAccessible && before.externalTrafficPolicy === after.externalTrafficPolicy) {
    result = withSpec(result, { externalTrafficPolicy: undefined });
  }
  return after.type === 'LoadBalancer' ? result : { ...result, status: { ...result.status, loadBalancer: {} } };
}

function usesNodePorts({ spec }: Service): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

function addsNoNodePort(next: Service, previous: Service): boolean {
  const before = new Set(previous.spec.ports?.map(({ nodePort }) => nodePort));
  return (next.spec.ports ?? []).every(({ nodePort }) => nodePort === undefined || before.has(nodePort));
}

function withoutNodePort(port: ServicePort): ServicePort {
  const { nodePort: _, ...rest } = port;
  return rest;
}
