import { listOf, objectOf, textOf, valueAt } from '../../json.ts';
import { forbidden } from '../failure.ts';
import { type KubeObject, withMetadata } from '../object.ts';
import { builtInSchema } from '../schema/built-in.ts';
import { type FieldProblem, invalidValue } from '../validation/field-problem.ts';
import { finalizerProblems, metadataProblems } from '../validation/metadata.ts';
import { dnsLabelProblems } from '../validation/names.ts';
import { builtIn, PLAIN_RULES, type ServedKind, STATUS_ONLY } from './kind.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';
const FINALIZER = 'kubernetes';
const IMMORTAL = ['default', 'kube-system', 'kube-public'];

export type NamespaceCondition = {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
};

export type Namespace = KubeObject & {
  readonly spec: { readonly finalizers?: readonly string[] };
  readonly status: { readonly phase?: string; readonly conditions?: readonly NamespaceCondition[] };
};

/** The decoder has made sure of the rest. */
export function isNamespace(object: KubeObject): object is Namespace {
  return object.kind === 'Namespace' && object.apiVersion === 'v1';
}

function withNameLabel(object: KubeObject): KubeObject {
  const { name, labels } = object.metadata;
  if (name === '' || labels?.[NAME_LABEL] === name) return object;
  return withMetadata(object, { labels: { ...labels, [NAME_LABEL]: name } });
}

function withFinalizer(object: KubeObject): KubeObject {
  const finalizers = isNamespace(object) ? (object.spec.finalizers ?? []) : [];
  const spec = { finalizers: finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER] };
  return { ...object, spec, status: { phase: 'Active' } };
}

function isReleased(object: KubeObject): boolean {
  return !isNamespace(object) || (object.spec.finalizers ?? []).length === 0;
}

function statusProblems(next: KubeObject): readonly FieldProblem[] {
  const phase = textOf(valueAt(next, 'status', 'phase'));
  const deleted = next.metadata.deletionTimestamp !== undefined;
  const expected = deleted ? 'Terminating' : 'Active';
  if (phase === expected) return [];
  const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${deleted ? 'not empty' : 'empty'}`;
  return [invalidValue('status.Phase', phase, detail)];
}

function specProblems({ spec }: KubeObject): readonly FieldProblem[] {
  const finalizers = listOf(objectOf(spec).finalizers).map(textOf);
  return finalizerProblems(finalizers, true).map((problem) => ({ ...problem, field: 'spec.finalizers' }));
}

export const namespaces: ServedKind = builtIn({
  plural: 'namespaces',
  kind: 'Namespace',
  shortNames: ['ns'],
  namespaced: false,
  schema: builtInSchema('io.k8s.api.core.v1.Namespace'),
  defaults: withNameLabel,
  rules: {
    ...PLAIN_RULES,
    nameRule: dnsLabelProblems,
    returnsDeleted: true,
    markDeleted(object, { now }) {
      const { name } = object.metadata;
      if (IMMORTAL.includes(name)) {
        throw forbidden({ group: '', resource: 'namespaces' }, name, 'this namespace may not be deleted');
      }
      if (object.metadata.deletionTimestamp !== undefined) return isReleased(object) ? undefined : object;
      const status = { ...objectOf(object.status), phase: 'Terminating' };
      return withMetadata({ ...object, status }, { deletionTimestamp: now });
    },
    isReleased,
    prepareCreate: (object) => withNameLabel(withFinalizer(object)),
    validateCreate: specProblems,
    update: {
      prepare: (next, previous) => ({
        ...withNameLabel(next),
        spec: previous.spec ?? {},
        status: previous.status ?? {},
      }),
      validate: ({ metadata }) =>
        metadataProblems(metadata, { namespaced: false, name: dnsLabelProblems, qualifiedFinalizers: true }),
      ignored: { 'f:status': {} },
    },
    subresources: new Map([
      ['status', { ...STATUS_ONLY, validate: statusProblems }],
      [
        'finalize',
        {
          prepare: (next, previous) => ({ ...next, status: previous.status ?? {} }),
          validate: (next) => [...finalizerProblems(next.metadata.finalizers ?? [], true), ...specProblems(next)],
          ignored: { 'f:status': {} },
        },
      ],
    ]),
  },
  selectable: {
    names: ['metadata.name', 'status.phase'],
    read: (object) => ({ 'status.phase': textOf(valueAt(object, 'status', 'phase')) }),
  },
});
