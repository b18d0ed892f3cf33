import { isJsonObject, type Json, type JsonDraft, type JsonObject, objectOf } from '../../../json.ts';
import { reference, WELL_KNOWN } from './definitions.ts';
import { STANDARD_FIELDS } from './descriptions.ts';

const INT_OR_STRING = { anyOf: [{ type: 'integer' }, { type: 'string' }] };

/** The schema of a custom resource as documents publish it: with what every object has. */
export function customDefinition(schema: JsonObject): JsonObject {
  const published = publishedSchema(schema);
  const properties = { ...objectOf(published.properties), ...standardProperties() };
  return { ...published, type: 'object', properties };
}

/** The fields that every object has. */
export function standardProperties(): JsonObject {
  const { apiVersion, kind, metadata } = STANDARD_FIELDS;
  return {
    apiVersion: { description: apiVersion, type: 'string' },
    kind: { description: kind, type: 'string' },
    metadata: { description: metadata, allOf: [reference(WELL_KNOWN.objectMeta)] },
  };
}

function publishedSchema(schema: JsonObject): JsonObject {
  const result: JsonDraft = { ...schema };
  if (schema['x-kubernetes-int-or-string'] === true && !('anyOf' in schema) && !('allOf' in schema)) {
    Object.assign(result, INT_OR_STRING);
  }
  if (isJsonObject(schema.properties)) result.properties = eachSchema(schema.properties);
  if (isJsonObject(schema.items)) result.items = publishedSchema(schema.items);
  if (isJsonObject(schema.additionalProperties)) {
    result.additionalProperties = publishedSchema(schema.additionalProperties);
  }
  if (schema['x-kubernetes-embedded-resource'] === true) {
    result.properties = { ...objectOf(result.properties), ...standardProperties() };
  }
  return result;
}

function eachSchema(schemas: JsonObject): JsonObject {
  const entries = Object.entries(schemas).map(([name, inner]): [string, Json] => [
    name,
    publishedSchema(objectOf(inner)),
  ]);
  return Object.fromEntries(entries);
}
