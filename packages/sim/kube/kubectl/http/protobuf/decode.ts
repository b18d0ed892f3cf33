import { type Json, type JsonDraft, type JsonList, type JsonObject, objectOf, parseJson } from '../../../../json.ts';
import type { ListSchema, ScalarType, Schema, StructSchema } from '../../../schema/schema.ts';
import { type NumberedFields, numberedFields } from './field-numbers.ts';
import { readFields, readPacked, WireError, type WireField } from './wire.ts';

const decoder = new TextDecoder();

/** A message as JSON. Throws a WireError for what is no such message. */
export function decodeMessage(schema: StructSchema, message: Uint8Array): JsonObject {
  return decodeFields(schema, numberedFields(schema), message);
}

function decodeFields(schema: StructSchema, fields: NumberedFields, message: Uint8Array): JsonObject {
  const result: JsonDraft = {};
  for (const field of readFields(message)) {
    const found = fields.get(field.number);
    if (found instanceof Map) {
      Object.assign(result, decodeFields(schema, found, bytesOf(field)));
      continue;
    }
    const known = found === undefined ? undefined : schema.fields.get(found)?.schema;
    if (found !== undefined && known !== undefined) result[found] = joined(known, result[found], field);
  }
  return result;
}

/** What a field holds after one more piece of it was read: lists and maps arrive item by item. */
function joined(schema: Schema, before: Json | undefined, field: WireField): Json {
  switch (schema.shape) {
    case 'list': {
      const list: JsonList = Array.isArray(before) ? before : [];
      return [...list, ...itemsOf(schema, field)];
    }
    case 'map': {
      const entry = new Map([...readFields(bytesOf(field))].map((part) => [part.number, part]));
      const [key, value] = [entry.get(1), entry.get(2)];
      const name = key === undefined ? '' : decoder.decode(bytesOf(key));
      return { ...objectOf(before), [name]: value === undefined ? '' : valueOf(schema.values, value) };
    }
    case 'scalar':
    case 'struct':
    case 'untyped':
      return valueOf(schema, field);
  }
}

function itemsOf({ items }: ListSchema, field: WireField): JsonList {
  const numeric = items.shape === 'scalar' && (items.type === 'int32' || items.type === 'int64');
  if (!numeric || field.type !== 'bytes') return [valueOf(items, field)];
  return [...readPacked(field.value)].map(signed);
}

function valueOf(schema: Schema, field: WireField): Json {
  switch (schema.shape) {
    case 'scalar':
      return scalarOf(schema.type, field);
    case 'struct':
      return decodeMessage(schema, bytesOf(field));
    case 'untyped':
      return parseJson(decoder.decode(innerBytes(bytesOf(field), 1)));
    case 'list':
      // A list within a map is a message that holds nothing else.
      return [...readFields(bytesOf(field))].flatMap((item) => itemsOf(schema, item));
    case 'map':
      throw new WireError('a map cannot hold maps');
  }
}

function bytesOf(field: WireField): Uint8Array {
  if (field.type === 'bytes') return field.value;
  throw new WireError(`field ${field.number} is no text and no message`);
}

function scalarOf(type: ScalarType, field: WireField): Json {
  switch (type) {
    case 'text':
      return decoder.decode(bytesOf(field));
    case 'bytes':
      return Buffer.from(bytesOf(field)).toString('base64');
    case 'boolean':
      return integerOf(field) !== 0;
    case 'int32':
    case 'int64':
      return integerOf(field);
    case 'double':
      if (field.type === 'fixed64') return field.value.getFloat64(0, true);
      throw new WireError(`field ${field.number} is no number`);
    case 'time':
    case 'microTime':
      return timeOf(bytesOf(field));
    case 'quantity':
      return decoder.decode(innerBytes(bytesOf(field), 1));
    case 'intOrString':
      return intOrStringOf(bytesOf(field));
  }
}

function integerOf(field: WireField): number {
  if (field.type === 'varint') return signed(field.value);
  throw new WireError(`field ${field.number} is no integer`);
}

function signed(value: bigint): number {
  return Number(BigInt.asIntN(64, value));
}

function innerBytes(message: Uint8Array, number: number): Uint8Array {
  const field = [...readFields(message)].find((each) => each.number === number);
  return field === undefined ? new Uint8Array() : bytesOf(field);
}

/** Seconds and nanoseconds; a time that was never set is an empty message. */
function timeOf(message: Uint8Array): Json {
  const parts = new Map([...readFields(message)].map((field) => [field.number, integerOf(field)]));
  if (parts.size === 0) return null;
  const text = new Date((parts.get(1) ?? 0) * 1000).toISOString().slice(0, -'.000Z'.length);
  const micros = Math.floor((parts.get(2) ?? 0) / 1000);
  return micros === 0 ? `${text}Z` : `${text}.${String(micros).padStart(6, '0')}Z`;
}

/** 0 means that the number counts, 1 that the text does. */
function intOrStringOf(message: Uint8Array): Json {
  const fields = new Map([...readFields(message)].map((field) => [field.number, field]));
  const [kind, number, text] = [fields.get(1), fields.get(2), fields.get(3)];
  if (kind !== undefined && integerOf(kind) === 1) return text === undefined ? '' : decoder.decode(bytesOf(text));
  return number === undefined ? 0 : integerOf(number);
}
