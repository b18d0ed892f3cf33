import type { JsonDraft, JsonObject } from '../../../json.ts';
import type { FieldSchema, ListSchema, MapSchema, ScalarType, Schema, StructSchema } from '../../schema/schema.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Types that are known by their names. */
export const WELL_KNOWN = {
  fields: `${META}.FieldsV1`,
  intOrString: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  jsonSchema: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps',
  listMeta: `${META}.ListMeta`,
  microTime: `${META}.MicroTime`,
  objectMeta: `${META}.ObjectMeta`,
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  time: `${META}.Time`,
} as const;

export function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

const SCALARS: Readonly<Record<Exclude<ScalarType, keyof typeof NAMED_SCALARS>, JsonObject>> = {
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

/** Scalars whose type has a name of its own. */
const NAMED_SCALARS = {
  time: WELL_KNOWN.time,
  microTime: WELL_KNOWN.microTime,
  quantity: WELL_KNOWN.quantity,
  intOrString: WELL_KNOWN.intOrString,
} as const;

const RETAIN_KEYS = { 'x-kubernetes-patch-strategy': 'retainKeys' };

/** Types that no kind's schema holds. */
const SHARED: Readonly<Record<string, JsonObject>> = {
  [WELL_KNOWN.fields]: { type: 'object' },
  [WELL_KNOWN.intOrString]: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  [WELL_KNOWN.jsonSchema]: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  [WELL_KNOWN.listMeta]: {
    type: 'object',
    properties: {
      continue: { type: 'string' },
      remainingItemCount: { type: 'integer', format: 'int64' },
      resourceVersion: { type: 'string' },
      selfLink: { type: 'string' },
    },
  },
  [WELL_KNOWN.microTime]: { type: 'string', format: 'date-time' },
  [WELL_KNOWN.quantity]: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  [WELL_KNOWN.time]: { type: 'string', format: 'date-time' },
};

/** Writes schemas of built-in kinds as OpenAPI definitions, each type once. */
export class Definitions {
  readonly #written: JsonDraft = {};

  /** Every definition that was referred to. */
  get all(): JsonObject {
    return this.#written;
  }

  /** Defines a type, and all that it holds; returns its name. */
  define(schema: StructSchema): string {
    const { fullName: name = schema.name, required = [] } = schema;
    if (name in this.#written) return name;
    this.#written[name] = {};
    const properties = [...schema.fields].map(([name, field]) => [name, this.#field(name, field)]);
    this.#written[name] = {
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(schema.atomic && { 'x-kubernetes-map-type': 'atomic' }),
    };
    return name;
  }

  /** As `define`, for a type that is known by its name. */
  defineShared(name: string): string {
    this.#written[name] = SHARED[name] ?? {};
    return name;
  }

  #field(name: string, { schema, retainKeys = false }: FieldSchema): JsonObject {
    return { ...this.#property(name, schema), ...(retainKeys && RETAIN_KEYS) };
  }

  #property(name: string, schema: Schema): JsonObject {
    switch (schema.shape) {
      case 'scalar':
        return this.#scalar(schema.type);
      case 'struct':
        return { allOf: [reference(this.define(schema))] };
      case 'map':
        return this.#map(name, schema);
      case 'list':
        return this.#list(name, schema);
      case 'untyped':
        return this.#shared(name === 'fieldsV1' ? WELL_KNOWN.fields : WELL_KNOWN.jsonSchema);
    }
  }

  #scalar(type: ScalarType): JsonObject {
    switch (type) {
      case 'time':
      case 'microTime':
      case 'quantity':
      case 'intOrString':
        return this.#shared(NAMED_SCALARS[type]);
      case 'text':
      case 'boolean':
      case 'int32':
      case 'int64':
      case 'double':
      case 'bytes':
        return SCALARS[type];
    }
  }

  #shared(name: string): JsonObject {
    return { allOf: [reference(this.defineShared(name))] };
  }

  #map(name: string, { values, atomic }: MapSchema): JsonObject {
    return {
      type: 'object',
      additionalProperties: this.#property(name, values),
      ...(atomic && { 'x-kubernetes-map-type': 'atomic' }),
    };
  }

  #list(name: string, { items, identity, patchMerge, retainKeys }: ListSchema): JsonObject {
    const keyed = typeof identity === 'string' ? undefined : identity;
    return {
      type: 'array',
      items: this.#property(name, items),
      ...(keyed !== undefined && { 'x-kubernetes-list-map-keys': keyed }),
      'x-kubernetes-list-type': keyed === undefined ? identity : 'map',
      ...(typeof patchMerge === 'string' && { 'x-kubernetes-patch-merge-key': patchMerge }),
      ...(patchMerge !== false && { 'x-kubernetes-patch-strategy': retainKeys ? 'merge,retainKeys' : 'merge' }),
    };
  }
}
