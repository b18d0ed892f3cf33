import { isJsonList, isJsonObject, type Json, type JsonObject, objectOf, textOf, without } from '../../../json.ts';
import { badRequest, invalid, type RequestFailure } from '../../failure.ts';
import { apiVersionOf, type ServedKind } from '../../kinds/kind.ts';
import type { KubeObject } from '../../object.ts';
import { asKubeObject } from '../../object.ts';
import { DecodeError, goKind } from '../../schema/decode.ts';
import { quote } from '../../schema/formats.ts';
import { invalidValue } from '../../validation/field-problem.ts';
import type { Parsed } from '../body.ts';
import type { FieldValidation } from './write-options.ts';

/** The object in a body, with its defaults. */
export function decodeBody(
  kind: ServedKind,
  parsed: Parsed,
  text: string,
  validation: FieldValidation,
  warnings: string[],
): KubeObject {
  const unrecognized = `the object provided is unrecognized (must be of type ${kind.kind})`;
  if ('problem' in parsed) {
    const shown = text === '' ? '<empty>' : text;
    throw badRequest(`${unrecognized}: couldn't get version/kind; json parse error: ${parsed.problem} (${shown})`);
  }
  // Nothing is an object in which nothing is set.
  const value = parsed.value ?? {};
  if (!isJsonObject(value)) {
    const target =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    const problem = `json: cannot unmarshal ${goKind(value)} into Go value of type ${target}`;
    throw badRequest(
      `${unrecognized}: couldn't get version/kind; json parse error: ${problem} (${Buffer.from(text).toString('hex')})`,
    );
  }
  const field = untypedHeader(value);
  if (field !== undefined) {
    const problem = `json: cannot unmarshal ${goKind(value[field] ?? null)} into Go struct field .${field} of type string`;
    throw badRequest(`${unrecognized}: couldn't get version/kind; json parse error: ${problem} (${beginningOf(text)})`);
  }
  checkKind(kind, value, text, unrecognized);
  const { object, unknownFields } = decodeFields(kind, value);
  reportUnknown(kind, unknownFields, validation, warnings);
  return kind.defaults(object);
}

/** The field that should tell what this is, and does not in words. */
export function untypedHeader(value: JsonObject): 'apiVersion' | 'kind' | undefined {
  return (['apiVersion', 'kind'] as const).find((field) => typeof (value[field] ?? '') !== 'string');
}

const SHOWN_CHARACTERS = 30;

function beginningOf(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)} ...` : text;
}

interface DecodedObject {
  readonly object: KubeObject;
  readonly unknownFields: readonly string[];
}

/** Reads the fields of an object that is known to be of this kind. */
export function decodeFields(kind: ServedKind, value: JsonObject): DecodedObject {
  try {
    return readFields(kind, value);
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`${cannotHandle(kind, kind.version)}: ${error.message}`);
    throw error;
  }
}

/** As `decodeFields`; a value that does not fit is thrown as a DecodeError. */
export function readFields(kind: ServedKind, value: JsonObject): DecodedObject {
  const { apiVersion: _, kind: __, ...fields } = value;
  const { object, unknownFields } = kind.decode(fields);
  const metadata = without(objectOf(object.metadata), 'selfLink');
  const reset = isReset(fields.metadata) ? { managedFields: [] } : {};
  const complete = { ...object, metadata: { ...metadata, ...reset, name: textOf(metadata.name) } };
  const header = { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  return { object: asKubeObject({ ...header, ...complete }), unknownFields };
}

/** An empty record of owners is not the same as none: it clears the record. */
function isReset(metadata: Json | undefined): boolean {
  const given = objectOf(metadata).managedFields;
  return isJsonList(given) && given.length === 0;
}

function cannotHandle(kind: ServedKind, version: string, given = kind.kind): string {
  return `${given} in version "${version}" cannot be handled as a ${kind.kind}`;
}

function checkKind(kind: ServedKind, value: JsonObject, text: string, unrecognized: string): void {
  const givenKind = textOf(value.kind);
  const givenVersion = textOf(value.apiVersion);
  const expected = apiVersionOf(kind);
  if (kind.custom) {
    if (givenKind === '') throw badRequest(`${unrecognized}: Object 'Kind' is missing in '${text}' (${text})`);
    if (givenVersion !== expected) throw versionMismatch(givenVersion, expected);
    if (givenKind === kind.kind) return;
    const name = textOf(objectOf(value.metadata).name);
    throw invalid(kind.group, givenKind, name, [invalidValue('kind', givenKind, `must be ${kind.kind}`)]);
  }
  const sameKind = givenKind === '' || givenKind === kind.kind;
  const sameVersion = givenVersion === '' || givenVersion === expected;
  if (sameKind && sameVersion) return;
  const version = givenVersion.split('/').at(-1) ?? '';
  const shown = version === '' ? kind.version : version;
  const what = givenKind === '' ? kind.kind : givenKind;
  const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
  const unknown = quote(givenVersion === '' ? expected : givenVersion);
  const problem = `no kind ${quote(what)} is registered for version ${unknown} ${scheme}`;
  throw badRequest(`${cannotHandle(kind, shown, what)}: ${problem}`);
}

function versionMismatch(given: string, expected: string): RequestFailure {
  return badRequest(`the API version in the data (${given}) does not match the expected API version (${expected})`);
}

function reportUnknown(
  kind: ServedKind,
  unknownFields: readonly string[],
  validation: FieldValidation,
  warnings: string[],
): void {
  if (unknownFields.length === 0 || validation === 'Ignore') return;
  const problems = unknownFields.map((field) => `unknown field ${quote(field)}`);
  if (validation === 'Warn') warnings.push(...problems);
  else throw badRequest(`${cannotHandle(kind, kind.version)}: ${strictProblem(problems)}`);
}

export function strictProblem(problems: readonly string[]): string {
  return `strict decoding error: ${problems.join(', ')}`;
}
