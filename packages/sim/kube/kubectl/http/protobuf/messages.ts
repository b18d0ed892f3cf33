import { customResourceDefinitions } from '../../../crd/kind.ts';
import { apiVersionOf } from '../../../kinds/kind.ts';
import { BUILT_IN_KINDS } from '../../../registry.ts';
import { builtInSchema } from '../../../schema/built-in.ts';
import type { StructSchema } from '../../../schema/schema.ts';

const deleteOptions = builtInSchema('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions');

const UNSTORED: readonly (readonly [apiVersion: string, schema: StructSchema])[] = [
  ['authentication.k8s.io/v1', builtInSchema('io.k8s.api.authentication.v1.SelfSubjectReview')],
  ['authorization.k8s.io/v1', builtInSchema('io.k8s.api.authorization.v1.SelfSubjectAccessReview')],
  ['authorization.k8s.io/v1', builtInSchema('io.k8s.api.authorization.v1.SubjectAccessReview')],
];

/** The schema within a definition has an encoding of its own, which is not simulated. */
const STORED = BUILT_IN_KINDS.filter((kind) => kind !== customResourceDefinitions);

/** What a body can hold, by its version and kind. */
const MESSAGES: ReadonlyMap<string, StructSchema> = new Map([
  ...STORED.map((kind) => [messageKey(apiVersionOf(kind), kind.kind), kind.schema] as const),
  ...UNSTORED.map(([apiVersion, schema]) => [messageKey(apiVersion, schema.name), schema] as const),
]);

function messageKey(apiVersion: string, kind: string): string {
  return `${apiVersion}/${kind}`;
}

/** How a body of this version and kind is to be read. */
export function messageSchema(apiVersion: string, kind: string): StructSchema | undefined {
  // Options belong to every version of every group.
  return kind === 'DeleteOptions' ? deleteOptions : MESSAGES.get(messageKey(apiVersion, kind));
}
