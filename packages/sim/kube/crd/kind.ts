import { equalJson, type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import { builtIn, PLAIN_RULES, type ServedKind, STATUS_ONLY } from '../kinds/kind.ts';
import { type KubeObject, withMetadata } from '../object.ts';
import { builtInSchema } from '../schema/built-in.ts';
import {
  type FieldProblem,
  forbiddenField,
  IMMUTABLE,
  invalidValue,
  notSupported,
  required,
} from '../validation/field-problem.ts';
import { asDefinition, type Definition, type DefinitionVersion, isEstablished, withCondition } from './definition.ts';

const GROUP = 'apiextensions.k8s.io';
const STRATEGIES = ['None', 'Webhook'];
const SCOPES = ['Cluster', 'Namespaced'];
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

function withNames(object: KubeObject): KubeObject {
  const { spec, ...rest } = asDefinition(object);
  const { plural, singular, shortNames, kind, listKind, categories } = spec.names;
  const derived = kind === '' ? {} : { singular: kind.toLowerCase(), listKind: `${kind}List` };
  const names = {
    plural,
    ...((singular ?? derived.singular) !== undefined && { singular: singular ?? derived.singular ?? '' }),
    ...(shortNames && { shortNames }),
    kind,
    ...((listKind ?? derived.listKind) !== undefined && { listKind: listKind ?? derived.listKind ?? '' }),
    ...(categories && { categories }),
  };
  const { status, ...metadata } = rest;
  return { ...metadata, spec: { ...spec, names, conversion: spec.conversion ?? { strategy: 'None' } }, status };
}

function prepareCreate(object: KubeObject): KubeObject {
  const definition = asDefinition(object);
  const storage = definition.spec.versions?.find((version) => version.storage)?.name;
  const storedVersions = storage === undefined ? null : [storage];
  const status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions };
  return withMetadata({ ...definition, status }, { generation: 1 });
}

/** A new storage version joins those in which objects may still be stored. */
function prepareUpdate(next: KubeObject, previous: KubeObject): KubeObject {
  const before = asDefinition(previous);
  const { spec } = asDefinition(next);
  const storage = spec.versions?.find((version) => version.storage)?.name;
  const stored = before.status.storedVersions ?? [];
  const storedVersions = storage === undefined || stored.includes(storage) ? stored : [...stored, storage];
  const kept = { ...next, status: { ...before.status, storedVersions } };
  if (equalJson(next.spec, previous.spec)) return kept;
  return withMetadata(kept, { generation: (previous.metadata.generation ?? 0) + 1 });
}

function definitionProblems({ metadata, spec, status }: Definition): readonly FieldProblem[] {
  const { names, group, scope } = spec;
  const versions = spec.versions ?? [];
  const problems: FieldProblem[] = [];
  if (metadata.name !== `${names.plural}.${group}`) {
    const detail = 'must be spec.names.plural+"."+spec.group';
    problems.push(invalidValue('metadata.name', metadata.name, detail));
  }
  if (group === '') problems.push(required('spec.group'));
  if (scope === '') problems.push(required('spec.scope'));
  else if (!SCOPES.includes(scope)) problems.push(notSupported('spec.scope', scope, SCOPES));
  if (versions.filter((version) => version.storage).length !== 1) {
    const shown = spec.versions === null ? null : versions.map(goVersion);
    problems.push(invalidValue('spec.versions', shown, 'must have exactly one version marked as storage version'));
  }
  problems.push(...versions.flatMap(versionProblems), ...conversionProblems(spec.conversion ?? {}));
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if ((names[name] ?? '') === '') problems.push(required(`spec.names.${name}`));
  }
  if ((status.storedVersions ?? []).length === 0) {
    problems.push(invalidValue('status.storedVersions', null, 'must have at least one stored version'));
  }
  return problems;
}

