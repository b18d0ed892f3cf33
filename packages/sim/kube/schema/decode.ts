import {
  fieldOf,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonDraft,
  type JsonObject,
  setField,
  spellingOf,
} from '../../json.ts';
import { type Formatted, formatBytes, formatMicroTime, formatQuantity, formatTime } from './formats.ts';
import type { ListSchema, MapSchema, ScalarType, Schema, StructSchema } from './schema.ts';

export interface Decoded {
  /** In the order and form in which the API writes it, without what the schema does not know. */
  readonly object: JsonObject;
  /** Paths of fields the schema does not know, in the order in which they were found. */
  readonly unknownFields: readonly string[];
}

/** A value that does not fit its place, in the words of the real server. */
export class DecodeError extends Error {
  /** What was given where which Go type belongs; undefined when the value has the right type but a wrong form. */
  readonly mismatch: { readonly given: Json; readonly type: string } | undefined;

  constructor(message: string, mismatch?: { readonly given: Json; readonly type: string }) {
    super(message);
    this.mismatch = mismatch;
  }
}

/** Reads an object of a built-in kind. Throws a DecodeError at the first value of the wrong type. */
export function decodeObject(schema: StructSchema, value: JsonObject): Decoded {
  const reader = new Reader();
  return { object: reader.struct(schema, value, '', ''), unknownFields: reader.unknownFields };
}

class Reader {
  readonly unknownFields: string[] = [];

  struct(schema: StructSchema, value: JsonObject, path: string, location: string): JsonObject {
    const known: JsonDraft = {};
    for (const [name, item] of Object.entries(value)) {
      const field = schema.fields.get(name);
      if (field === undefined) {
        this.unknownFields.push(join(location, name));
        continue;
      }
      if (item === null) continue;
      const inner = { owner: schema.name, path: join(path, name) };
      checkSpelling(field.schema, spellingOf(value, name), inner);
      const read = this.#read(field.schema, item, inner, join(location, name));
      if (field.presence === 'omitEmpty' && isZero(read)) continue;
      known[name] = read;
    }
    return inSchemaOrder(schema, known);
  }

  #read(schema: Schema, value: Json, place: Place, location: string): Json {
    switch (schema.shape) {
      case 'scalar':
        return readScalar(schema.type, value, place);
      case 'untyped':
        return value;
      case 'struct':
        if (!isJsonObject(value)) throw mismatch(value, place, schema);
        return this.struct(schema, value, place.path, location);
      case 'map':
        if (!isJsonObject(value)) throw mismatch(value, place, schema);
        return this.#map(schema, value, place, location);
      case 'list':
        if (!isJsonList(value)) throw mismatch(value, place, schema);
        return value.map((item, index) => this.#item(schema.items, item, place, `${location}[${index}]`));
    }
  }

  #map(schema: MapSchema, value: JsonObject, place: Place, location: string): JsonObject {
    const result: JsonDraft = {};
    for (const name of Object.keys(value).sort()) {
      setField(result, name, this.#item(schema.values, fieldOf(value, name) ?? null, place, join(location, name)));
    }
    return result;
  }

  #item(schema: Schema, value: Json, place: Place, location: string): Json {
    return this.#read(schema, value ?? zeroOf(schema), place, location);
  }
}

interface Place {
  /** The name of the type that has the field. */
  readonly owner: string;
  readonly path: string;
}

