import {
  always,
  bool,
  bytes,
  int32,
  int64,
  list,
  listMap,
  optional,
  struct,
  text,
  time,
  untypedGranular,
} from '../../schema/schema.ts';
import { objectMeta } from './meta.ts';

const customResourceDefinitionNames = struct('CustomResourceDefinitionNames', {
  plural: always(text),
  singular: text,
  shortNames: list(text),
  kind: always(text),
  listKind: text,
  categories: list(text),
});

const customResourceValidation = struct('CustomResourceValidation', {
  openAPIV3Schema: optional(untypedGranular),
});

const customResourceSubresourceStatus = struct('CustomResourceSubresourceStatus', {});

const customResourceSubresourceScale = struct('CustomResourceSubresourceScale', {
  specReplicasPath: always(text),
  statusReplicasPath: always(text),
  labelSelectorPath: optional(text),
});

const customResourceSubresources = struct('CustomResourceSubresources', {
  status: customResourceSubresourceStatus,
  scale: customResourceSubresourceScale,
});

const customResourceColumnDefinition = struct('CustomResourceColumnDefinition', {
  name: always(text),
  type: always(text),
  format: text,
  description: text,
  priority: int32,
  jsonPath: always(text),
});

const selectableField = struct('SelectableField', {
  jsonPath: always(text),
});

const customResourceDefinitionVersion = struct('CustomResourceDefinitionVersion', {
  name: always(text),
  served: always(bool),
  storage: always(bool),
  deprecated: bool,
  deprecationWarning: optional(text),
  schema: customResourceValidation,
  subresources: customResourceSubresources,
  additionalPrinterColumns: list(customResourceColumnDefinition),
  selectableFields: list(selectableField),
});

const serviceReference = struct('ServiceReference', {
  namespace: always(text),
  name: always(text),
  path: optional(text),
  port: optional(int32),
});

const webhookClientConfig = struct('WebhookClientConfig', {
  url: optional(text),
  service: serviceReference,
  caBundle: bytes,
});

const webhookConversion = struct('WebhookConversion', {
  clientConfig: webhookClientConfig,
  conversionReviewVersions: always(list(text)),
});

const customResourceConversion = struct('CustomResourceConversion', {
  strategy: always(text),
  webhook: webhookConversion,
});

const customResourceDefinitionSpec = struct('CustomResourceDefinitionSpec', {
  group: always(text),
  names: always(customResourceDefinitionNames),
  scope: always(text),
  versions: always(list(customResourceDefinitionVersion)),
  conversion: customResourceConversion,
  preserveUnknownFields: bool,
});

const customResourceDefinitionCondition = struct('CustomResourceDefinitionCondition', {
  type: always(text),
  status: always(text),
  lastTransitionTime: always(time),
  reason: text,
  message: text,
  observedGeneration: int64,
});

const customResourceDefinitionStatus = struct('CustomResourceDefinitionStatus', {
  conditions: always(listMap(customResourceDefinitionCondition, ['type'])),
  acceptedNames: always(customResourceDefinitionNames),
  storedVersions: always(list(text)),
  observedGeneration: int64,
});

export const customResourceDefinition = struct('CustomResourceDefinition', {
  metadata: always(objectMeta),
  spec: always(customResourceDefinitionSpec),
  status: always(customResourceDefinitionStatus),
});
