import {
  isExternallyAccessible,
  type LoadBalancerIngress,
  type Service,
  type ServicePort,
  withSpec,
} from './service.ts';

const AFFINITY_SECONDS = 10_800;

/** The defaults of a Service beyond those that its schema knows. */
export function serviceDefaults(service: Service): Service {
  const { spec } = service;
  const type = spec.type ?? 'ClusterIP';
  const sessionAffinity = spec.sessionAffinity ?? 'None';
  const typed = withSpec(service, {
    type,
    sessionAffinity,
    sessionAffinityConfig: affinityConfig(spec, sessionAffinity),
    ...(spec.ports && { ports: spec.ports.map(portDefaults) }),
  });
  const external = isExternallyAccessible(typed)
    ? (spec.externalTrafficPolicy ?? 'Cluster')
    : spec.externalTrafficPolicy;
  const internal = type === 'ExternalName' ? spec.internalTrafficPolicy : (spec.internalTrafficPolicy ?? 'Cluster');
  const allocate =
    type === 'LoadBalancer' ? (spec.allocateLoadBalancerNodePorts ?? true) : spec.allocateLoadBalancerNodePorts;
  const defaulted = withSpec(typed, {
    externalTrafficPolicy: external,
    internalTrafficPolicy: internal,
    allocateLoadBalancerNodePorts: allocate,
  });
  return type === 'LoadBalancer' ? withIngressModes(defaulted) : defaulted;
}

function affinityConfig(
  { sessionAffinityConfig }: Service['spec'],
  affinity: string,
): Service['spec']['sessionAffinityConfig'] {
  if (affinity === 'None') return undefined;
  if (affinity !== 'ClientIP' || sessionAffinityConfig?.clientIP?.timeoutSeconds !== undefined) {
    return sessionAffinityConfig;
  }
  return { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
}

function portDefaults(port: ServicePort): ServicePort {
  const { name, protocol = 'TCP', appProtocol, port: number, targetPort, nodePort } = port;
  const target = targetPort === undefined || targetPort === 0 || targetPort === '' ? number : targetPort;
  return {
    ...(name !== undefined && { name }),
    protocol,
    ...(appProtocol !== undefined && { appProtocol }),
    port: number,
    targetPort: target,
    ...(nodePort !== undefined && { nodePort }),
  };
}

function withIngressModes(service: Service): Service {
  const { ingress } = service.status.loadBalancer;
  if (!ingress?.some(needsMode)) return service;
  const completed = ingress.map((entry) => (needsMode(entry) ? { ...entry, ipMode: 'VIP' } : entry));
  return { ...service, status: { ...service.status, loadBalancer: { ingress: completed } } };
}

function needsMode({ ip, ipMode }: LoadBalancerIngress): boolean {
  return ip !== undefined && ipMode === undefined;
}
