import { equalJson, isJsonObject, type Json, type JsonObject, objectOf, textOf, valueAt, without } from '../../json.ts';
import { type KindRules, PLAIN_RULES, type ScalePaths, type ServedKind, type UpdateRules } from '../kinds/kind.ts';
import { asKubeObject, type KubeObject, withMetadata } from '../object.ts';
import { objectMeta } from '../schema/built-in.ts';
import { type Decoded, decodeObject } from '../schema/decode.ts';
import { type FieldProblem, invalidValue } from '../validation/field-problem.ts';
import { withDefaults } from './defaults.ts';
import type { Definition, DefinitionVersion } from './definition.ts';
import { prune } from './prune.ts';
import { readStructural, type Structural } from './structural.ts';
import { customSchema } from './to-schema.ts';
import { structuralProblems } from './validate.ts';

/** The kinds a CustomResourceDefinition defines: one for each version that is served. */
export function customKinds(definition: Definition): readonly ServedKind[] {
  const versions = definition.spec.versions ?? [];
  const storage = versions.find((version) => version.storage);
  const stored: StoredForm = { version: storage?.name ?? '', structural: structuralOf(storage) };
  return versions.filter((version) => version.served).map((version) => customKind(definition, version, stored));
}

/** The version in whose form objects are stored, whichever version they are written in. */
interface StoredForm {
  readonly version: string;
  readonly structural: Structural;
}

function structuralOf(version: DefinitionVersion | undefined): Structural {
  return readStructural(objectOf(version?.schema?.openAPIV3Schema));
}

function customKind({ spec }: Definition, version: DefinitionVersion, stored: StoredForm): ServedKind {
  const { names, group } = spec;
  const structural = structuralOf(version);
  const hasStatus = version.subresources?.status !== undefined;
  const apiVersion = `${group}/${version.name}`;
  // Conversion changes nothing but the version; what the other version does not know is lost on the way.
  const inVersion = (object: KubeObject, name: string, schema: Structural): KubeObject => {
    const wanted = `${group}/${name}`;
    if (object.apiVersion === wanted) return object;
    return asKubeObject({ ...prune(schema, object).object, apiVersion: wanted });
  };
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ''));
  return {
    group,
    version: version.name,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: spec.scope === 'Namespaced',
    collection: `${names.plural}.${group}`,
    storedGroup: group,
    schema: customSchema(names.kind, structural),
    custom: true,
    deprecation: deprecationOf(version, apiVersion, names.kind),
    rules: customRules(structural, hasStatus, scaleOf(version)),
    zero: { metadata: {} },
    decode: (value) => decodeCustom(structural, value),
    defaults: (object) => defaulted(structural, object),
    toStored: (object) =>
      object.apiVersion === `${group}/${stored.version}`
        ? object
        : defaulted(stored.structural, inVersion(object, stored.version, stored.structural)),
    fromStored(object) {
      if (object.apiVersion === apiVersion) return object;
      return inVersion(object, version.name, structural);
    },
    scale: scaleOf(version),
    selectable: {
      names: ['metadata.name', 'metadata.namespace', ...selectable],
      read: (object) => Object.fromEntries(selectable.map((path) => [path, selectedText(object, path)])),
    },
  };
}

function scaleOf({ subresources }: DefinitionVersion): ScalePaths | undefined {
  if (subresources?.scale === undefined) return undefined;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = subresources.scale;
  return {
    specReplicas: fieldsOf(specReplicasPath),
    statusReplicas: fieldsOf(statusReplicasPath),
    selector: (object) =>
      labelSelectorPath === undefined ? '' : textOf(valueAt(object, ...fieldsOf(labelSelectorPath))),
  };
}

function fieldsOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