/** As the real server prints a version in a message. */
function goVersion({ name, served, storage }: DefinitionVersion): JsonObject {
  return {
    Name: name,
    Served: served,
    Storage: storage,
    Deprecated: false,
    DeprecationWarning: null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}

function versionProblems({ schema }: DefinitionVersion, index: number): readonly FieldProblem[] {
  const field = `spec.versions[${index}].schema.openAPIV3Schema`;
  if (schema?.openAPIV3Schema === undefined) return [required(field)];
  return schemaProblems(schema.openAPIV3Schema, 'spec.validation.openAPIV3Schema');
}

function schemaProblems(schema: JsonObject, field: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const type = textOf(schema.type);
  const untyped =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (type === '' && !untyped) {
    problems.push(required(`${field}.type`, 'must not be empty for specified object fields'));
  }
  if (type === 'array' && schema.items === undefined) problems.push(required(`${field}.items`, 'must be specified'));
  if (schema['x-kubernetes-list-type'] === 'map' && schema['x-kubernetes-list-map-keys'] === undefined) {
    const detail = 'must not be empty if x-kubernetes-list-type is map';
    problems.push(required(`${field}.x-kubernetes-list-map-keys`, detail));
  }
  for (const [name, inner] of Object.entries(objectOf(schema.properties))) {
    problems.push(...schemaProblems(objectOf(inner), `${field}.properties[${name}]`));
  }
  if (schema.items !== undefined) problems.push(...schemaProblems(objectOf(schema.items), `${field}.items`));
  return problems;
}

function conversionProblems({ strategy, webhook }: JsonObject): readonly FieldProblem[] {
  const [client, reviews] = ['spec.conversion.webhookClientConfig', 'spec.conversion.conversionReviewVersions'];
  const { clientConfig, conversionReviewVersions } = objectOf(webhook);
  const versions = listOf(conversionReviewVersions);
  if (strategy === 'Webhook') {
    const unclear = clientConfig === undefined ? [required(client, 'required when strategy is set to Webhook')] : [];
    return versions.length === 0 ? [...unclear, required(reviews)] : unclear;
  }
  const rule = 'should not be set when strategy is not set to Webhook';
  const idle = [
    ...(clientConfig === undefined ? [] : [forbiddenField(client, rule)]),
    ...(versions.length === 0 ? [] : [forbiddenField(reviews, rule)]),
  ];
  return strategy === 'None' ? idle : [notSupported('spec.conversion.strategy', textOf(strategy), STRATEGIES), ...idle];
}

function updateProblems(next: Definition, previous: Definition): readonly FieldProblem[] {
  const problems = [...definitionProblems(next)];
  if (!isEstablished(previous)) return problems;
  const { group, scope, names } = next.spec;
  if (group !== previous.spec.group) problems.push(invalidValue('spec.group', group, IMMUTABLE));
  if (scope !== previous.spec.scope) problems.push(invalidValue('spec.scope', scope, IMMUTABLE));
  if (names.kind !== previous.spec.names.kind) problems.push(invalidValue('spec.names.kind', names.kind, IMMUTABLE));
  if (names.plural !== previous.spec.names.plural) {
    problems.push(invalidValue('spec.names.plural', names.plural, IMMUTABLE));
  }
  return problems;
}

/** Instances go first: a controller removes them and then the finalizer. */
function markDeleted(object: KubeObject, now: string): KubeObject | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const finalizers = [...(object.metadata.finalizers ?? []), CLEANUP_FINALIZER];
  const marked = withCondition(asDefinition(object), {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: now,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  });
  return withMetadata(marked, { deletionTimestamp: now, finalizers });
}

export const customResourceDefinitions: ServedKind = builtIn({
  group: GROUP,
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  schema: builtInSchema('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition'),
  defaults: withNames,
  rules: {
    ...PLAIN_RULES,
    qualifiedFinalizers: false,
    prepareCreate,
    validateCreate: (object) => definitionProblems(asDefinition(object)),
    update: {
      prepare: prepareUpdate,
      validate: (next, previous) => updateProblems(asDefinition(next), asDefinition(previous)),
      ignored: { 'f:status': {} },
    },
    subresources: new Map([['status', STATUS_ONLY]]),
    markDeleted: (object, { now }) => markDeleted(object, now),
  },
});
