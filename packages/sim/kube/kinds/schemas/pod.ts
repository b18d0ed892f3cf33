import {
  always,
  atomicMap,
  bool,
  int32,
  int64,
  list,
  listMap,
  listSet,
  map,
  optional,
  quantity,
  struct,
  text,
  time,
  withDefault,
} from '../../schema/schema.ts';
import {
  appArmorProfile,
  container,
  containerStatus,
  ephemeralContainer,
  resourceRequirements,
  seLinuxOptions,
  seccompProfile,
  windowsSecurityContextOptions,
} from './container.ts';
import { localObjectReference, objectMeta } from './meta.ts';
import { affinity, toleration, topologySpreadConstraint } from './scheduling.ts';
import { volume } from './volume.ts';

const sysctl = struct('Sysctl', {
  name: always(text),
  value: always(text),
});

const podSecurityContext = struct('PodSecurityContext', {
  seLinuxOptions,
  windowsOptions: windowsSecurityContextOptions,
  runAsUser: optional(int64),
  runAsGroup: optional(int64),
  runAsNonRoot: optional(bool),
  supplementalGroups: list(int64),
  supplementalGroupsPolicy: optional(text),
  fsGroup: optional(int64),
  sysctls: list(sysctl),
  fsGroupChangePolicy: optional(text),
  seccompProfile,
  appArmorProfile,
  seLinuxChangePolicy: optional(text),
});

const hostAlias = struct('HostAlias', {
  ip: always(text),
  hostnames: list(text),
});

const podDNSConfigOption = struct('PodDNSConfigOption', {
  name: text,
  value: optional(text),
});

const podDNSConfig = struct('PodDNSConfig', {
  nameservers: list(text),
  searches: list(text),
  options: list(podDNSConfigOption),
});

const podReadinessGate = struct('PodReadinessGate', {
  conditionType: always(text),
});

const podOS = struct('PodOS', {
  name: always(text),
});

const podSchedulingGate = struct('PodSchedulingGate', {
  name: always(text),
});

const podResourceClaim = struct('PodResourceClaim', {
  name: always(text),
  resourceClaimName: optional(text),
  resourceClaimTemplateName: optional(text),
});

const podSchedulingGroup = struct('PodSchedulingGroup', {
  podGroupName: optional(text),
});

export const podSpec = struct('PodSpec', {
  volumes: listMap(volume, ['name'], { patchMerge: 'name', retainKeys: true }),
  initContainers: listMap(container, ['name'], { patchMerge: 'name' }),
  containers: always(listMap(container, ['name'], { patchMerge: 'name' })),
  ephemeralContainers: listMap(ephemeralContainer, ['name'], { patchMerge: 'name' }),
  restartPolicy: withDefault(text, 'Always'),
  terminationGracePeriodSeconds: optional(withDefault(int64, 30)),
  activeDeadlineSeconds: optional(int64),
  dnsPolicy: withDefault(text, 'ClusterFirst'),
  nodeSelector: atomicMap(text),
  serviceAccountName: text,
  serviceAccount: text,
  automountServiceAccountToken: optional(bool),
  nodeName: text,
  hostNetwork: bool,
  hostPID: bool,
  hostIPC: bool,
  shareProcessNamespace: optional(bool),
  securityContext: withDefault(podSecurityContext, {}),
  imagePullSecrets: listMap(localObjectReference, ['name'], { patchMerge: 'name' }),
  hostname: text,
  subdomain: text,
  affinity,
  schedulerName: withDefault(text, 'default-scheduler'),
  tolerations: list(toleration),
  hostAliases: listMap(hostAlias, ['ip'], { patchMerge: 'ip' }),
  priorityClassName: text,
  priority: optional(int32),
  dnsConfig: podDNSConfig,
  readinessGates: list(podReadinessGate),
  runtimeClassName: optional(text),
  enableServiceLinks: optional(bool),
  preemptionPolicy: optional(text),
  overhead: map(quantity),
  topologySpreadConstraints: listMap(topologySpreadConstraint, ['topologyKey', 'whenUnsatisfiable'], {
    patchMerge: 'topologyKey',
  }),
  setHostnameAsFQDN: optional(bool),
  os: podOS,
  hostUsers: optional(bool),
  schedulingGates: listMap(podSchedulingGate, ['name'], { patchMerge: 'name' }),
  resourceClaims: listMap(podResourceClaim, ['name'], { patchMerge: 'name', retainKeys: true }),
  resources: resourceRequirements,
  hostnameOverride: optional(text),
  schedulingGroup: podSchedulingGroup,
});

const podCondition = struct('PodCondition', {
  type: always(text),
  observedGeneration: int64,
  status: always(text),
  lastProbeTime: always(time),
  lastTransitionTime: always(time),
  reason: text,
  message: text,
});

const hostIP = struct('HostIP', {
  ip: always(text),
});

const podIP = struct('PodIP', {
  ip: always(text),
});

const podResourceClaimStatus = struct('PodResourceClaimStatus', {
  name: always(text),
  resourceClaimName: optional(text),
});

const containerExtendedResourceRequest = struct('ContainerExtendedResourceRequest', {
  containerName: always(text),
  resourceName: always(text),
  requestName: always(text),
});

const podExtendedResourceClaimStatus = struct('PodExtendedResourceClaimStatus', {
  requestMappings: always(list(containerExtendedResourceRequest)),
  resourceClaimName: always(text),
});

const nodeAllocatableResourceClaimStatus = struct('NodeAllocatableResourceClaimStatus', {
  resourceClaimName: always(text),
  containers: listSet(text),
  resources: always(map(quantity)),
});

export const podStatus = struct('PodStatus', {
  observedGeneration: int64,
  phase: text,
  conditions: listMap(podCondition, ['type'], { patchMerge: 'type' }),
  message: text,
  reason: text,
  nominatedNodeName: text,
  hostIP: text,
  hostIPs: list(hostIP, { patchMerge: 'ip' }),
  podIP: text,
  podIPs: listMap(podIP, ['ip'], { patchMerge: 'ip' }),
  startTime: optional(time),
  initContainerStatuses: list(containerStatus),
  containerStatuses: list(containerStatus),
  qosClass: text,
  ephemeralContainerStatuses: list(containerStatus),
  resize: text,
  resourceClaimStatuses: listMap(podResourceClaimStatus, ['name'], { patchMerge: 'name', retainKeys: true }),
  extendedResourceClaimStatus: podExtendedResourceClaimStatus,
  allocatedResources: map(quantity),
  resources: resourceRequirements,
  nodeAllocatableResourceClaimStatuses: list(nodeAllocatableResourceClaimStatus),
});

export const pod = struct('Pod', {
  metadata: always(objectMeta),
  spec: always(podSpec),
  status: always(podStatus),
});
