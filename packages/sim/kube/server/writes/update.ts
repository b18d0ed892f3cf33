import { equalJson, type JsonObject, shareUnchangedFields, without } from '../../../json.ts';
import { badRequest, conflict, invalid, notFound, RequestFailure, staleVersion } from '../../failure.ts';
import type { KindContext, ServedKind, UpdateRules } from '../../kinds/kind.ts';
import { asKubeObject, type KubeObject, type ManagedFieldsEntry, withMetadata } from '../../object.ts';
import { quote } from '../../schema/formats.ts';
import { StoredObject } from '../../store/stored-object.ts';
import { invalidValue } from '../../validation/field-problem.ts';
import { pathSegmentProblems } from '../../validation/names.ts';
import { kindContext, nowText, type ServerState } from '../state.ts';
import { versionNumber } from '../reads/list-options.ts';
import { inNamespace, insert, updateProblems, type WriteTarget } from './create.ts';
import { trackUpdate } from './managed-fields.ts';

export interface UpdateTarget extends WriteTarget {
  readonly name: string;
  readonly subresource: string;
  /** The object is created where it does not exist, whatever its kind says. */
  readonly forceCreate: boolean;
}

export interface Updated {
  readonly stored: StoredObject;
  readonly created: boolean;
}

/** Replaces an object by the one in the request. */
export function replaceObject(state: ServerState, target: UpdateTarget, body: KubeObject): Updated {
  const { kind, namespace, name } = target;
  const placed = inNamespace(body, kind, namespace);
  checkName(placed, name);
  return updateObject(state, target, placed.metadata.uid, (live) => {
    const shared = live === undefined ? placed : asKubeObject(shareUnchangedFields(live, placed));
    return tracked(state, target, live, shared);
  });
}

/** The object with its owners brought up to date by an update. */
export function tracked(
  state: ServerState,
  target: UpdateTarget,
  live: KubeObject | undefined,
  next: KubeObject,
): KubeObject {
  const { kind, subresource, options } = target;
  const { manager } = options;
  return trackUpdate(kind, live, next, { manager, subresource, now: nowText(state), ignored: rulesOf(target).ignored });
}

export function rulesOf({ kind, subresource }: Pick<UpdateTarget, 'kind' | 'subresource'>): UpdateRules {
  if (subresource === '' || subresource === 'scale') return kind.rules.update;
  const rules = kind.rules.subresources.get(subresource);
  if (rules === undefined) throw new RangeError(`${kind.plural} have no subresource ${subresource}`);
  return rules;
}

export function checkName(object: KubeObject, name: string): void {
  const given = object.metadata.name;
  if (given === name) return;
  if (given !== '') throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
}

/**
 * Changes an object by what `change` makes of its present state, which it gets in the version of the request;
 * undefined stands for an object that does not exist yet.
 */
export function updateObject(
  state: ServerState,
  target: UpdateTarget,
  expectedUid: string | undefined,
  change: (live: KubeObject | undefined) => KubeObject,
): Updated {
  const { kind, namespace, name, subresource } = target;
  const resource = { group: kind.group, resource: kind.plural };
  checkPathName(name);
  const stored = state.store.get(kind.collection, namespace, name);
  const mayCreate = kind.rules.createOnUpdate || (target.forceCreate && subresource === '');
  if (stored === undefined) {
    if (!mayCreate) throw notFound(resource, name);
    if (expectedUid !== undefined) throw wrongUid(kind, namespace, name, expectedUid, '');
    const created = change(undefined);
    const { uid } = created.metadata;
    if (uid !== undefined) throw missingUid(resource, name, uid);
    checkSpelling(created);
    const fresh = withMetadata(created, { resourceVersion: undefined });
    return { stored: insert(state, target, fresh), created: true };
  }
  const previous = stored.object;
  if (expectedUid !== undefined && expectedUid !== previous.metadata.uid) {
    throw wrongUid(kind, namespace, name, expectedUid, previous.metadata.uid ?? '');
  }
  const changed = change(kind.fromStored(previous));
  const next = kind.custom ? changed : kind.toStored(changed);
  checkVersion(kind, next, previous);
  return { stored: writeUpdate(state, target, next, stored), created: false };
}

/** No object has a name that does not fit into a path, and none is looked for. */
export function checkPathName(name: string): void {
  const problems = pathSegmentProblems(name);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${quote(name)}: ${problems.join('; ')}`);
}

type Resource = { readonly group: string; readonly resource: string };

function missingUid(resource: Resource, name: string, uid: string): Error {
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return conflict(resource, name, why);
}

/** Where etcd has kinds that are not kept under their plural name. */
const STORED_UNDER = new Map([
  ['endpoints', 'services/endpoints'],
  ['nodes', 'minions'],
  ['services', 'services/specs'],
]);

function wrongUid(kind: ServedKind, namespace: string | undefined, name: string, expected: string, uid: string): Error {
  const folder = STORED_UNDER.get(kind.collection) ?? kind.plural;
  const key = [
    '/registry',
    ...(kind.custom ? [kind.group] : []),
    folder,
    ...(namespace === undefined ? [] : [namespace]),
    name,
  ].join('/');
  const precondition = `Precondition failed: UID in precondition: ${expected}, UID in object meta: ${uid}`;
  const what = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0`;
  return conflict({ group: kind.group, resource: kind.plural }, name, `${what}, AdditionalErrorMsg: ${precondition}`);
}

