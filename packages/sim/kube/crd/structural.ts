import { isJsonObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../../json.ts';

/** The OpenAPI schema of a custom resource, as far as a structural schema may go. CEL rules are not simulated. */
export interface Structural {
  readonly type: string;
  readonly format: string;
  readonly properties: ReadonlyMap<string, Structural>;
  /** What further names hold; undefined where there are none, 'anything' where nothing is said about them. */
  readonly additional: Structural | 'anything' | undefined;
  readonly items: Structural | undefined;
  readonly required: readonly string[];
  readonly enumeration: readonly Json[];
  readonly pattern: RegExp | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly allOf: readonly Structural[];
  readonly anyOf: readonly Structural[];
  readonly oneOf: readonly Structural[];
  readonly not: Structural | undefined;
  readonly nullable: boolean;
  readonly default: Json | undefined;
  readonly preserveUnknown: boolean;
  readonly embedded: boolean;
  readonly intOrString: boolean;
  readonly listType: 'atomic' | 'set' | 'map';
  readonly listKeys: readonly string[];
  readonly atomicMap: boolean;
}

/** Reads the schema of a version of a CustomResourceDefinition. */
export function readStructural(schema: JsonObject): Structural {
  const properties = Object.entries(objectOf(schema.properties)).map(([name, inner]): [string, Structural] => [
    name,
    readStructural(objectOf(inner)),
  ]);
  return {
    type: textOf(schema.type),
    format: textOf(schema.format),
    properties: new Map(properties),
    additional: readAdditional(schema.additionalProperties),
    items: optionalSchema(schema.items),
    required: listOf(schema.required).map(textOf),
    enumeration: listOf(schema.enum),
    pattern: typeof schema.pattern === 'string' ? new RegExp(schema.pattern, 'u') : undefined,
    minimum: numberOf(schema.minimum),
    maximum: numberOf(schema.maximum),
    exclusiveMinimum: schema.exclusiveMinimum === true,
    exclusiveMaximum: schema.exclusiveMaximum === true,
    multipleOf: numberOf(schema.multipleOf),
    minLength: numberOf(schema.minLength),
    maxLength: numberOf(schema.maxLength),
    minItems: numberOf(schema.minItems),
    maxItems: numberOf(schema.maxItems),
    uniqueItems: schema.uniqueItems === true,
    minProperties: numberOf(schema.minProperties),
    maxProperties: numberOf(schema.maxProperties),
    allOf: listOf(schema.allOf).map((inner) => readStructural(objectOf(inner))),
    anyOf: listOf(schema.anyOf).map((inner) => readStructural(objectOf(inner))),
    oneOf: listOf(schema.oneOf).map((inner) => readStructural(objectOf(inner))),
    not: optionalSchema(schema.not),
    nullable: schema.nullable === true,
    default: schema.default,
    preserveUnknown: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: schema['x-kubernetes-embedded-resource'] === true,
    intOrString: schema['x-kubernetes-int-or-string'] === true,
    listType: listTypeOf(schema['x-kubernetes-list-type']),
    listKeys: listOf(schema['x-kubernetes-list-map-keys']).map(textOf),
    atomicMap: schema['x-kubernetes-map-type'] === 'atomic',
  };
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function optionalSchema(value: Json | undefined): Structural | undefined {
  return isJsonObject(value) ? readStructural(value) : undefined;
}

function readAdditional(value: Json | undefined): Structural['additional'] {
  if (value === true) return 'anything';
  return optionalSchema(value);
}

function listTypeOf(value: Json | undefined): Structural['listType'] {
  return value === 'set' || value === 'map' ? value : 'atomic';
}
