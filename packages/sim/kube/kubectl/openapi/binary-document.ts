import { isJsonObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../../../json.ts';

const encoder = new TextEncoder();
const LENGTH_DELIMITED = 2;

/** A document of OpenAPI 2 in the binary form in which kubectl asks for it: its schemas, and no paths. */
export function binaryDocument(title: string, version: string, definitions: JsonObject): Uint8Array {
  return joined([
    textField(1, '2.0'),
    field(2, joined([textField(1, title), textField(2, version)])),
    field(8, new Uint8Array()),
    field(9, namedSchemas(definitions)),
  ]);
}

function namedSchemas(schemas: JsonObject): Uint8Array {
  const entries = Object.entries(schemas).map(([name, schema]) =>
    field(1, joined([textField(1, name), field(2, schemaBytes(objectOf(schema)))])),
  );
  return joined(entries);
}

function schemaBytes(schema: JsonObject): Uint8Array {
  const { $ref, format, description, required, additionalProperties, type, items, properties } = schema;
  const extensions = Object.entries(schema).filter(([name]) => name.startsWith('x-'));
  return joined([
    ...optionalText(1, $ref),
    ...optionalText(2, format),
    ...optionalText(4, description),
    ...listOf(required).map((name) => textField(19, textOf(name))),
    ...(isJsonObject(additionalProperties) ? [field(21, field(1, schemaBytes(additionalProperties)))] : []),
    ...(typeof type === 'string' ? [field(22, textField(1, type))] : []),
    ...(isJsonObject(items) ? [field(23, field(1, schemaBytes(items)))] : []),
    ...(isJsonObject(properties) ? [field(25, namedSchemas(properties))] : []),
    ...extensions.map(([name, value]) => field(31, joined([textField(1, name), field(2, anyBytes(value))]))),
  ]);
}

/** Any value travels as YAML, which JSON is too. */
function anyBytes(value: Json): Uint8Array {
  return textField(2, JSON.stringify(value));
}

function optionalText(number: number, value: Json | undefined): readonly Uint8Array[] {
  return typeof value === 'string' ? [textField(number, value)] : [];
}

function textField(number: number, text: string): Uint8Array {
  return field(number, encoder.encode(text));
}

function field(number: number, content: Uint8Array): Uint8Array {
  return joined([varint(number * 8 + LENGTH_DELIMITED), varint(content.length), content]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  return Uint8Array.from([...bytes, rest]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}
