import {
  always,
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
} from '../../schema/schema.ts';
import { objectMeta } from './meta.ts';

const taint = struct('Taint', {
  key: always(text),
  value: text,
  effect: always(text),
  timeAdded: optional(time),
});

const configMapNodeConfigSource = struct('ConfigMapNodeConfigSource', {
  namespace: always(text),
  name: always(text),
  uid: text,
  resourceVersion: text,
  kubeletConfigKey: always(text),
});

const nodeConfigSource = struct('NodeConfigSource', {
  configMap: configMapNodeConfigSource,
});

export const nodeSpec = struct('NodeSpec', {
  podCIDR: text,
  podCIDRs: listSet(text, { patchMerge: true }),
  providerID: text,
  unschedulable: bool,
  taints: list(taint),
  configSource: nodeConfigSource,
  externalID: text,
});

const nodeCondition = struct('NodeCondition', {
  type: always(text),
  status: always(text),
  lastHeartbeatTime: always(time),
  lastTransitionTime: always(time),
  reason: text,
  message: text,
});

const nodeAddress = struct('NodeAddress', {
  type: always(text),
  address: always(text),
});

const daemonEndpoint = struct('DaemonEndpoint', {
  Port: always(int32),
});

const nodeDaemonEndpoints = struct('NodeDaemonEndpoints', {
  kubeletEndpoint: always(daemonEndpoint),
});

const nodeSwapStatus = struct('NodeSwapStatus', {
  capacity: optional(int64),
});

const nodeSystemInfo = struct('NodeSystemInfo', {
  machineID: always(text),
  systemUUID: always(text),
  bootID: always(text),
  kernelVersion: always(text),
  osImage: always(text),
  containerRuntimeVersion: always(text),
  kubeletVersion: always(text),
  kubeProxyVersion: always(text),
  operatingSystem: always(text),
  architecture: always(text),
  swap: nodeSwapStatus,
});

const containerImage = struct('ContainerImage', {
  names: always(list(text)),
  sizeBytes: int64,
});

const attachedVolume = struct('AttachedVolume', {
  name: always(text),
  devicePath: always(text),
});

const nodeConfigStatus = struct('NodeConfigStatus', {
  assigned: nodeConfigSource,
  active: nodeConfigSource,
  lastKnownGood: nodeConfigSource,
  error: text,
});

const nodeRuntimeHandlerFeatures = struct('NodeRuntimeHandlerFeatures', {
  recursiveReadOnlyMounts: optional(bool),
  userNamespaces: optional(bool),
});

const nodeRuntimeHandler = struct('NodeRuntimeHandler', {
  name: always(text),
  features: nodeRuntimeHandlerFeatures,
});

const nodeFeatures = struct('NodeFeatures', {
  supplementalGroupsPolicy: optional(bool),
});

const nodeStatus = struct('NodeStatus', {
  capacity: map(quantity),
  allocatable: map(quantity),
  phase: text,
  conditions: listMap(nodeCondition, ['type'], { patchMerge: 'type' }),
  addresses: listMap(nodeAddress, ['type'], { patchMerge: 'type' }),
  daemonEndpoints: always(nodeDaemonEndpoints),
  nodeInfo: always(nodeSystemInfo),
  images: list(containerImage),
  volumesInUse: list(text),
  volumesAttached: list(attachedVolume),
  config: nodeConfigStatus,
  runtimeHandlers: list(nodeRuntimeHandler),
  features: nodeFeatures,
  declaredFeatures: list(text),
});

export const node = struct('Node', {
  metadata: always(objectMeta),
  spec: always(nodeSpec),
  status: always(nodeStatus),
});
