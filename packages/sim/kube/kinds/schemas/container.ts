import {
  always,
  atomicStruct,
  bool,
  int32,
  int64,
  intOrString,
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
import { objectFieldSelector, resourceFieldSelector } from './volume.ts';

const containerPort = struct('ContainerPort', {
  name: text,
  hostPort: int32,
  containerPort: always(int32),
  protocol: withDefault(text, 'TCP'),
  hostIP: text,
});

const configMapEnvSource = struct('ConfigMapEnvSource', {
  name: withDefault(text, ''),
  optional: optional(bool),
});

const secretEnvSource = struct('SecretEnvSource', {
  name: withDefault(text, ''),
  optional: optional(bool),
});

const envFromSource = struct('EnvFromSource', {
  prefix: text,
  configMapRef: configMapEnvSource,
  secretRef: secretEnvSource,
});

const configMapKeySelector = atomicStruct('ConfigMapKeySelector', {
  name: withDefault(text, ''),
  key: always(text),
  optional: optional(bool),
});

const secretKeySelector = atomicStruct('SecretKeySelector', {
  name: withDefault(text, ''),
  key: always(text),
  optional: optional(bool),
});

const fileKeySelector = atomicStruct('FileKeySelector', {
  volumeName: always(text),
  path: always(text),
  key: always(text),
  optional: optional(withDefault(bool, false)),
});

const envVarSource = struct('EnvVarSource', {
  fieldRef: objectFieldSelector,
  resourceFieldRef: resourceFieldSelector,
  configMapKeyRef: configMapKeySelector,
  secretKeyRef: secretKeySelector,
  fileKeyRef: fileKeySelector,
});

const envVar = struct('EnvVar', {
  name: always(text),
  value: text,
  valueFrom: envVarSource,
});

const resourceClaim = struct('ResourceClaim', {
  name: always(text),
  request: text,
});

export const resourceRequirements = struct('ResourceRequirements', {
  limits: map(quantity),
  requests: map(quantity),
  claims: listMap(resourceClaim, ['name']),
});

const containerResizePolicy = struct('ContainerResizePolicy', {
  resourceName: always(text),
  restartPolicy: always(text),
});

const containerRestartRuleOnExitCodes = struct('ContainerRestartRuleOnExitCodes', {
  operator: text,
  values: listSet(int32),
});

const containerRestartRule = struct('ContainerRestartRule', {
  action: text,
  exitCodes: containerRestartRuleOnExitCodes,
});

const volumeMount = struct('VolumeMount', {
  name: always(text),
  readOnly: bool,
  recursiveReadOnly: optional(text),
  mountPath: always(text),
  subPath: text,
  mountPropagation: optional(text),
  subPathExpr: text,
});

const volumeDevice = struct('VolumeDevice', {
  name: always(text),
  devicePath: always(text),
});

const execAction = struct('ExecAction', {
  command: list(text),
});

const httpHeader = struct('HTTPHeader', {
  name: always(text),
  value: always(text),
});

const httpGetAction = struct('HTTPGetAction', {
  path: withDefault(text, '/'),
  port: always(intOrString),
  host: text,
  scheme: withDefault(text, 'HTTP'),
  httpHeaders: list(httpHeader),
});

const tcpSocketAction = struct('TCPSocketAction', {
  port: always(intOrString),
  host: text,
});

const grpcAction = struct('GRPCAction', {
  port: always(int32),
  service: optional(withDefault(text, '')),
});

const probe = struct('Probe', {
  exec: execAction,
  httpGet: httpGetAction,
  tcpSocket: tcpSocketAction,
  grpc: grpcAction,
  initialDelaySeconds: int32,
  timeoutSeconds: withDefault(int32, 1),
  periodSeconds: withDefault(int32, 10),
  successThreshold: withDefault(int32, 1),
  failureThreshold: withDefault(int32, 3),
  terminationGracePeriodSeconds: optional(int64),
});

const sleepAction = struct('SleepAction', {
  seconds: always(int64),
});

const lifecycleHandler = struct('LifecycleHandler', {
  exec: execAction,
  httpGet: httpGetAction,
  tcpSocket: tcpSocketAction,
  sleep: sleepAction,
});

const lifecycle = struct('Lifecycle', {
  postStart: lifecycleHandler,
  preStop: lifecycleHandler,
  stopSignal: optional(text),
});

const capabilities = struct('Capabilities', {
  add: list(text),
  drop: list(text),
});

export const seLinuxOptions = struct('SELinuxOptions', {
  user: text,
  role: text,
  type: text,
  level: text,
});

export const windowsSecurityContextOptions = struct('WindowsSecurityContextOptions', {
  gmsaCredentialSpecName: optional(text),
  gmsaCredentialSpec: optional(text),
  runAsUserName: optional(text),
  hostProcess: optional(bool),
});

export const seccompProfile = struct('SeccompProfile', {
  type: always(text),
  localhostProfile: optional(text),
});

export const appArmorProfile = struct('AppArmorProfile', {
  type: always(text),
  localhostProfile: optional(text),
});

const securityContext = struct('SecurityContext', {
  capabilities,
  privileged: optional(bool),
  seLinuxOptions,
  windowsOptions: windowsSecurityContextOptions,
  runAsUser: optional(int64),
  runAsGroup: optional(int64),
  runAsNonRoot: optional(bool),
  readOnlyRootFilesystem: optional(bool),
  allowPrivilegeEscalation: optional(bool),
  procMount: optional(text),
  seccompProfile,
  appArmorProfile,
});

export const container = struct('Container', {
  name: always(text),
  image: text,
  command: list(text),
  args: list(text),
  workingDir: text,
  ports: listMap(containerPort, ['containerPort', 'protocol'], { patchMerge: 'containerPort' }),
  envFrom: list(envFromSource),
  env: listMap(envVar, ['name'], { patchMerge: 'name' }),
  resources: always(resourceRequirements),
  resizePolicy: list(containerResizePolicy),
  restartPolicy: optional(text),
  restartPolicyRules: list(containerRestartRule),
  volumeMounts: listMap(volumeMount, ['mountPath'], { patchMerge: 'mountPath' }),
  volumeDevices: listMap(volumeDevice, ['devicePath'], { patchMerge: 'devicePath' }),
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle,
  terminationMessagePath: withDefault(text, '/dev/termination-log'),
  terminationMessagePolicy: withDefault(text, 'File'),
  imagePullPolicy: text,
  securityContext,
  stdin: bool,
  stdinOnce: bool,
  tty: bool,
});

export const ephemeralContainer = struct('EphemeralContainer', {
  name: always(text),
  image: text,
  command: list(text),
  args: list(text),
  workingDir: text,
  ports: listMap(containerPort, ['containerPort', 'protocol'], { patchMerge: 'containerPort' }),
  envFrom: list(envFromSource),
  env: listMap(envVar, ['name'], { patchMerge: 'name' }),
  resources: always(resourceRequirements),
  resizePolicy: list(containerResizePolicy),
  restartPolicy: optional(text),
  restartPolicyRules: list(containerRestartRule),
  volumeMounts: listMap(volumeMount, ['mountPath'], { patchMerge: 'mountPath' }),
  volumeDevices: listMap(volumeDevice, ['devicePath'], { patchMerge: 'devicePath' }),
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle,
  terminationMessagePath: withDefault(text, '/dev/termination-log'),
  terminationMessagePolicy: withDefault(text, 'File'),
  imagePullPolicy: text,
  securityContext,
  stdin: bool,
  stdinOnce: bool,
  tty: bool,
  targetContainerName: text,
});

const containerStateWaiting = struct('ContainerStateWaiting', {
  reason: text,
  message: text,
});

const containerStateRunning = struct('ContainerStateRunning', {
  startedAt: always(time),
});

const containerStateTerminated = struct('ContainerStateTerminated', {
  exitCode: always(int32),
  signal: int32,
  reason: text,
  message: text,
  startedAt: always(time),
  finishedAt: always(time),
  containerID: text,
});

const containerState = struct('ContainerState', {
  waiting: containerStateWaiting,
  running: containerStateRunning,
  terminated: containerStateTerminated,
});

const imageVolumeStatus = struct('ImageVolumeStatus', {
  imageRef: text,
});

const volumeStatus = struct('VolumeStatus', {
  image: imageVolumeStatus,
});

const volumeMountStatus = struct('VolumeMountStatus', {
  name: always(text),
  mountPath: always(text),
  readOnly: bool,
  recursiveReadOnly: optional(text),
  volumeStatus,
});

const linuxContainerUser = struct('LinuxContainerUser', {
  uid: always(int64),
  gid: always(int64),
  supplementalGroups: list(int64),
});

const containerUser = struct('ContainerUser', {
  linux: linuxContainerUser,
});

const resourceHealth = struct('ResourceHealth', {
  resourceID: always(text),
  health: text,
  message: optional(text),
});

const resourceStatus = struct('ResourceStatus', {
  name: always(text),
  resources: listMap(resourceHealth, ['resourceID']),
});

export const containerStatus = struct('ContainerStatus', {
  name: always(text),
  state: always(containerState),
  lastState: always(containerState),
  ready: always(bool),
  restartCount: always(int32),
  image: always(text),
  imageID: always(text),
  containerID: text,
  started: optional(bool),
  allocatedResources: map(quantity),
  resources: resourceRequirements,
  volumeMounts: listMap(volumeMountStatus, ['mountPath'], { patchMerge: 'mountPath' }),
  user: containerUser,
  allocatedResourcesStatus: listMap(resourceStatus, ['name'], { patchMerge: 'name' }),
  stopSignal: optional(text),
});
