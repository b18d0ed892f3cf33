import { isJsonObject, type JsonObject, textOf } from '../../../json.ts';
import { badRequest, type RequestFailure } from '../../failure.ts';
import { apiVersionOf, type ServedKind } from '../../kinds/kind.ts';
import type { KubeObject } from '../../object.ts';
import { asKubeObject } from '../../object.ts';
import { DecodeError } from '../../schema/decode.ts';
import { quote } from '../../schema/formats.ts';
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
  if (!isJsonObject(parsed.value)) {
    const target =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    const problem = `json: cannot unmarshal array into Go value of type ${target}`;
    throw badRequest(
      `${unrecognized}: couldn't get version/kind; json parse error: ${problem} (${Buffer.from(text).toString('hex')})`,
    );
  }
  checkKind(kind, parsed.value, text, unrecognized);
  const { object, unknownFields } = decodeFields(kind, parsed.value);
  reportUnknown(kind, unknownFields, validation, warnings);
  return kind.defaults(object);
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
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const complete = { ...object, metadata: { ...metadata, name: textOf(metadata.name) } };
  const header = { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  return { object: asKubeObject({ ...header, ...complete }), unknownFields };
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
    return;
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
