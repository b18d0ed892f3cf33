import type { Json, JsonDraft, JsonObject } from '../../json.ts';

/**
 * What is known about a place in an object. One description serves decoding, strategic merge and server-side
 * apply, for built-in kinds and, translated from their OpenAPI schema, for custom resources.
 */
export type Schema = ScalarSchema | StructSchema | MapSchema | ListSchema | UntypedSchema;

export type ScalarType =
  | 'text'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'quantity'
  | 'intOrString';

export interface ScalarSchema {
  readonly shape: 'scalar';
  readonly type: ScalarType;
}

/** An object with named fields. */
export interface StructSchema {
  readonly shape: 'struct';
  /** The name of the type as error messages spell it. */
  readonly name: string;
  /** The name under which its OpenAPI is published; none for what a custom resource holds. */
  readonly fullName?: string;
  /** The fields that a client has to give, as the OpenAPI says. */
  readonly required?: readonly string[];
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** Owned and replaced as a whole by server-side apply. */
  readonly atomic: boolean;
  /** What other fields hold, where other fields are allowed. */
  readonly others?: Schema;
}

/** An object whose names are data. */
export interface MapSchema {
  readonly shape: 'map';
  readonly values: Schema;
  readonly atomic: boolean;
}

export interface ListSchema {
  readonly shape: 'list';
  readonly items: Schema;
  /** How server-side apply tells items apart: not at all, by value, or by these fields. */
  readonly identity: 'atomic' | 'set' | readonly string[];
  /** How a strategic merge patch does: it replaces the list, adds values, or merges items that agree in this field. */
  readonly patchMerge: false | true | string;
  /** A strategic merge patch may name the fields of an item that survive. */
  readonly retainKeys: boolean;
}

/** Anything. Server-side apply owns it as a whole, or looks into objects but not into lists. */
export interface UntypedSchema {
  readonly shape: 'untyped';
  readonly atomic: boolean;
}

export interface FieldSchema {
  readonly schema: Schema;
  /**
   * - `omitEmpty`: a zero value is the same as none, and is not written.
   * - `optional`: none and a zero value are different things.
   * - `always`: written even if the client did not give it, as its zero value.
   * - `nullable`: the same, as null.
   */
  readonly presence: 'omitEmpty' | 'optional' | 'always' | 'nullable';
  /** The value that is assumed where none is given. */
  readonly default?: Json;
  /** A strategic merge patch may name the fields of this object that survive. */
  readonly retainKeys?: boolean;
}

const scalar = (type: ScalarType): ScalarSchema => ({ shape: 'scalar', type });

export const text = scalar('text');
export const bool = scalar('boolean');
export const int32 = scalar('int32');
export const int64 = scalar('int64');
export const double = scalar('double');
export const bytes = scalar('bytes');
export const time = scalar('time');
export const microTime = scalar('microTime');
export const quantity = scalar('quantity');
export const intOrString = scalar('intOrString');
export const untyped: UntypedSchema = { shape: 'untyped', atomic: true };
export const untypedGranular: UntypedSchema = { shape: 'untyped', atomic: false };

/** The fields that have a value, in the order in which they are written. */
export function inOrderOf(schema: StructSchema, fields: { readonly [name: string]: Json | undefined }): JsonObject {
  const ordered: JsonDraft = {};
  for (const name of schema.fields.keys()) {
    const value = fields[name];
    if (value !== undefined) ordered[name] = value;
  }
  return ordered;
}
