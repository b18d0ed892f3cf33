import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  objectOf,
  sortedJson,
  textOf,
  valueAt,
  without,
  withValueAt,
} from '../../../json.ts';
import {
  type Applied,
  applyConfiguration,
  LAST_APPLIED,
  ownersAfterUpdate,
  type Writer,
} from '../../apply/field-manager.ts';
import type { FieldSet } from '../../apply/field-set.ts';
import { type Ownership, readManagedFields, writeManagedFields } from '../../apply/managers.ts';
import { shapeProblems } from '../../apply/shape.ts';
import { ShapeError } from '../../apply/typed.ts';
import { badRequest, RequestFailure } from '../../failure.ts';
import { apiVersionOf, type ServedKind } from '../../kinds/kind.ts';
import { type KubeObject, type ManagedFieldsEntry, withMetadata } from '../../object.ts';

/** Who writes an object and through which door. */
export interface WriteIdentity {
  readonly manager: string;
  readonly subresource: string;
  readonly now: string;
  /** What this door cannot change. */
  readonly ignored: FieldSet;
}

function writerOf(kind: ServedKind, { manager, subresource, now }: WriteIdentity): Writer {
  return { manager, apiVersion: apiVersionOf(kind), subresource, ...(subresource !== 'scale' && { time: now }) };
}

/** The fields that a field manager can own: everything but the kind and the record of owners itself. */
function content(object: KubeObject): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...without(object, 'kind', 'apiVersion'), metadata };
}

/** The object with this record of owners. */
export function withOwners(object: KubeObject, owners: readonly Ownership[]): KubeObject {
  const entries = writeManagedFields(owners);
  return withMetadata(object, { managedFields: entries.length === 0 ? undefined : entries });
}

/** The object as it is written, with its owners brought up to date. `live` is undefined for a new object. */
export function trackUpdate(
  kind: ServedKind,
  live: KubeObject | undefined,
  next: KubeObject,
  identity: WriteIdentity,
): KubeObject {
  const owners = currentOwners(live, next, identity.subresource !== '');
  if (live !== undefined && owners.length === 0) return withMetadata(next, { managedFields: undefined });
  // An object that does not fit its schema has no owners; validation refuses it in better words.
  if (kind.custom && shapeProblems(kind.schema, content(next)).length > 0)
    return withMetadata(next, { managedFields: undefined });
  const before = live === undefined ? kind.zero : content(live);
  const { ignored } = identity;
  const context = { schema: kind.schema, ignored };
  try {
    return withOwners(next, ownersAfterUpdate(context, before, content(next), owners, writerOf(kind, identity)));
  } catch (error) {
    if (error instanceof ShapeError) return withMetadata(next, { managedFields: undefined });
    throw error;
  }
}

/** A client may edit the record of owners, or clear it, but not by accident. */
function currentOwners(live: KubeObject | undefined, next: KubeObject, isSubresource: boolean): readonly Ownership[] {
  const given = next.metadata.managedFields;
  const stored = readManagedFields(live?.metadata.managedFields ?? []) ?? [];
  if (isSubresource || given === undefined) return stored;
  if (isReset(given)) return [];
  const owners = readManagedFields(given);
  return owners === undefined || owners.length === 0 ? stored : owners;
}

function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && first !== undefined && Object.keys(first).length === 0);
}

/** The live object with a configuration applied to it, not yet decoded; undefined when nothing changes. */
export interface AppliedConfiguration {
  readonly object: JsonObject | undefined;
  readonly owners: readonly Ownership[];
}

export function applyTo(
  kind: ServedKind,
  live: KubeObject | undefined,
  configuration: JsonObject,
  identity: WriteIdentity,
  force: boolean,
): AppliedConfiguration {
  checkConfiguration(kind, configuration);
  const writer = writerOf(kind, identity);
  const context = { schema: kind.schema, ignored: identity.ignored };
  const { object, owners } = applied(kind, live, configuration, writer, context, force);
  if (object === undefined) return { object, owners };
  return { object: withLastApplied(object, configuration, writer.manager), owners };
}

function applied(
  kind: ServedKind,
  live: KubeObject | undefined,
  configuration: JsonObject,
  writer: Writer,
  context: { readonly schema: ServedKind['schema']; readonly ignored: FieldSet },
  force: boolean,
): Applied {
  const base = live === undefined ? kind.zero : content(live);
  const fields = without(configuration, 'kind', 'apiVersion');
  const stored = readManagedFields(live?.metadata.managedFields ?? []) ?? [];
  const { manager: _, ...rest } = writer;
  const owners =
    live !== undefined && stored.length === 0
      ? ownersAfterUpdate(context, kind.zero, base, [], { ...rest, manager: 'before-first-apply' })
      : stored;
  return applyConfiguration(context, base, fields, owners, writer, force);
}

/** The live object with part of a configuration applied that is written as another version: conflicts name that one. */
export function applyPart(
  kind: ServedKind,
  live: KubeObject,
  part: JsonObject,
  identity: WriteIdentity,
  options: { readonly force: boolean; readonly shownVersion: string },
): AppliedConfiguration {
  const { force, shownVersion } = options;
  const writer = writerOf(kind, identity);
  const context = { schema: kind.schema, ignored: identity.ignored };
  const owners = readManagedFields(live.metadata.managedFields ?? []) ?? [];
  const shown = owners.map((owner) => ({ ...owner, apiVersion: shownVersion }));
  applyConfiguration(context, content(live), part, shown, { ...writer, apiVersion: shownVersion }, force);
  return applyConfiguration(context, content(live), part, owners, writer, force);
}

function checkConfiguration(kind: ServedKind, configuration: JsonObject): void {
  const given = { apiVersion: textOf(configuration.apiVersion), kind: textOf(configuration.kind) };
  if (given.kind !== kind.kind || given.apiVersion !== apiVersionOf(kind)) {
    throw badRequest(`invalid object type: ${typeText(given.apiVersion, given.kind)}`);
  }
  if (isJsonList(valueAt(configuration, 'metadata', 'managedFields'))) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const problems = shapeProblems(kind.schema, without(configuration, 'kind', 'apiVersion'));
  if (problems.length === 0) return;
  const metadata = objectOf(configuration.metadata);
  const name = `${textOf(metadata.namespace)}/${textOf(metadata.name)}`;
  const what = `${name}; ${typeText(given.apiVersion, given.kind)}`;
  const shown =
    problems.length === 1 ? problems.join('') : `errors:\n${problems.map((line) => `  ${line}`).join('\n')}`;
  const message = `failed to create typed patch object (${what}): ${shown}`;
  throw new RequestFailure({ code: 500, reason: '', message });
}

export function typeText(apiVersion: string, kind: string): string {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return `${group}/${version}, Kind=${kind}`;
}

/** Keeps the note that a client-side `kubectl apply` left behind in step, where there is one. */
function withLastApplied(object: JsonObject, configuration: JsonObject, manager: string): JsonObject {
  if (manager !== 'kubectl' || valueAt(object, 'metadata', 'annotations', LAST_APPLIED) === undefined) return object;
  const annotations = valueAt(configuration, 'metadata', 'annotations');
  const noted = isJsonObject(annotations)
    ? withValueAt(configuration, ['metadata', 'annotations'], without(annotations, LAST_APPLIED))
    : configuration;
  return withValueAt(object, ['metadata', 'annotations', LAST_APPLIED], `${sortedJson(noted)}\n`);
}
