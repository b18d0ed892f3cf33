import { changedItems, type Json, type JsonObject } from '../../../json.ts';
import { builtInSchema } from '../../schema/built-in.ts';
import { inOrderOf } from '../../schema/schema.ts';
import { asPod, type Container, type Pod, type PodSpec } from './pod.ts';

const container = builtInSchema('io.k8s.api.core.v1.Container');
const podSpec = builtInSchema('io.k8s.api.core.v1.PodSpec');
const podStatus = builtInSchema('io.k8s.api.core.v1.PodStatus');
const volume = builtInSchema('io.k8s.api.core.v1.Volume');

/** The defaults of a pod beyond those that its schema knows. */
export function podDefaults(pod: Pod): Pod {
  const spec = templateDefaults(pod.spec);
  const complete = (each: Container): Container => withRequests(withHostPorts(each, spec));
  const containers = spec.containers && changedItems(spec.containers, complete);
  const initContainers = spec.initContainers && changedItems(spec.initContainers, complete);
  const enableServiceLinks = spec.enableServiceLinks ?? true;
  const grace = spec.terminationGracePeriodSeconds;
  const terminationGracePeriodSeconds = grace !== undefined && grace < 0 ? 1 : grace;
  const changed = { containers, initContainers, enableServiceLinks, terminationGracePeriodSeconds };
  return withAddresses(asPod(hasAll(spec, changed) ? withSpec(pod, spec) : withSpec(pod, { ...spec, ...changed })));
}

type Changes = { readonly [field: string]: Json | undefined };

function hasAll(spec: PodSpec, changes: Changes): boolean {
  return Object.entries(changes).every(([field, value]) => spec[field] === value);
}

function withSpec(pod: Pod, spec: Changes): Pod {
  return spec === pod.spec ? pod : asPod({ ...pod, spec: inOrderOf(podSpec, spec) });
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
  const containers = spec.containers && changedItems(spec.containers, withPullPolicy);
  const initContainers = spec.initContainers && changedItems(spec.initContainers, withPullPolicy);
  const volumes = spec.volumes && changedItems(spec.volumes, withEmptyDirectory);
  if (hasAll(spec, { containers, initContainers, volumes })) return spec;
  return {
    ...spec,
    containers,
    ...(initContainers && { initContainers }),
    ...(volumes && { volumes }),
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
  if (limits === undefined || Object.keys(limits).every((name) => requests?.[name] !== undefined)) return each;
  return { ...each, resources: { ...each.resources, requests: { ...limits, ...requests } } };
}

function withHostPorts(each: Container, spec: PodSpec): Container {
  if (spec.hostNetwork !== true || each.ports === undefined) return each;
  const ports = changedItems(each.ports, (port) => (port.hostPort ? port : { ...port, hostPort: port.containerPort }));
  return ports === each.ports ? each : { ...each, ports };
}
