import type { JsonObject } from '@fairlead/sim/kube/contract';

/** A kind of custom resource with all that a schema can ask for, in two versions of which the first is stored. */
export const BERTHS = { group: 'fuzz.fairlead.dev', plural: 'berths', kind: 'Berth' };

const SPEC: Record<string, JsonObject> = {
  size: { type: 'integer', minimum: 1, maximum: 10 },
  color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
  name: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 5 },
  ratio: { type: 'number', multipleOf: 0.5, exclusiveMinimum: true, minimum: 0 },
  port: { 'x-kubernetes-int-or-string': true },
  tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', minItems: 1 },
  rules: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['id'],
    items: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string' }, weight: { type: 'integer', default: 5 } },
    },
  },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  maybe: { type: 'string', nullable: true },
  nested: { type: 'object', default: {}, properties: { deep: { type: 'boolean', default: true } } },
  replicas: { type: 'integer' },
};

const STATUS = {
  type: 'object',
  properties: { state: { type: 'string' }, count: { type: 'integer' }, replicas: { type: 'integer' } },
};

function version(name: string, storage: boolean, spec: Record<string, JsonObject>): JsonObject {
  return {
    name,
    served: true,
    storage,
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    },
    schema: {
      openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec }, status: STATUS } },
    },
  };
}

/** The versions know fields that the other does not, and default the same field to other values. */
export const DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${BERTHS.plural}.${BERTHS.group}` },
  spec: {
    group: BERTHS.group,
    scope: 'Namespaced',
    names: { plural: BERTHS.plural, kind: BERTHS.kind },
    versions: [
      version('v1', true, { ...SPEC, old: { type: 'string', default: 'v1' } }),
      version('v2', false, { ...SPEC, fresh: { type: 'string', default: 'v2' } }),
    ],
  },
};
