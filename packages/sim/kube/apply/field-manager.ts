import { equalJson, isJsonObject, type Json, type JsonObject, parseJson, valueAt } from '../../json.ts';
import { applyConflict, type RequestFailure } from '../failure.ts';
import type { StructSchema } from '../schema/schema.ts';
import { type Comparison, compare, fieldsIn } from './compare.ts';
import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  NO_FIELDS,
  pathsOf,
  union,
  withNamedFields,
  withoutSubtrees,
} from './field-set.ts';
import { capUpdaters, isSameManager, type Ownership } from './managers.ts';
import { mergeApplied, removeFields } from './merge.ts';
import { shapeProblems } from './shape.ts';

/** Fields that belong to the server: no field manager is recorded as their owner. */
const SERVER_FIELDS: FieldSet = {
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:creationTimestamp': {},
    'f:selfLink': {},
    'f:uid': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
  },
};

/** Who writes, and in which words. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string;
  /** Scaling leaves no time behind. */
  readonly time?: string;
}

export interface OwnershipContext {
  readonly schema: StructSchema;
  /** Fields that a write of this kind cannot change, such as the status when the object itself is written. */
  readonly ignored: FieldSet;
}

/** Who owns what after an update: the writer gets what it changed, all others lose what changed or went. */
export function ownersAfterUpdate(
  { schema, ignored }: OwnershipContext,
  before: JsonObject,
  after: JsonObject,
  owners: readonly Ownership[],
  writer: Writer,
): readonly Ownership[] {
  const { added, modified, removed } = compareFields(schema, ignored, before, after);
  const changed = union(added, modified);
  if (isEmptySet(changed) && isEmptySet(removed)) return owners;
  const rest = owners.map((owner) => ({ ...owner, fields: difference(difference(owner.fields, changed), removed) }));
  const gained = difference(changed, SERVER_FIELDS);
  if (isEmptySet(gained)) return rest.filter((owner) => !isEmptySet(owner.fields));
  const own: Ownership = { ...writer, operation: 'Update', fields: gained };
  const previous = rest.find((owner) => isSameManager(owner, own));
  const merged = previous === undefined ? own : { ...own, fields: union(gained, previous.fields) };
  const others = rest.filter((owner) => owner !== previous && !isEmptySet(owner.fields));
  return capUpdaters([...others, merged]);
}

export interface Applied {
  /** Undefined when the live object already is as the configuration wants it. */
  readonly object: JsonObject | undefined;
  readonly owners: readonly Ownership[];
}

/** Lays a configuration over the live object. Throws when it takes fields from another manager without `force`. */
export function applyConfiguration(
  context: OwnershipContext,
  live: JsonObject,
  configuration: JsonObject,
  owners: readonly Ownership[],
  writer: Writer,
  force: boolean,
): Applied {
  const conflicts = tryApply(context, live, configuration, owners, writer, force);
  if ('owners' in conflicts) return conflicts;
  const allowed = writer.manager === 'kubectl' ? fieldsFromClientSideApply(context, live, writer) : NO_FIELDS;
  const left = conflicts.flatMap((conflict) => {
    const fields = difference(conflict.fields, allowed);
    return isEmptySet(fields) ? [] : [{ ...conflict, fields }];
  });
  if (left.length > 0) throw conflictFailure(left);
  const forced = tryApply(context, live, configuration, owners, writer, true);
  if ('owners' in forced) return forced;
  throw conflictFailure(forced);
}

