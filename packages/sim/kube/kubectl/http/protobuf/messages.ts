import { apiVersionOf } from '../../../kinds/kind.ts';
import { objectMeta } from '../../../kinds/schemas/meta.ts';
import { typeNames } from '../../openapi/type-names.ts';
import { BUILT_IN_KINDS } from '../../../registry.ts';
import { always, bool, int64, list, optional, struct, type StructSchema, text } from '../../../schema/schema.ts';

const AUTHORIZATION = 'io.k8s.api.authorization.v1';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

const resourceAttributes = struct('ResourceAttributes', {
  namespace: text,
  verb: text,
  group: text,
  version: text,
  resource: text,
  subresource: text,
  name: text,
});

const nonResourceAttributes = struct('NonResourceAttributes', { path: text, verb: text });

const selfSubjectAccessReviewSpec = struct('SelfSubjectAccessReviewSpec', {
  resourceAttributes,
  nonResourceAttributes,
});

const subjectAccessReviewSpec = struct('SubjectAccessReviewSpec', {
  resourceAttributes,
  nonResourceAttributes,
  user: text,
  groups: list(text),
});

const selfSubjectAccessReview = struct('SelfSubjectAccessReview', {
  metadata: always(objectMeta),
  spec: always(selfSubjectAccessReviewSpec),
});

const subjectAccessReview = struct('SubjectAccessReview', {
  metadata: always(objectMeta),
  spec: always(subjectAccessReviewSpec),
});

const selfSubjectReview = struct('SelfSubjectReview', { metadata: always(objectMeta) });

const preconditions = struct('Preconditions', { uid: optional(text), resourceVersion: optional(text) });

const deleteOptions = struct('DeleteOptions', {
  gracePeriodSeconds: optional(int64),
  preconditions,
  orphanDependents: optional(bool),
  propagationPolicy: optional(text),
  dryRun: list(text),
});

const UNSTORED: readonly (readonly [apiVersion: string, schema: StructSchema])[] = [
  ['authentication.k8s.io/v1', selfSubjectReview],
  ['authorization.k8s.io/v1', selfSubjectAccessReview],
  ['authorization.k8s.io/v1', subjectAccessReview],
];

/** What a body can hold, by its version and kind. */
const MESSAGES: ReadonlyMap<string, StructSchema> = new Map([
  ...BUILT_IN_KINDS.map((kind) => [messageKey(apiVersionOf(kind), kind.kind), kind.schema] as const),
  ...UNSTORED.map(([apiVersion, schema]) => [messageKey(apiVersion, schema.name), schema] as const),
]);

/** The full names of the types of all messages. */
export const MESSAGE_TYPES: ReadonlyMap<StructSchema, string> = new Map([
  ...typeNames(BUILT_IN_KINDS),
  ...[deleteOptions, preconditions].map((schema) => [schema, `${META}.${schema.name}`] as const),
  ...[
    selfSubjectAccessReview,
    selfSubjectAccessReviewSpec,
    subjectAccessReview,
    subjectAccessReviewSpec,
    resourceAttributes,
    nonResourceAttributes,
  ].map((schema) => [schema, `${AUTHORIZATION}.${schema.name}`] as const),
  [selfSubjectReview, 'io.k8s.api.authentication.v1.SelfSubjectReview'],
]);

function messageKey(apiVersion: string, kind: string): string {
  return `${apiVersion}/${kind}`;
}

/** How a body of this version and kind is to be read. */
export function messageSchema(apiVersion: string, kind: string): StructSchema | undefined {
  // Options belong to every version of every group.
  return kind === 'DeleteOptions' ? deleteOptions : MESSAGES.get(messageKey(apiVersion, kind));
}
