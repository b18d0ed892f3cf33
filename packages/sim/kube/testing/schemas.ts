import type { FieldSchema, ListSchema, MapSchema, Schema, StructSchema } from '../schema/schema.ts';

/** Fields are written in the order given here; a bare schema means `omitEmpty`, and `optional` for a struct. */
export function struct(name: string, fields: Readonly<Record<string, Schema | FieldSchema>>): StructSchema {
  const entries = Object.entries(fields).map(([field, value]): [string, FieldSchema] => [field, fieldOf(value)]);
  return { shape: 'struct', name, fields: new Map(entries), atomic: false };
}

function fieldOf(value: Schema | FieldSchema): FieldSchema {
  if ('presence' in value) return value;
  return { schema: value, presence: value.shape === 'struct' ? 'optional' : 'omitEmpty' };
}

export function map(values: Schema): MapSchema {
  return { shape: 'map', values, atomic: false };
}

type PatchMerge = { readonly patchMerge?: true | string; readonly retainKeys?: boolean };

/** Replaced as a whole. */
export function list(items: Schema, patch: PatchMerge = {}): ListSchema {
  return listSchema(items, 'atomic', patch);
}

/** A list of different scalars. */
export function listSet(items: Schema, patch: PatchMerge = {}): ListSchema {
  return listSchema(items, 'set', patch);
}

/** A list of objects that are told apart by these fields. */
export function listMap(items: Schema, keys: readonly string[], patch: PatchMerge = {}): ListSchema {
  return listSchema(items, keys, patch);
}

function listSchema(items: Schema, identity: ListSchema['identity'], patch: PatchMerge): ListSchema {
  const { patchMerge = false, retainKeys = false } = patch;
  return { shape: 'list', items, identity, patchMerge, retainKeys };
}

/** Written even if it was not given. */
export function always(value: Schema | FieldSchema): FieldSchema {
  return { ...fieldOf(value), presence: 'always' };
}

/** A zero value is kept. */
export function optional(value: Schema | FieldSchema): FieldSchema {
  return { ...fieldOf(value), presence: 'optional' };
}
