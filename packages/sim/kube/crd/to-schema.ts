import { objectMeta } from '../schema/built-in.ts';
import {
  bool,
  double,
  type FieldSchema,
  type Schema,
  type StructSchema,
  text,
  untypedGranular,
} from '../schema/schema.ts';
import type { Structural } from './structural.ts';

/** What server-side apply needs to know about a custom resource. */
export function customSchema(kind: string, schema: Structural): StructSchema {
  const fields = new Map(fieldsOf(schema)).set('metadata', { schema: objectMeta, presence: 'always' });
  const others = schema.preserveUnknown ? { others: untypedGranular } : {};
  return { shape: 'struct', name: kind, fields, atomic: false, ...others };
}

function fieldsOf(schema: Structural): [string, FieldSchema][] {
  return [...schema.properties].map(([name, inner]) => [
    name,
    {
      schema: schemaOf(inner),
      presence: 'optional',
      ...(inner.default !== undefined && { default: inner.default }),
    },
  ]);
}

function schemaOf(schema: Structural): Schema {
  if (schema.intOrString) return untypedGranular;
  switch (schema.type) {
    case 'string':
      return text;
    case 'integer':
    case 'number':
      return double;
    case 'boolean':
      return bool;
    case 'array':
      return listOf(schema);
    default:
      return objectOf(schema);
  }
}

function listOf(schema: Structural): Schema {
  const items = schema.items === undefined ? untypedGranular : schemaOf(schema.items);
  const identity = schema.listType === 'map' ? schema.listKeys : schema.listType;
  return { shape: 'list', items, identity, patchMerge: false, retainKeys: false };
}

function objectOf(schema: Structural): Schema {
  const { additional, atomicMap, properties, preserveUnknown } = schema;
  if (properties.size > 0) {
    const others = preserveUnknown ? { others: untypedGranular } : {};
    return { shape: 'struct', name: '', fields: new Map(fieldsOf(schema)), atomic: atomicMap, ...others };
  }
  if (additional !== undefined) {
    const values = additional === 'anything' ? untypedGranular : schemaOf(additional);
    return { shape: 'map', values, atomic: atomicMap };
  }
  if (preserveUnknown) return { shape: 'untyped', atomic: atomicMap };
  return { shape: 'struct', name: '', fields: new Map(), atomic: atomicMap };
}
