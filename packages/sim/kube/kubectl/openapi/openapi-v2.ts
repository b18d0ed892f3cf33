import { isJsonObject, type Json, type JsonDraft, type JsonObject, listOf, objectOf, textOf } from '../../../json.ts';

const V3_REFERENCE = '#/components/schemas/';
const V2_REFERENCE = '#/definitions/';
/** What OpenAPI 2 has no word for, or what kubectl does not read there. */
const DROPPED = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable', 'default', 'enum', 'x-kubernetes-validations']);

/** Definitions of OpenAPI 3 in version 2, from which kubectl validates lists and what it does not know. */
export function definitionsV2(schemas: JsonObject): JsonObject {
  return eachSchema(schemas);
}

function eachSchema(schemas: JsonObject): JsonObject {
  const entries = Object.entries(schemas).map(([name, schema]): [string, Json] => [name, schemaV2(objectOf(schema))]);
  return Object.fromEntries(entries);
}

function schemaV2(schema: JsonObject): JsonObject {
  const description = typeof schema.description === 'string' ? { description: schema.description } : {};
  const target = textOf(schema.$ref) || textOf(objectOf(listOf(schema.allOf)[0]).$ref);
  if (target !== '') return { ...description, $ref: target.replace(V3_REFERENCE, V2_REFERENCE) };
  if (schema.format === 'int-or-string') return { ...description, type: 'string', format: 'int-or-string' };
  if ('oneOf' in schema) return { ...description, type: 'string' };
  if (allowsAnything(schema)) return { ...description, ...extensionsOf(schema) };
  const result: JsonDraft = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties') result[name] = eachSchema(objectOf(value));
    else if (name === 'items') result[name] = schemaV2(objectOf(value));
    else if (name === 'additionalProperties' && isJsonObject(value)) result[name] = schemaV2(value);
    else if (!DROPPED.has(name)) result[name] = value;
  }
  return result;
}

/** A reader of version 2 would refuse what these let through. */
function allowsAnything(schema: JsonObject): boolean {
  const flags = ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-int-or-string', 'nullable'];
  return flags.some((flag) => schema[flag] === true);
}

function extensionsOf(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name.startsWith('x-')));
}
