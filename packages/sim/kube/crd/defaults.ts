import { isJsonList, isJsonObject, type Json, type JsonDraft, type JsonObject, setField } from '../../json.ts';
import type { Structural } from './structural.ts';

/** Fills in defaults. Null in place of a value that may not be null counts as no value. */
export function withDefaults(schema: Structural, object: JsonObject): JsonObject {
  const result: JsonDraft = { ...object };
  for (const [name, inner] of schema.properties) {
    if (result[name] === null && !inner.nullable) delete result[name];
    if (result[name] === undefined && inner.default !== undefined) result[name] = inner.default;
    const value = result[name];
    if (value !== undefined) result[name] = defaultsIn(inner, value);
  }
  const { additional } = schema;
  if (additional === undefined || additional === 'anything') return result;
  for (const [name, value] of Object.entries(result)) {
    if (!schema.properties.has(name)) setField(result, name, defaultsIn(additional, value));
  }
  return result;
}

function defaultsIn(schema: Structural, value: Json): Json {
  if (isJsonObject(value)) return withDefaults(schema, value);
  const { items } = schema;
  if (!isJsonList(value) || items === undefined) return value;
  return value.map((item) => defaultsIn(items, item));
}
