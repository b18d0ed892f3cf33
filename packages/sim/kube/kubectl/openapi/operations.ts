import type { JsonDraft, JsonObject } from '../../../json.ts';
import type { ServedKind } from '../../kinds/kind.ts';
import { reference } from './definitions.ts';

const WRITE_PARAMETERS = { dryRun: 'string', fieldManager: 'string', fieldValidation: 'string' };
const DELETE_PARAMETERS = { dryRun: 'string', gracePeriodSeconds: 'integer', propagationPolicy: 'string' };
const LIST_PARAMETERS = {
  allowWatchBookmarks: 'boolean',
  continue: 'string',
  fieldSelector: 'string',
  labelSelector: 'string',
  limit: 'integer',
  resourceVersion: 'string',
  resourceVersionMatch: 'string',
  sendInitialEvents: 'boolean',
  timeoutSeconds: 'integer',
  watch: 'boolean',
};

const PATCH_TYPES = ['apply-patch+yaml', 'json-patch+json', 'merge-patch+json'];
const STRATEGIC = 'strategic-merge-patch+json';

interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly action: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const LIST: Operation = { method: 'get', action: 'list', parameters: LIST_PARAMETERS };
const CREATE: Operation = { method: 'post', action: 'post', parameters: WRITE_PARAMETERS };
const DELETE_ALL: Operation = {
  method: 'delete',
  action: 'deletecollection',
  parameters: { ...DELETE_PARAMETERS, ...LIST_PARAMETERS },
};
const READ: Operation = { method: 'get', action: 'get', parameters: {} };
const REPLACE: Operation = { method: 'put', action: 'put', parameters: WRITE_PARAMETERS };
const PATCH: Operation = { method: 'patch', action: 'patch', parameters: { ...WRITE_PARAMETERS, force: 'boolean' } };
const DELETE: Operation = { method: 'delete', action: 'delete', parameters: DELETE_PARAMETERS };

/** The paths of a kind and what can be done there. `type` and `listType` are the names of their definitions. */
export function pathsOf(kind: ServedKind, type: string, listType: string): JsonObject {
  const { group, version, plural, namespaced, rules } = kind;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const one = `${collection}/{name}`;
  const paths: JsonDraft = {};
  const add = (path: string, ...operations: readonly Operation[]): void => {
    const described = operations.map((operation) => [
      operation.method,
      describe(kind, operation, operation === LIST ? listType : type),
    ]);
    paths[path] = { ...Object.fromEntries(described), parameters: placeholders(path) };
  };
  if (namespaced) add(`${root}/${plural}`, LIST);
  add(collection, LIST, CREATE, DELETE_ALL);
  add(one, READ, REPLACE, PATCH, DELETE);
  for (const subresource of rules.subresources.keys()) add(`${one}/${subresource}`, READ, REPLACE, PATCH);
  return paths;
}

function placeholders(path: string): readonly JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function describe(kind: ServedKind, { method, action, parameters }: Operation, type: string): JsonObject {
  const content = { 'application/json': { schema: reference(type) } };
  return {
    parameters: Object.entries(parameters).map(([name, type]) => ({ name, in: 'query', schema: { type } })),
    ...((method === 'post' || method === 'put') && { requestBody: { content, required: true } }),
    ...(method === 'patch' && { requestBody: { content: patchContent(kind), required: true } }),
    responses: { '200': { description: 'OK', ...(method !== 'delete' && { content }) } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: kind.group, version: kind.version, kind: kind.kind },
  };
}

function patchContent({ custom }: ServedKind): JsonObject {
  const types = custom ? PATCH_TYPES : [...PATCH_TYPES, STRATEGIC];
  return Object.fromEntries(types.map((type) => [`application/${type}`, { schema: { type: 'object' } }]));
}
