import type { Json } from '../../json.ts';
import type { FieldSchema, ListSchema, MapSchema } from './schema.ts';

/** A type as `e2e/cluster/schemas` prints it. What most have is left out. */
export interface GeneratedType {
  /** Owned and replaced as a whole by server-side apply. */
  readonly atomic?: true;
  /** The fields that a client has to give. */
  readonly required?: readonly string[];
  readonly fields: Readonly<Record<string, GeneratedField>>;
}

interface GeneratedField {
  readonly of: GeneratedValue;
  /** `omitEmpty` where it is not given. */
  readonly presence?: FieldSchema['presence'];
  readonly default?: Json;
  readonly retainKeys?: true;
  /** In the protobuf encoding: the numbers that lead to it, where that nests what JSON writes in place. */
  readonly number: number | readonly number[];
}

/** A scalar or another type by its name, or a list or map of them. */
export type GeneratedValue =
  | string
  | ({ readonly list: GeneratedValue } & Partial<Pick<ListSchema, 'identity' | 'patchMerge' | 'retainKeys'>>)
  | ({ readonly map: GeneratedValue } & Partial<Pick<MapSchema, 'atomic'>>);
