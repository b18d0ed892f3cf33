import { changedItems, isJsonList, isJsonObject, type Json, type JsonDraft, type JsonObject } from '../../json.ts';
import { asKubeObject, type KubeObject } from '../object.ts';
import { type FieldSchema, inOrderOf, type Schema, type StructSchema } from './schema.ts';

/** The object with every default that its schema knows. Parts that need none are shared. */
export function withSchemaDefaults(schema: StructSchema, object: KubeObject): KubeObject {
  const { kind, apiVersion, ...fields } = object;
  const defaulted = structDefaults(schema, fields);
  return defaulted === fields ? object : asKubeObject({ kind, apiVersion, ...defaulted });
}

function defaultsIn(schema: Schema, value: Json): Json {
  if (!mayDefault(schema)) return value;
  switch (schema.shape) {
    case 'struct':
      return isJsonObject(value) ? structDefaults(schema, value) : value;
    case 'list':
      return isJsonList(value) ? changedItems(value, (item) => defaultsIn(schema.items, item)) : value;
    case 'map':
      return isJsonObject(value) ? changedFields(value, (item) => defaultsIn(schema.values, item)) : value;
    case 'scalar':
    case 'untyped':
      return value;
  }
}

/** What needs no defaults: most parts of an object are the same as in its last version. */
const complete = new WeakSet<JsonObject>();

function structDefaults(schema: StructSchema, value: JsonObject): JsonObject {
  if (complete.has(value)) return value;
  let changed: JsonDraft | undefined;
  for (const [name, field] of schema.fields) {
    const current = value[name] ?? defaultOf(field);
    if (current === undefined) continue;
    const defaulted = defaultsIn(field.schema, current);
    if (defaulted === value[name]) continue;
    changed ??= { ...value };
    changed[name] = defaulted;
  }
  const result = changed === undefined ? value : inOrderOf(schema, changed);
  complete.add(result);
  return result;
}

function changedFields(object: JsonObject, change: (item: Json) => Json): JsonObject {
  const results = Object.entries(object).map(([name, item]): [string, Json] => [name, change(item)]);
  return results.every(([name, item]) => item === object[name]) ? object : Object.fromEntries(results);
}

const known = new WeakMap<Schema, boolean>();

/** True when something within may be defaulted. */
function mayDefault(schema: Schema): boolean {
  let answer = known.get(schema);
  if (answer === undefined) {
    answer = findDefault(schema);
    known.set(schema, answer);
  }
  return answer;
}

function findDefault(schema: Schema): boolean {
  switch (schema.shape) {
    case 'struct':
      return [...schema.fields.values()].some((field) => defaultOf(field) !== undefined || mayDefault(field.schema));
    case 'list':
      return mayDefault(schema.items);
    case 'map':
      return mayDefault(schema.values);
    case 'scalar':
    case 'untyped':
      return false;
  }
}

/** An empty text is no default where it would not be written. */
function defaultOf({ presence, default: value }: FieldSchema): Json | undefined {
  return value === '' && presence === 'omitEmpty' ? undefined : value;
}
