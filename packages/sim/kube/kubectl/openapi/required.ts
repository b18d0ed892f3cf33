import type { FieldSchema, StructSchema } from '../../schema/schema.ts';

const CORE = 'io.k8s.api.core.v1';
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

/** Where what must be given is not what is always written. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  [`${CORE}.ContainerImage`]: [],
  [`${CORE}.ContainerRestartRule`]: ['action'],
  [`${CORE}.ContainerRestartRuleOnExitCodes`]: ['operator'],
  [`${CORE}.ContainerStateRunning`]: [],
  [`${CORE}.ContainerStateTerminated`]: ['exitCode'],
  [`${CORE}.Event`]: ['metadata', 'involvedObject'],
  [`${CORE}.EventSeries`]: [],
  [`${CORE}.ImageVolumeStatus`]: ['imageRef'],
  [`${CORE}.NamespaceCondition`]: ['type', 'status'],
  [`${CORE}.NodeCondition`]: ['type', 'status'],
  [`${CORE}.NodeRuntimeHandler`]: [],
  [`${CORE}.PersistentVolumeClaimTemplate`]: ['spec'],
  [`${CORE}.PodCertificateProjection`]: ['signerName', 'keyType'],
  [`${CORE}.PodCondition`]: ['type', 'status'],
  [`${CORE}.PreferredSchedulingTerm`]: ['weight', 'preference'],
  [`${CORE}.ProjectedVolumeSource`]: [],
  [`${CORE}.ResourceFieldSelector`]: ['resource'],
  [`${CORE}.ScaleIOVolumeSource`]: ['gateway', 'system', 'secretRef'],
  [`${CORE}.WeightedPodAffinityTerm`]: ['weight', 'podAffinityTerm'],
  'io.k8s.api.apps.v1.DeploymentCondition': ['type', 'status'],
  'io.k8s.api.apps.v1.DeploymentSpec': ['selector', 'template'],
  'io.k8s.api.discovery.v1.EndpointSlice': ['addressType'],
  'io.k8s.api.events.v1.Event': ['eventTime'],
  'io.k8s.api.rbac.v1.ClusterRole': [],
  'io.k8s.api.rbac.v1.ClusterRoleBinding': ['roleRef'],
  'io.k8s.api.rbac.v1.Role': [],
  'io.k8s.api.rbac.v1.RoleBinding': ['roleRef'],
  'io.k8s.api.rbac.v1.RoleRef': ['kind', 'name'],
  [`${EXTENSIONS}.CustomResourceDefinition`]: ['spec'],
  [`${EXTENSIONS}.CustomResourceDefinitionCondition`]: ['type', 'status'],
  [`${EXTENSIONS}.CustomResourceDefinitionSpec`]: ['group', 'names', 'scope', 'versions'],
  [`${EXTENSIONS}.CustomResourceDefinitionStatus`]: [],
};

/** The fields of a type that must be given: those that are always written, but for objects, which may be empty. */
export function requiredFields(type: string, { fields }: StructSchema): readonly string[] {
  const always = ({ presence, schema }: FieldSchema): boolean => presence === 'always' && schema.shape !== 'struct';
  return EXCEPTIONS[type] ?? [...fields].filter(([, field]) => always(field)).map(([name]) => name);
}
