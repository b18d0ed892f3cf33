import { always, atomicStruct, list, struct, text } from '../../schema/schema.ts';
import { labelSelector, objectMeta } from './meta.ts';

const policyRule = struct('PolicyRule', {
  verbs: always(list(text)),
  apiGroups: list(text),
  resources: list(text),
  resourceNames: list(text),
  nonResourceURLs: list(text),
});

export const role = struct('Role', {
  metadata: always(objectMeta),
  rules: always(list(policyRule)),
});

const subject = atomicStruct('Subject', {
  kind: always(text),
  apiGroup: text,
  name: always(text),
  namespace: text,
});

const roleRef = atomicStruct('RoleRef', {
  apiGroup: always(text),
  kind: always(text),
  name: always(text),
});

export const roleBinding = struct('RoleBinding', {
  metadata: always(objectMeta),
  subjects: list(subject),
  roleRef: always(roleRef),
});

const aggregationRule = struct('AggregationRule', {
  clusterRoleSelectors: list(labelSelector),
});

export const clusterRole = struct('ClusterRole', {
  metadata: always(objectMeta),
  rules: always(list(policyRule)),
  aggregationRule,
});

export const clusterRoleBinding = struct('ClusterRoleBinding', {
  metadata: always(objectMeta),
  subjects: list(subject),
  roleRef: always(roleRef),
});
