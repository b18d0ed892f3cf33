import {
  always,
  atomicStruct,
  bool,
  int64,
  list,
  listMap,
  listSet,
  map,
  optional,
  struct,
  text,
  time,
  untyped,
  withDefault,
} from '../../schema/schema.ts';

const ownerReference = atomicStruct('OwnerReference', {
  apiVersion: always(text),
  kind: always(text),
  name: always(text),
  uid: always(text),
  controller: optional(bool),
  blockOwnerDeletion: optional(bool),
});

const managedFieldsEntry = struct('ManagedFieldsEntry', {
  manager: text,
  operation: text,
  apiVersion: text,
  time: optional(time),
  fieldsType: text,
  fieldsV1: optional(untyped),
  subresource: text,
});

export const objectMeta = struct('ObjectMeta', {
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid: text,
  resourceVersion: text,
  generation: int64,
  creationTimestamp: time,
  deletionTimestamp: optional(time),
  deletionGracePeriodSeconds: optional(int64),
  labels: map(text),
  annotations: map(text),
  ownerReferences: listMap(ownerReference, ['uid'], { patchMerge: 'uid' }),
  finalizers: listSet(text, { patchMerge: true }),
  managedFields: list(managedFieldsEntry),
});

export const condition = struct('Condition', {
  type: always(text),
  status: always(text),
  observedGeneration: int64,
  lastTransitionTime: always(time),
  reason: always(text),
  message: always(text),
});

export const objectReference = atomicStruct('ObjectReference', {
  kind: text,
  namespace: text,
  name: text,
  uid: text,
  apiVersion: text,
  resourceVersion: text,
  fieldPath: text,
});

export const localObjectReference = atomicStruct('LocalObjectReference', {
  name: withDefault(text, ''),
});

const labelSelectorRequirement = struct('LabelSelectorRequirement', {
  key: always(text),
  operator: always(text),
  values: list(text),
});

export const labelSelector = atomicStruct('LabelSelector', {
  matchLabels: map(text),
  matchExpressions: list(labelSelectorRequirement),
});
