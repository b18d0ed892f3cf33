import { randomUuid } from '@fairlead/control';
import { alreadyExists, badRequest, forbidden, invalid, notFound, RequestFailure } from '../../failure.ts';
import type { KindContext, ServedKind } from '../../kinds/kind.ts';
import { namespaces } from '../../kinds/namespace.ts';
import { nameSuffix } from '../../kinds/pod/admission.ts';
import { type KubeObject, withMetadata } from '../../object.ts';
import { StoredObject } from '../../store/stored-object.ts';
import type { FieldProblem } from '../../validation/field-problem.ts';
import { metadataProblems, metadataUpdateProblems } from '../../validation/metadata.ts';
import { pathSegmentProblems } from '../../validation/names.ts';
import { kindContext, nowText, type ServerState } from '../state.ts';
import { trackUpdate } from './managed-fields.ts';
import type { WriteOptions } from './write-options.ts';

const LONGEST_GENERATED_PREFIX = 58;
const GENERATED_NAME_ATTEMPTS = 8;

/** The kind and namespace a write goes to, and what the client is told beside the answer. */
export interface WriteTarget {
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  /** What came through a subresource is stored as it is. */
  readonly subresource?: string;
  readonly options: WriteOptions;
  readonly warnings: string[];
}

/** Stores a new object as the client described it. */
export function createObject(state: ServerState, target: WriteTarget, described: KubeObject): StoredObject {
  const { kind, namespace, options } = target;
  const wiped = withMetadata(described, {
    uid: undefined,
    creationTimestamp: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    managedFields: undefined,
  });
  const placed = inNamespace(wiped, kind, namespace);
  const { manager } = options;
  const identity = { manager, subresource: '', now: nowText(state), ignored: kind.rules.update.ignored };
  const owned = trackUpdate(kind, undefined, placed, identity);
  return insert(state, target, owned);
}

/** Admits, completes, validates and stores an object whose owners are already recorded. */
export function insert(state: ServerState, target: WriteTarget, object: KubeObject): StoredObject {
  const context = kindContext(state, target.options.dryRun, target.warnings);
  const { kind } = target;
  // Custom resources are checked in the version of the request, built-in kinds in the one that is stored.
  const hub = kind.custom ? object : kind.toStored(object);
  checkNamespace(kind, hub, context);
  const admitted = kind.rules.admit(hub, undefined, context);
  const { name, generateName = '' } = admitted.metadata;
  if (name !== '' || generateName === '') return insertNamed(state, target, admitted, context);
  for (let attempt = 1; ; attempt += 1) {
    const generated = `${generateName.slice(0, LONGEST_GENERATED_PREFIX)}${nameSuffix(state.random)}`;
    const taken = context.store.get(kind.collection, admitted.metadata.namespace, generated) !== undefined;
    if (taken && attempt < GENERATED_NAME_ATTEMPTS) continue;
    return insertNamed(state, target, withMetadata(admitted, { name: generated }), context);
  }
}

function insertNamed(state: ServerState, target: WriteTarget, object: KubeObject, context: KindContext): StoredObject {
  const { kind } = target;
  const { rules } = kind;
  const filled = withMetadata(object, { uid: randomUuid(state.random), creationTimestamp: context.now });
  const allocated = (target.subresource ?? '') === '' ? rules.allocate(filled, undefined, context) : filled;
  const prepared = rules.prepareCreate(allocated, context);
  const problems = createProblems(kind, prepared);
  if (problems.length > 0) throw invalid(kind.storedGroup, kind.kind, prepared.metadata.name, problems);
  for (const warning of rules.warnings(prepared, undefined)) context.warn(warning);
  const { namespace, name, resourceVersion } = prepared.metadata;
  const existing = context.store.get(kind.collection, namespace, name);
  if (existing !== undefined) throw exists(kind, existing.object, prepared.metadata.generateName);
  if (resourceVersion !== undefined && resourceVersion !== '0') {
    const message = 'resourceVersion should not be set on objects to be created';
    throw new RequestFailure({ code: 500, reason: '', message });
  }
  if (context.dryRun) return new StoredObject(withMetadata(prepared, { resourceVersion: undefined }), 0);
  const stored = context.store.put(kind.collection, kind.custom ? kind.toStored(prepared) : prepared);
  rules.settle(stored.object, undefined, context);
  return stored;
}

function exists(kind: ServedKind, object: KubeObject, generateName = ''): RequestFailure {
  const failure = alreadyExists({ group: kind.group, resource: kind.plural }, object.metadata.name);
  if (generateName !== '') return notUnique(failure);
  if (object.metadata.deletionTimestamp === undefined) return failure;
  return failure.withMessage(`object is being deleted: ${failure.message}`);
}

/** A client that let the server choose a name may try again, even where it did not. */
function notUnique({ code, reason, message, details }: RequestFailure): RequestFailure {
  return new RequestFailure({
    code,
    reason,
    message: `${message}, the server was not able to generate a unique name for the object`,
    details: { ...details, retryAfterSeconds: 1 },
    retryAfterSeconds: 1,
  });
}

/** The namespace of the request is the namespace of the object; saying another one is a mistake. */
export function inNamespace(object: KubeObject, kind: ServedKind, namespace: string | undefined): KubeObject {
  const given = object.metadata.namespace ?? '';
  const expected = kind.namespaced ? (namespace ?? '') : '';
  if (given === expected) return object;
  if (given === '' || expected === '') {
    return withMetadata(object, { namespace: expected === '' ? undefined : expected });
  }
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** New objects need a namespace that exists and is there to stay. */
function checkNamespace(kind: ServedKind, { metadata }: KubeObject, { store }: KindContext): void {
  if (!kind.namespaced) return;
  const name = metadata.namespace ?? '';
  const namespace = store.get(namespaces.collection, undefined, name)?.object;
  if (namespace === undefined) throw notFound({ group: '', resource: namespaces.plural }, name);
  if (namespace.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${name} because it is being terminated`;
  const failure = forbidden({ group: kind.group, resource: kind.plural }, metadata.name, why);
  const causes = [
    { reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' },
  ];
  throw new RequestFailure({
    code: failure.code,
    reason: failure.reason,
    message: failure.message,
    details: { ...failure.details, causes },
  });
}

function createProblems(kind: ServedKind, object: KubeObject): readonly FieldProblem[] {
  const { namespaced, rules } = kind;
  const { nameRule, qualifiedFinalizers } = rules;
  return [
    ...metadataProblems(object.metadata, { namespaced, name: nameRule, qualifiedFinalizers }),
    ...rules.validateCreate(object),
  ];
}

/** Problems of the metadata come first, and once more where the kind looks at them as well. */
export function updateProblems(
  kind: ServedKind,
  next: KubeObject,
  previous: KubeObject,
  kindProblems: readonly FieldProblem[],
): readonly FieldProblem[] {
  const { namespaced } = kind;
  const changes = metadataUpdateProblems(next.metadata, previous.metadata);
  return [
    ...metadataProblems(next.metadata, { namespaced, name: pathSegmentProblems, qualifiedFinalizers: false }),
    ...changes,
    ...changes,
    ...kindProblems,
  ];
}
