import type { JsonObject } from '../../json.ts';
import type { KubeObject } from '../object.ts';

export type DefinitionNames = {
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
};

export type DefinitionVersion = {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonObject };
  readonly subresources?: {
    readonly status?: JsonObject;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
};

export type DefinitionCondition = {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string | null;
  readonly reason?: string;
  readonly message?: string;
};

export type Definition = KubeObject & {
  readonly spec: {
    readonly group: string;
    readonly names: DefinitionNames;
    readonly scope: string;
    readonly versions: readonly DefinitionVersion[] | null;
    readonly conversion?: JsonObject & { readonly strategy: string };
  };
  readonly status: {
    readonly conditions: readonly DefinitionCondition[] | null;
    readonly acceptedNames: DefinitionNames;
    readonly storedVersions: readonly string[] | null;
  };
};

/** The decoder has made sure of the rest. */
export function isDefinition(object: KubeObject): object is Definition {
  return object.kind === 'CustomResourceDefinition' && object.apiVersion === 'apiextensions.k8s.io/v1';
}

export function asDefinition(object: KubeObject): Definition {
  if (isDefinition(object)) return object;
  throw new TypeError(`expected a CustomResourceDefinition, not a ${object.kind}`);
}

export function isEstablished({ status }: Definition): boolean {
  return status.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
}

/** The definition with a condition set; it keeps its time while its status stays the same. */
export function withCondition(definition: Definition, condition: DefinitionCondition): Definition {
  const conditions = definition.status.conditions ?? [];
  const before = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime =
    before?.status === condition.status ? before.lastTransitionTime : condition.lastTransitionTime;
  const next = { ...condition, lastTransitionTime };
  const rest = conditions.filter(({ type }) => type !== condition.type);
  return { ...definition, status: { ...definition.status, conditions: [...rest, next] } };
}
