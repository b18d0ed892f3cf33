import { TYPES } from '../../../schema/generated.ts';
import type { GeneratedType } from '../../../schema/generated-type.ts';
import type { StructSchema } from '../../../schema/schema.ts';

/** Which field a number stands for: its name in JSON, or a message whose fields JSON writes in place. */
export type NumberedFields = Map<number, string | NumberedFields>;

const types: Readonly<Record<string, GeneratedType>> = TYPES;
const made = new WeakMap<StructSchema, NumberedFields>();

/** The fields of a type by their numbers in Kubernetes' protobuf encoding. */
export function numberedFields(schema: StructSchema): NumberedFields {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const numbered: NumberedFields = new Map();
  for (const [name, { number }] of Object.entries(types[schema.fullName ?? '']?.fields ?? {})) {
    place(numbered, name, typeof number === 'number' ? [number] : number);
  }
  made.set(schema, numbered);
  return numbered;
}

function place(fields: NumberedFields, name: string, [first = 0, ...rest]: readonly number[]): void {
  if (rest.length === 0) {
    fields.set(first, name);
    return;
  }
  const known = fields.get(first);
  const inner: NumberedFields = known instanceof Map ? known : new Map();
  fields.set(first, inner);
  place(inner, name, rest);
}
