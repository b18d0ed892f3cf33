import type { Container, Pod } from '../kinds/pod/pod.ts';
import type { ServicePort } from '../kinds/service/service.ts';

/** The number of the pod's port that a Service sends traffic to; undefined when the pod has no port of that name. */
export function portOf({ spec }: Pod, { targetPort, protocol = 'TCP', port }: ServicePort): number | undefined {
  if (typeof targetPort !== 'string') return targetPort ?? port;
  const sidecars = (spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always');
  return [...(spec.containers ?? []), ...sidecars]
    .map((container) => namedPort(container, targetPort, protocol))
    .find(isFound);
}

function namedPort({ ports = [] }: Container, name: string, protocol: string): number | undefined {
  return ports.find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort;
}

function isFound(port: number | undefined): port is number {
  return port !== undefined;
}
