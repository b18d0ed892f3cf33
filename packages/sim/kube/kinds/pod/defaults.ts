import type { JsonObject } from '../../json.ts';
import { inOrderOf } from '../../schema/schema.ts';
import { container } from '../schemas/container.ts';
import { podSpec, podStatus } from '../schemas/pod.ts';
import { volume } from '../schemas/volume.ts';
import { asPod, type Container, type Pod, type PodSpec } from './pod.ts';

/** What a pod is when nobody says otherwise, beyond what its schema knows. */
export function podDefaults(pod: Pod): Pod {
  const spec = { ...templateDefaults(pod.spec), enableServiceLinks: pod.spec.enableServiceLinks ?? true };
  const containers = spec.containers?.map((each) => withRequests(withHostPorts(each, spec))) ?? null;
  const initContainers = spec.initContainers?.map((each) => withRequests(withHostPorts(each, spec)));
  const complete = { ...spec, containers, ...(initContainers && { initContainers }) };
  return withAddresses(asPod({ ...pod, spec: inOrderOf(podSpec, complete) }));
}

/** The older field counts where the two do not agree. */
function withAddresses(pod: Pod): Pod {
  const { podIP = '', podIPs = [] } = pod.status;
  const addresses = podIP !== '' && podIP !== podIPs[0]?.ip ? [{ ip: podIP }] : podIPs;
  const [first] = addresses;
  if (first === undefined || (first.ip === podIP && addresses === podIPs)) return pod;
  return asPod({ ...pod, status: inOrderOf(podStatus, { ...pod.status, podIP: first.ip, podIPs: addresses }) });
}

/** The defaults that also apply to the pods a template describes. */
export function templateDefaults(spec: PodSpec): PodSpec {
  return {
    ...spec,
    containers: spec.containers?.map(withPullPolicy) ?? null,
    ...(spec.initContainers && { initContainers: spec.initContainers.map(withPullPolicy) }),
    ...(spec.volumes && { volumes: spec.volumes.map(withEmptyDirectory) }),
  };
}

/** An image without a tag is the latest one. */
function withPullPolicy(each: Container): Container {
  if (each.imagePullPolicy !== undefined) return each;
  const name = (each.image ?? '').split('/').at(-1) ?? '';
  const tagged = name.includes(':') || name.includes('@');
  const latest = !tagged || name.endsWith(':latest');
  return { ...each, ...inOrderOf(container, { ...each, imagePullPolicy: latest ? 'Always' : 'IfNotPresent' }) };
}

function withEmptyDirectory(each: JsonObject & { readonly name: string }): JsonObject & { readonly name: string } {
  if (Object.keys(each).length > 1) return each;
  return { ...inOrderOf(volume, { ...each, emptyDir: {} }), name: each.name };
}

function withRequests(each: Container): Container {
  const { limits, requests } = each.resources ?? {};
  if (limits === undefined) return each;
  return { ...each, resources: { ...each.resources, requests: { ...limits, ...requests } } };
}

function withHostPorts(each: Container, spec: PodSpec): Container {
  if (spec.hostNetwork !== true || each.ports === undefined) return each;
  return { ...each, ports: each.ports.map((port) => ({ ...port, hostPort: port.hostPort ?? port.containerPort })) };
}