function checkSpelling({ metadata: { resourceVersion = '' } }: KubeObject): void {
  if (versionNumber(resourceVersion) !== undefined) return;
  const message = `strconv.ParseUint: parsing ${quote(resourceVersion)}: invalid syntax`;
  throw new RequestFailure({ code: 500, reason: '', message });
}

function checkVersion(kind: ServedKind, next: KubeObject, previous: KubeObject): void {
  const { resourceVersion = '0', name } = next.metadata;
  checkSpelling(next);
  if (resourceVersion === '0' || resourceVersion === '') {
    if (kind.rules.unconditionalUpdate) return;
    const problem = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
    throw invalid(kind.group, kind.plural, name, [problem]);
  }
  if (resourceVersion === previous.metadata.resourceVersion) return;
  throw staleVersion({ group: kind.group, resource: kind.plural }, name);
}

function writeUpdate(state: ServerState, target: UpdateTarget, next: KubeObject, stored: StoredObject): StoredObject {
  const { kind, options, warnings } = target;
  const { rules } = kind;
  const previous = kind.custom ? kind.fromStored(stored.object) : stored.object;
  const context = kindContext(state, options.dryRun, warnings);
  const admitted = rules.admit(next, previous, context);
  const allocated = target.subresource === '' ? rules.allocate(admitted, previous, context) : admitted;
  const prepared = prepare(target, allocated, previous, context);
  const problems = updateProblems(kind, prepared, previous, rulesOf(target).validate(prepared, previous));
  if (problems.length > 0) throw invalid(kind.storedGroup, kind.kind, prepared.metadata.name, problems);
  if (target.subresource === '') for (const warning of rules.warnings(prepared, previous)) context.warn(warning);
  const settled = asKubeObject(shareUnchangedFields(previous, withUnchangedTimes(prepared, previous)));
  if (isReadyToGo(kind, settled, previous)) return removeUpdated(state, target, settled, previous, context);
  if (settled === previous) return stored;
  if (options.dryRun) return new StoredObject(settled, stored.resourceVersion);
  const written = state.store.put(kind.collection, kind.custom ? kind.toStored(settled) : settled);
  rules.settle(written.object, previous, context);
  return written;
}

/** What no update can change is put back. */
function prepare(target: UpdateTarget, next: KubeObject, previous: KubeObject, context: KindContext): KubeObject {
  const { generation, resourceVersion, uid, creationTimestamp } = previous.metadata;
  const { deletionTimestamp, deletionGracePeriodSeconds } = previous.metadata;
  const based = withMetadata(next, { generation, resourceVersion });
  const prepared = rulesOf(target).prepare(based, previous, context);
  const { metadata } = prepared;
  return withMetadata(prepared, {
    uid: metadata.uid ?? uid,
    creationTimestamp: creationTimestamp ?? metadata.creationTimestamp,
    deletionTimestamp: deletionTimestamp ?? metadata.deletionTimestamp,
    deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds ?? deletionGracePeriodSeconds,
  });
}

/** An update that changes nothing else does not count as a change because time went by. */
function withUnchangedTimes(next: KubeObject, previous: KubeObject): KubeObject {
  const before = previous.metadata.managedFields;
  const after = next.metadata.managedFields;
  if (before === undefined || after === undefined || before.length !== after.length) return next;
  const untimed = (entries: readonly ManagedFieldsEntry[]): readonly JsonObject[] =>
    entries.map((entry) => without(entry, 'time'));
  if (!equalJson(untimed(before), untimed(after))) return next;
  const reverted = withMetadata(next, { managedFields: before });
  return equalJson(reverted, previous) ? reverted : next;
}

/** A deleted object goes as soon as no finalizer holds it any longer. */
function isReadyToGo(kind: ServedKind, next: KubeObject, previous: KubeObject): boolean {
  if ((next.metadata.finalizers ?? []).length > 0) return false;
  if (previous.metadata.deletionTimestamp === undefined) return false;
  if ((previous.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  return kind.rules.isReleased(next);
}

function removeUpdated(
  state: ServerState,
  { kind, options }: UpdateTarget,
  next: KubeObject,
  previous: KubeObject,
  context: KindContext,
): StoredObject {
  const { namespace, name, resourceVersion } = next.metadata;
  if (!options.dryRun) {
    state.store.remove(kind.collection, namespace, name);
    kind.rules.settle(undefined, previous, context);
  }
  return new StoredObject(next, Number(resourceVersion));
}
