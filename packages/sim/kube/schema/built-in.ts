import { TYPES } from './generated.ts';
import type { GeneratedType, GeneratedValue } from './generated-type.ts';
import {
  bool,
  bytes,
  double,
  type FieldSchema,
  int32,
  int64,
  intOrString,
  microTime,
  quantity,
  type Schema,
  type StructSchema,
  text,
  time,
  untyped,
  untypedGranular,
} from './schema.ts';
import { SERVER_DEFAULTS } from './server-defaults.ts';

/** The full name of a type of a built-in kind. */
export type TypeName = keyof typeof TYPES;

const SCALARS: Readonly<Record<string, Schema>> = {
  text,
  boolean: bool,
  int32,
  int64,
  double,
  bytes,
  time,
  microTime,
  quantity,
  intOrString,
  untyped,
  untypedGranular,
};

const types: Readonly<Record<string, GeneratedType>> = TYPES;
const made = new Map<string, StructSchema>();

/** The schema of a type of a built-in kind; the same one each time. */
export function builtInSchema(name: TypeName): StructSchema {
  return structOf(name);
}

export const objectMeta = builtInSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');

function structOf(fullName: string): StructSchema {
  const known = made.get(fullName);
  if (known !== undefined) return known;
  const type = types[fullName];
  if (type === undefined) throw new Error(`the type ${fullName} is not known`);
  const defaults = SERVER_DEFAULTS[fullName] ?? {};
  const fields = Object.entries(type.fields).map(([name, field]): [string, FieldSchema] => {
    const { presence = 'omitEmpty', retainKeys = false } = field;
    const value = defaults[name] ?? field.default;
    return [name, { schema: schemaOf(field.of), presence, retainKeys, ...(value !== undefined && { default: value }) }];
  });
  const schema: StructSchema = {
    shape: 'struct',
    name: fullName.slice(fullName.lastIndexOf('.') + 1),
    fullName,
    required: type.required ?? [],
    fields: new Map(fields),
    atomic: type.atomic ?? false,
  };
  made.set(fullName, schema);
  return schema;
}

function schemaOf(value: GeneratedValue): Schema {
  if (typeof value === 'string') return SCALARS[value] ?? structOf(value);
  if ('map' in value) return { shape: 'map', values: schemaOf(value.map), atomic: value.atomic ?? false };
  const { identity = 'atomic', patchMerge = false, retainKeys = false } = value;
  return { shape: 'list', items: schemaOf(value.list), identity, patchMerge, retainKeys };
}
