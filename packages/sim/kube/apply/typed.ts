import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from '../../json.ts';
import { zeroOf } from '../schema/decode.ts';
import type { ListSchema, Schema } from '../schema/schema.ts';

/** How server-side apply looks at a value: as one piece, as named parts, or as items it can tell apart. */
export type View =
  | { readonly as: 'leaf' }
  | { readonly as: 'fields'; readonly schemaOf: (name: string) => Schema | undefined }
  | { readonly as: 'items'; readonly schema: ListSchema };

const LEAF: View = { as: 'leaf' };

/** `value` decides only where the schema does not. */
export function viewOf(schema: Schema, value: Json | undefined): View {
  switch (schema.shape) {
    case 'scalar':
      return LEAF;
    case 'untyped':
      return schema.atomic || !isJsonObject(value) ? LEAF : { as: 'fields', schemaOf: () => schema };
    case 'struct':
      if (schema.atomic) return LEAF;
      return { as: 'fields', schemaOf: (name) => schema.fields.get(name)?.schema ?? schema.others };
    case 'map':
      return schema.atomic ? LEAF : { as: 'fields', schemaOf: () => schema.values };
    case 'list':
      return schema.identity === 'atomic' ? LEAF : { as: 'items', schema };
  }
}

export function isEmptyValue(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (isJsonList(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Thrown where an object does not have the shape that its schema declares. */
export class ShapeError extends Error {
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** How an item of a list is named in a set of fields. */
export function itemElement(schema: ListSchema, item: Json, index: number): string {
  if (schema.identity === 'set') return setElement(item, index);
  if (!isJsonObject(item)) {
    const what = item === null ? 'a null element' : 'non-map elements';
    throw new ShapeError('', `element ${index}: associative list with keys may not have ${what}`);
  }
  const keys = keyNames(schema);
  const pairs: [string, Json][] = [];
  for (const key of keys) {
    const value = item[key] ?? keyDefault(schema, key);
    if (value !== undefined) pairs.push([key, value]);
  }
  if (pairs.length === 0) {
    const names = `[${keys.map((key) => JSON.stringify(key)).join(' ')}]`;
    const why = `omits all key fields ${names} (and doesn't have default values for any key fields)`;
    throw new ShapeError('', `element ${index}: associative list with keys has an element that ${why}`);
  }
  return `k:${JSON.stringify(Object.fromEntries(pairs))}`;
}

function setElement(item: Json, index: number): string {
  if (item !== null && typeof item !== 'object') return `v:${JSON.stringify(item)}`;
  const what = item === null ? 'an explicit null' : 'a map type';
  throw new ShapeError('', `element ${index}: associative list without keys has an element that's ${what}`);
}

const sortedKeys = new WeakMap<ListSchema, readonly string[]>();

function keyNames(schema: ListSchema): readonly string[] {
  const known = sortedKeys.get(schema);
  if (known !== undefined) return known;
  const names = typeof schema.identity === 'string' ? [] : [...schema.identity].sort();
  sortedKeys.set(schema, names);
  return names;
}

/** In the OpenAPI of built-in kinds, the zero value is the default of what is always written. */
function keyDefault(schema: ListSchema, key: string): Json | undefined {
  const field = schema.items.shape === 'struct' ? schema.items.fields.get(key) : undefined;
  return field?.presence === 'always' ? zeroOf(field.schema) : field?.default;
}

/** Items by the element that names them; those that share one stand together. */
export function itemsByElement(schema: ListSchema, items: JsonList): ReadonlyMap<string, JsonList> {
  const byElement = new Map<string, Json[]>();
  items.forEach((item, index) => {
    const element = itemElement(schema, item, index);
    const group = byElement.get(element);
    if (group === undefined) byElement.set(element, [item]);
    else group.push(item);
  });
  return byElement;
}

/** The fields of an object, or none. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
