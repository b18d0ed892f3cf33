import type { HttpRequest } from '@fairlead/control';
import {
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  listOf,
  objectOf,
  parseJson,
  shareUnchangedFields,
  textOf,
} from '../../../json.ts';
import { badRequest, invalid, RequestFailure, unsupportedMediaType } from '../../failure.ts';
import { apiVersionOf, type ServedKind } from '../../kinds/kind.ts';
import { asKubeObject, type KubeObject, withMetadata } from '../../object.ts';
import { jsonPatch } from '../../patch/json-patch.ts';
import { mergePatch } from '../../patch/merge-patch.ts';
import { goMap, strategicMerge } from '../../patch/strategic-merge.ts';
import { DecodeError } from '../../schema/decode.ts';
import { quote } from '../../schema/formats.ts';
import { invalidValue } from '../../validation/field-problem.ts';
import { contentTypeOf, type Parsed, parseJsonText, parseYamlText } from '../body.ts';
import { nowText, type ServerState } from '../state.ts';
import { inNamespace } from './create.ts';
import { readFields, strictProblem } from './decode-object.ts';
import { applyTo, withOwners } from './managed-fields.ts';
import { checkName, rulesOf, tracked, type Updated, type UpdateTarget, updateObject } from './update.ts';
import type { WriteOptions } from './write-options.ts';

export const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_MERGE = 'application/strategic-merge-patch+json';

/** The media type of a patch. Throws for one that the kind does not take. */
export function patchTypeOf(request: HttpRequest, kind: ServedKind): string {
  const type = contentTypeOf(request);
  const accepted = [JSON_PATCH, MERGE_PATCH, ...(kind.custom ? [] : [STRATEGIC_MERGE]), APPLY];
  if (accepted.includes(type)) return type;
  if (kind.custom) throw unsupportedMediaType(accepted);
  const message = '415: Unsupported Media Type';
  throw new RequestFailure({ code: 415, reason: 'UnsupportedMediaType', message, details: {} });
}

/** Changes an object as the patch in the request says. */
export function patchObject(state: ServerState, target: UpdateTarget, type: string, text: string): Updated {
  const checked = (object: KubeObject): KubeObject => {
    const placed = inNamespace(object, target.kind, target.namespace);
    checkName(placed, target.name);
    return placed;
  };
  if (type === APPLY) {
    return updateObject(state, target, undefined, (live) => {
      return checked(applied(state, target, live, readConfiguration(text)));
    });
  }
  const neverCreated = { ...target, kind: withoutCreation(target.kind) };
  return updateObject(state, neverCreated, undefined, (live) => {
    if (live === undefined) throw new TypeError('a patch needs an object to change');
    const next = checked(patched(target, live, type, readPatch(type, text)));
    return tracked(state, target, live, asKubeObject(shareUnchangedFields(live, next)));
  });
}

function withoutCreation(kind: ServedKind): ServedKind {
  return kind.rules.createOnUpdate ? { ...kind, rules: { ...kind.rules, createOnUpdate: false } } : kind;
}

function readPatch(type: string, text: string): Json {
  const parsed: Parsed = type === STRATEGIC_MERGE ? parseJsonText(text, parseJson) : parseJsonText(text);
  const prefix = type === STRATEGIC_MERGE ? '' : 'error decoding patch: ';
  if ('problem' in parsed) throw badRequest(`${prefix}${parsed.problem}`);
  if (type === STRATEGIC_MERGE && parsed.value === null) return {};
  if (type === JSON_PATCH || isJsonObject(parsed.value)) return parsed.value;
  const given = isJsonList(parsed.value) ? 'array' : typeof parsed.value;
  throw badRequest(`${prefix}json: cannot unmarshal ${given} into Go value of type map[string]interface {}`);
}

export function readConfiguration(text: string): JsonObject {
  const parsed = parseYamlText(text);
  if ('problem' in parsed) throw badRequest(`error decoding YAML: ${parsed.problem}`);
  if (isJsonObject(parsed.value)) return parsed.value;
  throw badRequest(
    'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal into map',
  );
}

