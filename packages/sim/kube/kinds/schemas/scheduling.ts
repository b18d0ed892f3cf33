import { always, atomicStruct, int32, int64, list, optional, struct, text } from '../../schema/schema.ts';
import { labelSelector } from './meta.ts';

const nodeSelectorRequirement = struct('NodeSelectorRequirement', {
  key: always(text),
  operator: always(text),
  values: list(text),
});

const nodeSelectorTerm = atomicStruct('NodeSelectorTerm', {
  matchExpressions: list(nodeSelectorRequirement),
  matchFields: list(nodeSelectorRequirement),
});

const nodeSelector = atomicStruct('NodeSelector', {
  nodeSelectorTerms: always(list(nodeSelectorTerm)),
});

const preferredSchedulingTerm = struct('PreferredSchedulingTerm', {
  weight: always(int32),
  preference: always(nodeSelectorTerm),
});

const nodeAffinity = struct('NodeAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
  preferredDuringSchedulingIgnoredDuringExecution: list(preferredSchedulingTerm),
});

const podAffinityTerm = struct('PodAffinityTerm', {
  labelSelector,
  namespaces: list(text),
  topologyKey: always(text),
  namespaceSelector: labelSelector,
  matchLabelKeys: list(text),
  mismatchLabelKeys: list(text),
});

const weightedPodAffinityTerm = struct('WeightedPodAffinityTerm', {
  weight: always(int32),
  podAffinityTerm: always(podAffinityTerm),
});

const podAffinity = struct('PodAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: list(weightedPodAffinityTerm),
});

const podAntiAffinity = struct('PodAntiAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: list(weightedPodAffinityTerm),
});

export const affinity = struct('Affinity', {
  nodeAffinity,
  podAffinity,
  podAntiAffinity,
});

export const toleration = struct('Toleration', {
  key: text,
  operator: text,
  value: text,
  effect: text,
  tolerationSeconds: optional(int64),
});

export const topologySpreadConstraint = struct('TopologySpreadConstraint', {
  maxSkew: always(int32),
  topologyKey: always(text),
  whenUnsatisfiable: always(text),
  labelSelector,
  minDomains: optional(int32),
  nodeAffinityPolicy: optional(text),
  nodeTaintsPolicy: optional(text),
  matchLabelKeys: list(text),
});
