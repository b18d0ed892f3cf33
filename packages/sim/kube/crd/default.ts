import { isJsonList, isJsonObject, type Json, type JsonDraft, type JsonObject } from '../json.ts';
import type { Structural } from './structural.ts';

/** Fills in defaults, also where null stands in place of a value that may not be null. */
export function withDefaults(schema: Structural, object: JsonObject): JsonObject {
  const result: JsonDraft = { ...object };
  for (const [name, inner] of schema.properties) {
    const current = result[name];
    const missing = current === undefined || (current === null && !inner.nullable && inner.default !== undefined);
    if (missing && inner.default !== undefined) result[name] = inner.default;
    const value = result[name];
    if (value !== undefined) result[name] = defaultsIn(inner, value);
  }
  const { additional } = schema;
  if (additional === undefined || additional === 'anything') return result;
  for (const [name, value] of Object.entries(result)) {
    if (!schema.properties.has(name)) result[name] = defaultsIn(additional, value);
  }
  return result;
}

function defaultsIn(schema: Structural, value: Json): Json {
  if (isJsonObject(value)) return withDefaults(schema, value);
  const { items } = schema;
  if (!isJsonList(value) || items === undefined) return value;
  return value.map((item) => defaultsIn(items, item));
}
