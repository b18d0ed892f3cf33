import {
  always,
  bool,
  int32,
  int64,
  intOrString,
  listMap,
  optional,
  struct,
  text,
  time,
  withDefault,
} from '../../schema/schema.ts';
import { labelSelector, objectMeta } from './meta.ts';
import { podSpec } from './pod.ts';

const podTemplateSpec = struct('PodTemplateSpec', {
  metadata: always(objectMeta),
  spec: always(podSpec),
});

const rollingUpdateDeployment = struct('RollingUpdateDeployment', {
  maxUnavailable: optional(intOrString),
  maxSurge: optional(intOrString),
});

const deploymentStrategy = struct('DeploymentStrategy', {
  type: text,
  rollingUpdate: rollingUpdateDeployment,
});

const deploymentSpec = struct('DeploymentSpec', {
  replicas: optional(withDefault(int32, 1)),
  selector: labelSelector,
  template: always(podTemplateSpec),
  strategy: always(deploymentStrategy),
  minReadySeconds: int32,
  revisionHistoryLimit: optional(withDefault(int32, 10)),
  paused: bool,
  progressDeadlineSeconds: optional(withDefault(int32, 600)),
});

const deploymentCondition = struct('DeploymentCondition', {
  type: always(text),
  status: always(text),
  lastUpdateTime: always(time),
  lastTransitionTime: always(time),
  reason: text,
  message: text,
});

const deploymentStatus = struct('DeploymentStatus', {
  observedGeneration: int64,
  replicas: int32,
  updatedReplicas: int32,
  readyReplicas: int32,
  availableReplicas: int32,
  unavailableReplicas: int32,
  terminatingReplicas: optional(int32),
  conditions: listMap(deploymentCondition, ['type'], { patchMerge: 'type' }),
  collisionCount: optional(int32),
});

export const deployment = struct('Deployment', {
  metadata: always(objectMeta),
  spec: always(deploymentSpec),
  status: always(deploymentStatus),
});