function join(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`;
}

/** Adds what is always written, and puts everything into the order of the schema. */
function inSchemaOrder(schema: StructSchema, known: JsonObject): JsonObject {
  const ordered: JsonDraft = {};
  for (const [name, field] of schema.fields) {
    const value = known[name];
    if (value !== undefined) ordered[name] = value;
    else if (field.presence === 'always') ordered[name] = zeroOf(field.schema);
    else if (field.presence === 'nullable') ordered[name] = null;
  }
  return ordered;
}

/** The value of something that was not set. */
export function zeroOf(schema: Schema): Json {
  switch (schema.shape) {
    case 'struct':
      return inSchemaOrder(schema, {});
    case 'list':
    case 'map':
    case 'untyped':
      return null;
    case 'scalar':
      return zeroScalar(schema.type);
  }
}

function zeroScalar(type: ScalarType): Json {
  switch (type) {
    case 'boolean':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    case 'text':
      return '';
    case 'quantity':
      return '0';
    case 'bytes':
    case 'time':
    case 'microTime':
      return null;
  }
}

function isZero(value: Json): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true;
  if (isJsonList(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

const INT32_LIMIT = 2 ** 31;

function readScalar(type: ScalarType, value: Json, place: Place): Json {
  switch (type) {
    case 'text':
      return typeof value === 'string' ? value : fail(value, place, 'string');
    case 'boolean':
      return typeof value === 'boolean' ? value : fail(value, place, 'bool');
    case 'double':
      return typeof value === 'number' ? value : fail(value, place, 'float64');
    case 'int32':
      return integer(value, place, 'int32');
    case 'int64':
      return integer(value, place, 'int64');
    case 'intOrString':
      return typeof value === 'string' ? value : integer(value, place, 'int32');
    case 'quantity':
      return formatted(formatQuantity, typeof value === 'number' ? String(value) : value, place);
    case 'bytes':
      return formatted(formatBytes, isByteList(value) ? Buffer.from(value).toString('base64') : (value ?? ''), place);
    case 'time':
      return value === null ? null : formatted(formatTime, value, place);
    case 'microTime':
      return value === null ? null : formatted(formatMicroTime, value, place);
  }
}

/** A whole number has no fraction and no exponent, whatever its value. */
function checkSpelling(schema: Schema, spelling: string | undefined, place: Place): void {
  if (spelling === undefined || schema.shape !== 'scalar') return;
  const type = schema.type === 'intOrString' ? 'int32' : schema.type;
  if (type === 'int32' || type === 'int64') throw unfitNumber(spelling, place, type);
}

function unfitNumber(spelling: string, place: Place, type: string): DecodeError {
  const message = `json: cannot unmarshal number ${spelling} into Go struct field ${where(place)} of type ${type}`;
  return new DecodeError(message, { given: Number(spelling), type });
}

function integer(value: Json, place: Place, type: 'int32' | 'int64'): Json {
  if (typeof value !== 'number') return fail(value, place, type);
  const tooLarge = type === 'int32' && (value >= INT32_LIMIT || value < -INT32_LIMIT);
  if (!Number.isInteger(value) || tooLarge) throw unfitNumber(String(value), place, type);
  return value;
}

/** Go takes bytes as numbers, too. */
function isByteList(value: Json): value is number[] {
  return (
    isJsonList(value) &&
    value.every((item) => typeof item === 'number' && Number.isInteger(item) && item >= 0 && item < 256)
  );
}

function formatted(format: (text: string) => Formatted, value: Json, place: Place): Json {
  if (typeof value !== 'string') return fail(value, place, 'string');
  const result = format(value);
  if ('problem' in result) throw new DecodeError(result.problem);
  return result.value;
}

function fail(value: Json, place: Place, type: string): never {
  throw unfit(value, place, type);
}

function mismatch(value: Json, place: Place, schema: StructSchema | MapSchema | ListSchema): DecodeError {
  return unfit(value, place, typeName(schema));
}

function unfit(given: Json, place: Place, type: string): DecodeError {
  const message = `json: cannot unmarshal ${goKind(given)} into Go struct field ${where(place)} of type ${type}`;
  return new DecodeError(message, { given, type });
}

function where(place: Place): string {
  return `${place.owner}.${place.path}`;
}

/** What Go's decoder calls it. */
export function goKind(value: Json): string {
  if (isJsonList(value)) return 'array';
  if (value === null) return 'null';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

const GO_SCALARS: Readonly<Record<ScalarType, string>> = {
  text: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  bytes: '[]uint8',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
};

function typeName(schema: Schema): string {
  switch (schema.shape) {
    case 'scalar':
      return GO_SCALARS[schema.type];
    case 'struct':
      return `v1.${schema.name}`;
    case 'map':
      return `map[string]${typeName(schema.values)}`;
    case 'list':
      return `[]${typeName(schema.items)}`;
    case 'untyped':
      return 'interface {}';
  }
}
