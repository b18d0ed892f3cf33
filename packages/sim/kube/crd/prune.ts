import { isJsonList, isJsonObject, type Json, type JsonDraft, type JsonObject, setField } from '../../json.ts';
import type { Structural } from './structural.ts';

/** Fields that every object has: its schema need not mention them. */
const ALWAYS_KNOWN = ['apiVersion', 'kind', 'metadata'];

export interface Pruned {
  readonly object: JsonObject;
  readonly unknownFields: readonly string[];
}

/** Drops what the schema does not specify. */
export function prune(schema: Structural, object: JsonObject): Pruned {
  const unknownFields: string[] = [];
  return { object: pruneObject(schema, object, '', unknownFields, true), unknownFields };
}

function pruneValue(schema: Structural, value: Json, path: string, unknown: string[]): Json {
  if (isJsonList(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    return value.map((item, index) => pruneValue(items, item, `${path}[${index}]`, unknown));
  }
  return isJsonObject(value) ? pruneObject(schema, value, path, unknown, schema.embedded) : value;
}

function pruneObject(
  schema: Structural,
  object: JsonObject,
  path: string,
  unknown: string[],
  isResource: boolean,
): JsonObject {
  const kept: JsonDraft = {};
  for (const [name, value] of Object.entries(object)) {
    const place = path === '' ? name : `${path}.${name}`;
    const inner = schema.properties.get(name) ?? schema.additional;
    if (isResource && ALWAYS_KNOWN.includes(name)) setField(kept, name, value);
    else if (inner === 'anything') setField(kept, name, value);
    else if (inner !== undefined) setField(kept, name, pruneValue(inner, value, place, unknown));
    else if (schema.preserveUnknown) setField(kept, name, value);
    else unknown.push(place);
  }
  return kept;
}
