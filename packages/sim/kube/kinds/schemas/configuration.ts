import {
  always,
  bool,
  bytes,
  int32,
  list,
  listMap,
  map,
  microTime,
  optional,
  struct,
  text,
  time,
  withDefault,
} from '../../schema/schema.ts';
import { localObjectReference, objectMeta, objectReference } from './meta.ts';

const namespaceSpec = struct('NamespaceSpec', {
  finalizers: list(text),
});

const namespaceCondition = struct('NamespaceCondition', {
  type: always(text),
  status: always(text),
  lastTransitionTime: always(time),
  reason: text,
  message: text,
});

const namespaceStatus = struct('NamespaceStatus', {
  phase: withDefault(text, 'Active'),
  conditions: listMap(namespaceCondition, ['type'], { patchMerge: 'type' }),
});

export const namespace = struct('Namespace', {
  metadata: always(objectMeta),
  spec: always(namespaceSpec),
  status: always(namespaceStatus),
});

export const configMap = struct('ConfigMap', {
  metadata: always(objectMeta),
  immutable: optional(bool),
  data: map(text),
  binaryData: map(bytes),
});

export const secret = struct('Secret', {
  metadata: always(objectMeta),
  immutable: optional(bool),
  data: map(bytes),
  stringData: map(text),
  type: withDefault(text, 'Opaque'),
});

export const serviceAccount = struct('ServiceAccount', {
  metadata: always(objectMeta),
  secrets: listMap(objectReference, ['name'], { patchMerge: 'name' }),
  imagePullSecrets: list(localObjectReference),
  automountServiceAccountToken: optional(bool),
});

const leaseSpec = struct('LeaseSpec', {
  holderIdentity: optional(text),
  leaseDurationSeconds: optional(int32),
  acquireTime: optional(microTime),
  renewTime: optional(microTime),
  leaseTransitions: optional(int32),
  strategy: optional(text),
  preferredHolder: optional(text),
});

export const lease = struct('Lease', {
  metadata: always(objectMeta),
  spec: always(leaseSpec),
});