function selectedText(object: KubeObject, path: string): string {
  const value = valueAt(object, ...path.split('.'));
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

function deprecationOf(version: DefinitionVersion, apiVersion: string, kind: string): string | undefined {
  if (version.deprecated !== true) return undefined;
  return version.deprecationWarning ?? `${apiVersion} ${kind} is deprecated`;
}

function decodeCustom(structural: Structural, value: JsonObject): Decoded {
  const metadata = decodeObject(objectMeta, objectOf(value.metadata));
  const { object, unknownFields } = prune(structural, value);
  return {
    object: { ...object, metadata: metadata.object },
    unknownFields: [...metadata.unknownFields.map((field) => `metadata.${field}`), ...unknownFields],
  };
}

function defaulted(structural: Structural, object: KubeObject): KubeObject {
  return asKubeObject({ ...withDefaults(structural, object), metadata: object.metadata });
}

function customRules(structural: Structural, hasStatus: boolean, scale: ScalePaths | undefined): KindRules {
  const problems = (object: KubeObject): readonly FieldProblem[] => [
    ...structuralProblems(structural, without(object, 'metadata')),
    ...replicaProblems(object, scale),
  ];
  const status: UpdateRules = {
    prepare(next, previous) {
      const { managedFields } = next.metadata;
      const base = withMetadata(previous, { managedFields });
      return asKubeObject(next.status === undefined ? without(base, 'status') : { ...base, status: next.status });
    },
    validate: (object) => statusProblems(structural, object),
    ignored: { 'f:spec': {}, 'f:metadata': {} },
  };
  return {
    ...PLAIN_RULES,
    qualifiedFinalizers: false,
    unconditionalUpdate: false,
    prepareCreate(object) {
      const fresh = hasStatus ? asKubeObject(without(object, 'status')) : object;
      return withMetadata(fresh, { generation: 1 });
    },
    validateCreate: problems,
    warnings: (object, previous) => finalizerWarnings(object, previous),
    update: {
      prepare: (next, previous) => preparedUpdate(next, previous, hasStatus),
      validate: problems,
      ignored: hasStatus ? { 'f:status': {} } : {},
    },
    subresources: new Map(hasStatus ? [['status', status]] : []),
  };
}

function replicaProblems(object: KubeObject, scale: ScalePaths | undefined): readonly FieldProblem[] {
  if (scale === undefined) return [];
  const replicas = valueAt(object, ...scale.specReplicas);
  if (typeof replicas !== 'number' || replicas >= 0) return [];
  return [invalidValue(`.${scale.specReplicas.join('.')}`, replicas, 'should be a non-negative integer')];
}

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

function finalizerWarnings({ metadata }: KubeObject, previous: KubeObject | undefined): readonly string[] {
  const known = [...STANDARD_FINALIZERS, ...(previous?.metadata.finalizers ?? [])];
  const added = (metadata.finalizers ?? []).filter(
    (finalizer) => !finalizer.includes('/') && !known.includes(finalizer),
  );
  const advice = 'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';
  return added.map((finalizer) => `metadata.finalizers: ${JSON.stringify(finalizer)}: ${advice}`);
}

/** The status is looked at by itself, which shows in the words. */
function statusProblems(structural: Structural, { status }: KubeObject): readonly FieldProblem[] {
  const schema = structural.properties.get('status');
  if (schema === undefined || !isJsonObject(status)) return [];
  return structuralProblems(schema, status).map((problem) => ({ ...problem, field: `status.${problem.field}` }));
}

function preparedUpdate(next: KubeObject, previous: KubeObject, hasStatus: boolean): KubeObject {
  const kept = hasStatus ? withStatus(next, previous.status) : next;
  const same = equalJson(content(kept), content(previous));
  return same ? kept : withMetadata(kept, { generation: (previous.metadata.generation ?? 0) + 1 });
}

function withStatus(object: KubeObject, status: Json | undefined): KubeObject {
  return status === undefined ? asKubeObject(without(object, 'status')) : { ...object, status };
}

function content(object: KubeObject): JsonObject {
  return without(object, 'kind', 'apiVersion', 'metadata');
}
