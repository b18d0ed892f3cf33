import type { HttpRequest } from '@fairlead/control';
import { isJsonObject, type JsonObject, objectOf, textOf, valueAt, withValueAt } from '../../../json.ts';
import { badRequest, internalError, invalid, notFound, staleVersion } from '../../failure.ts';
import type { ScalePaths, ServedKind } from '../../kinds/kind.ts';
import { asKubeObject, type KubeObject } from '../../object.ts';
import { jsonPatch } from '../../patch/json-patch.ts';
import { mergePatch } from '../../patch/merge-patch.ts';
import type { StoredObject } from '../../store/stored-object.ts';
import { invalidValue } from '../../validation/field-problem.ts';
import { contentTypeOf, parseBody, parseJsonText } from '../body.ts';
import { nowText, type ServerState } from '../state.ts';
import { applyPart, typeText, withOwners } from './managed-fields.ts';
import { APPLY, readConfiguration } from './patch.ts';
import { tracked, type UpdateTarget, updateObject } from './update.ts';

const SCALE_VERSION = 'autoscaling/v1';

/** How many of it there are and shall be: what an object of any kind looks like to those who only count. */
export function scaleOf(kind: ServedKind, object: KubeObject): JsonObject {
  const { specReplicas } = pathsOf(kind);
  if (kind.custom && valueAt(object, ...specReplicas) === undefined) {
    throw internalError(`the spec replicas field ".${specReplicas.join('.')}" does not exist`);
  }
  return scaleFrom(kind, object);
}

function scaleFrom(kind: ServedKind, object: KubeObject): JsonObject {
  const { specReplicas, statusReplicas, selector } = pathsOf(kind);
  const { name, namespace, uid = '', resourceVersion = '', creationTimestamp = '' } = object.metadata;
  const wanted = valueAt(object, ...specReplicas);
  const selected = selector(object);
  return {
    kind: 'Scale',
    apiVersion: SCALE_VERSION,
    metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { ...(typeof wanted === 'number' && wanted !== 0 && { replicas: wanted }) },
    status: {
      replicas: valueAt(object, ...statusReplicas) ?? 0,
      ...(selected !== '' && { selector: selected }),
    },
  };
}

function pathsOf({ plural, scale }: ServedKind): ScalePaths {
  if (scale === undefined) throw new RangeError(`${plural} cannot be scaled`);
  return scale;
}

/** Changes how many there shall be. */
export function updateScale(state: ServerState, target: UpdateTarget, request: HttpRequest): StoredObject {
  const { kind, namespace, name } = target;
  if (contentTypeOf(request) === APPLY && request.method === 'PATCH') return applyScale(state, target, request);
  const stored = state.store.get(kind.collection, namespace, name);
  const resource = { group: kind.group, resource: kind.plural };
  if (stored === undefined) throw notFound(resource, name);
  const scale = changedScale(scaleFrom(kind, stored.object), request);
  const given = valueAt(scale, 'spec', 'replicas');
  const { specReplicas } = pathsOf(kind);
  const none = given === undefined && valueAt(stored.object, ...specReplicas) === undefined;
  if (none && kind.custom && request.method === 'PATCH') {
    throw badRequest(`the spec replicas field ".${specReplicas.join('.')}" cannot be empty`);
  }
  const replicas = given ?? 0;
  if (typeof replicas !== 'number' || replicas < 0) {
    const problem = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalid('autoscaling', 'Scale', name, [problem]);
  }
  const version = textOf(valueAt(scale, 'metadata', 'resourceVersion'));
  if (version !== '' && version !== stored.object.metadata.resourceVersion) throw staleVersion(resource, name);
  return updateObject(state, target, undefined, (live) => {
    if (live === undefined) throw new TypeError('what does not exist cannot be scaled');
    return tracked(state, target, live, asKubeObject(withValueAt(live, specReplicas, replicas)));
  }).stored;
}

function applyScale(state: ServerState, target: UpdateTarget, request: HttpRequest): StoredObject {
  const { kind, options, subresource } = target;
  const configuration = readConfiguration(request.body ?? '');
  const [version, type] = [textOf(configuration.apiVersion), textOf(configuration.kind)];
  if (version !== SCALE_VERSION || type !== 'Scale')
    throw badRequest(`invalid object type: ${typeText(version, type)}`);
  const { specReplicas } = pathsOf(kind);
  const part = withValueAt({}, specReplicas, valueAt(configuration, 'spec', 'replicas') ?? 0);
  return updateObject(state, { ...target, forceCreate: false }, undefined, (live) => {
    if (live === undefined) throw new TypeError('what does not exist cannot be scaled');
    const { manager, force } = options;
    const identity = { manager, subresource, now: nowText(state), ignored: {} };
    const applied = applyPart(kind, live, part, identity, { force, shownVersion: SCALE_VERSION });
    const object = applied.object === undefined ? live : asKubeObject({ ...live, ...applied.object });
    return withOwners(object, applied.owners);
  }).stored;
}

function changedScale(current: JsonObject, request: HttpRequest): JsonObject {
  if (request.method === 'PUT') {
    const parsed = parseBody(request);
    if ('problem' in parsed) throw badRequest(`couldn't get version/kind; json parse error: ${parsed.problem}`);
    return objectOf(parsed.value);
  }
  const parsed = parseJsonText(request.body ?? '');
  if ('problem' in parsed) throw badRequest(`error decoding patch: ${parsed.problem}`);
  const patched =
    contentTypeOf(request) === 'application/json-patch+json'
      ? jsonPatch(current, parsed.value)
      : mergePatch(current, parsed.value);
  return isJsonObject(patched) ? patched : {};
}