function patched({ kind, options, warnings }: UpdateTarget, live: KubeObject, type: string, patch: Json): KubeObject {
  const result = applyPatch(kind, live, type, patch);
  if (!isJsonObject(result)) throw invalidPatch(JSON.stringify(result), 'json: cannot unmarshal into an object');
  const shown = type === STRATEGIC_MERGE ? goMap(patch) : JSON.stringify(result);
  const { object, unknownFields } = decodePatched(kind, result, type, shown);
  const fields = type === MERGE_PATCH ? unknownFields : unknownFields.toSorted();
  const problems = [...strayFields(type, patch), ...fields.map((field) => `unknown field ${quote(field)}`)];
  reportUnknown(options, problems, shown, warnings);
  return kind.defaults(object);
}

const OPERATION_FIELDS = ['op', 'from', 'path', 'value'];

/** What the operations of a JSON patch have beside what such operations have. */
function strayFields(type: string, patch: Json): readonly string[] {
  if (type !== JSON_PATCH) return [];
  return listOf(patch).flatMap((operation, index) =>
    Object.keys(objectOf(operation))
      .filter((name) => !OPERATION_FIELDS.includes(name))
      .map((name) => `json patch unknown field ${quote(`[${index}].${name}`)}`),
  );
}

function applyPatch(kind: ServedKind, live: KubeObject, type: string, patch: Json): Json {
  if (type === JSON_PATCH) return jsonPatch(live, patch);
  if (type === MERGE_PATCH || !isJsonObject(patch)) return mergePatch(live, patch);
  return strategicMerge(kind.schema, live, patch);
}

function reportUnknown(
  { fieldValidation }: WriteOptions,
  problems: readonly string[],
  shown: string,
  warnings: string[],
): void {
  if (problems.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') throw invalidPatch(shown, strictProblem(problems));
  warnings.push(...problems);
}

function decodePatched(
  kind: ServedKind,
  result: JsonObject,
  type: string,
  shown: string,
): ReturnType<typeof readFields> {
  try {
    return readFields(kind, result);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalidPatch(shown, type === STRATEGIC_MERGE ? conversionProblem(error) : error.message);
  }
}

function invalidPatch(shown: string, problem: string): RequestFailure {
  return invalid('', '', '', [invalidValue('patch', shown, problem)]);
}

/** A strategic merge is decoded by another part of the server, which has its own words. */
function conversionProblem({ message, mismatch }: DecodeError): string {
  if (mismatch === undefined)
    return message.startsWith('illegal base64') ? `error decoding from json: ${message}` : message;
  const given = goKind(mismatch.given);
  if (mismatch.type.startsWith('[]')) return `cannot restore slice from ${given}`;
  if (mismatch.type.startsWith('map[')) return `cannot restore map from ${given}`;
  if (mismatch.type.startsWith('v1.')) return `cannot restore struct from: ${given}`;
  if (mismatch.type === 'bool') return 'unrecognized type: bool';
  return `cannot convert ${given} to ${mismatch.type}`;
}

function goKind(value: Json): string {
  if (isJsonList(value)) return 'slice';
  if (isJsonObject(value)) return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

function decodeApplied(kind: ServedKind, object: JsonObject, metadata: JsonObject): KubeObject {
  try {
    return readFields(kind, object).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const { group, version } = kind;
    const type = `${group}/${version}, Kind=${kind.kind}`;
    const what = `${textOf(metadata.namespace)}/${textOf(metadata.name)}; ${type}`;
    const problem = `unable to convert unstructured object to ${type}: ${conversionProblem(error)}`;
    const message = `failed to convert new object (${what}) to proper version: ${problem}`;
    throw new RequestFailure({ code: 500, reason: '', message });
  }
}

function applied(
  state: ServerState,
  target: UpdateTarget,
  live: KubeObject | undefined,
  configuration: JsonObject,
): KubeObject {
  const { kind, subresource, options } = target;
  const { manager, force } = options;
  const identity = { manager, subresource, now: nowText(state), ignored: rulesOf(target).ignored };
  const { object, owners } = applyTo(kind, live, configuration, identity, force);
  if (object === undefined && live !== undefined) return withOwners(live, owners);
  const header = { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  const decoded = decodeApplied(kind, { ...header, ...object }, objectOf(configuration.metadata));
  const complete = withOwners(kind.defaults(decoded), owners);
  if (live === undefined) return withMetadata(complete, { resourceVersion: undefined });
  return asKubeObject(shareUnchangedFields(live, complete));
}