function tryApply(
  { schema, ignored }: OwnershipContext,
  live: JsonObject,
  configuration: JsonObject,
  owners: readonly Ownership[],
  writer: Writer,
  force: boolean,
): Applied | readonly Ownership[] {
  const merged = asObject(mergeApplied(schema, live, configuration));
  const wanted = withoutSubtrees(fieldsIn(schema, configuration), ignored);
  const own: Ownership = { ...writer, operation: 'Apply', fields: wanted };
  const previous = owners.find((owner) => isSameManager(owner, own));
  const others = owners.filter((owner) => owner !== previous);
  const claimed = [own, ...others].reduce((all, { fields }) => union(all, fields), NO_FIELDS);
  const result = prune(schema, merged, previous?.fields ?? NO_FIELDS, claimed);
  const { added, modified, removed } = compareFields(schema, ignored, live, result);
  const changed = union(added, modified);
  const conflicts = others.flatMap((owner) => {
    const fields = intersection(owner.fields, changed);
    return isEmptySet(fields) ? [] : [{ ...owner, fields }];
  });
  if (conflicts.length > 0 && !force) return conflicts;
  const rest = others.map((owner) => ({ ...owner, fields: difference(difference(owner.fields, changed), removed) }));
  const same = equalJson(live, result);
  const { time: _, ...untimed } = own;
  const kept = previous?.time === undefined ? untimed : { ...untimed, time: previous.time };
  const mine = { ...(same ? kept : own), fields: difference(wanted, SERVER_FIELDS) };
  return { object: same ? undefined : result, owners: [...rest, mine].filter((owner) => !isEmptySet(owner.fields)) };
}

/** Removes what the applier had applied before, does not apply any more, and no other manager owns. */
function prune(schema: StructSchema, merged: JsonObject, last: FieldSet, claimed: FieldSet): JsonObject {
  const lastNamed = withNamedFields(last, schema);
  const claimedNamed = withNamedFields(claimed, schema);
  if (isEmptySet(difference(lastNamed, claimedNamed))) return merged;
  const mergedFields = withNamedFields(fieldsIn(schema, merged), schema);
  const bare = asObject(removeFields(schema, merged, lastNamed));
  const bareFields = withNamedFields(fieldsIn(schema, bare), schema);
  const kept = union(bareFields, claimedNamed);
  const owned = asObject(removeFields(schema, merged, difference(mergedFields, kept)));
  const ownedFields = withNamedFields(fieldsIn(schema, owned), schema);
  return asObject(removeFields(schema, merged, intersection(difference(mergedFields, ownedFields), lastNamed)));
}

function compareFields(schema: StructSchema, ignored: FieldSet, before: JsonObject, after: JsonObject): Comparison {
  const comparison = compare(schema, before, after);
  if (isEmptySet(ignored)) return comparison;
  return {
    added: withoutSubtrees(comparison.added, ignored),
    modified: withoutSubtrees(comparison.modified, ignored),
    removed: withoutSubtrees(comparison.removed, ignored),
  };
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What a client-side `kubectl apply` had set and no other client changed since: a server-side one may take it over. */
function fieldsFromClientSideApply({ schema }: OwnershipContext, live: JsonObject, writer: Writer): FieldSet {
  const annotation = valueAt(live, 'metadata', 'annotations', LAST_APPLIED);
  if (typeof annotation !== 'string') return NO_FIELDS;
  const configuration = parseAnnotation(annotation);
  if (configuration.apiVersion !== writer.apiVersion || shapeProblems(schema, bare(configuration)).length > 0) {
    return NO_FIELDS;
  }
  const { added, modified, removed } = compare(schema, bare(configuration), live);
  const same = difference(difference(fieldsIn(schema, bare(configuration)), modified), added);
  return difference(same, removed);
}

function bare(object: JsonObject): JsonObject {
  const { apiVersion: _, kind: __, ...rest } = object;
  return rest;
}

function parseAnnotation(annotation: string): JsonObject {
  try {
    return asObject(parseJson(annotation));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function conflictFailure(conflicts: readonly Ownership[]): RequestFailure {
  const causes = conflicts.flatMap((owner) =>
    pathsOf(owner.fields).map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${managerText(owner)}`,
      field,
    })),
  );
  const [only] = causes;
  if (causes.length === 1 && only !== undefined) {
    return applyConflict(`Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes);
  }
  const lines = [...conflicts]
    .sort((left, right) => (managerText(left) < managerText(right) ? -1 : 1))
    .flatMap((owner) => [`conflicts with ${managerText(owner)}:`, ...pathsOf(owner.fields).map((path) => `- ${path}`)]);
  return applyConflict(`Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`, causes);
}

function managerText({ manager, operation, apiVersion, subresource }: Ownership): string {
  const name = subresource === '' ? `"${manager}"` : `"${manager}" with subresource "${subresource}"`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
