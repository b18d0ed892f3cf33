import { equalJson, type JsonObject, objectOf } from '../../json.ts';
import { type KubeObject, type ObjectMeta, withMetadata } from '../object.ts';
import { builtInSchema } from '../schema/built-in.ts';
import { matchesLabels } from '../selectors.ts';
import { type FieldProblem, IMMUTABLE, invalidValue, required } from '../validation/field-problem.ts';
import { builtIn, type ServedKind, STATUS_ONLY, STATUS_RULES } from './kind.ts';
import { templateDefaults } from './pod/defaults.ts';
import { containerProblems } from './pod/kind.ts';
import type { PodSpec } from './pod/pod.ts';

type Labels = Readonly<Record<string, string>>;

type LabelSelector = { readonly matchLabels?: Labels; readonly matchExpressions?: readonly JsonObject[] };

type Deployment = KubeObject & {
  readonly spec: JsonObject & {
    readonly replicas?: number;
    readonly selector: LabelSelector | null;
    readonly template: { readonly metadata: Partial<ObjectMeta>; readonly spec: PodSpec };
    readonly strategy: { readonly type?: string; readonly rollingUpdate?: JsonObject };
  };
};

/** The decoder has made sure of the rest. */
function isDeployment(object: KubeObject): object is Deployment {
  return object.kind === 'Deployment' && object.apiVersion === 'apps/v1';
}

function asDeployment(object: KubeObject): Deployment {
  if (isDeployment(object)) return object;
  throw new TypeError(`expected a Deployment, not a ${object.kind}`);
}

const QUARTER = '25%';

function deploymentDefaults(object: KubeObject): KubeObject {
  const { spec } = asDeployment(object);
  const { type = 'RollingUpdate', rollingUpdate } = spec.strategy;
  const rolling = { maxUnavailable: QUARTER, maxSurge: QUARTER, ...rollingUpdate };
  const strategy = type === 'RollingUpdate' ? { type, rollingUpdate: rolling } : { ...spec.strategy, type };
  const template = { ...spec.template, spec: templateDefaults(spec.template.spec) };
  return { ...object, spec: { ...spec, template, strategy } };
}

function deploymentProblems({ spec }: Deployment): readonly FieldProblem[] {
  const { selector, template, replicas = 0 } = spec;
  const labels = template.metadata.labels ?? {};
  const selects = selector !== null && matchesLabels(selector.matchLabels ?? {}, labels);
  const mismatch = '`selector` does not match template `labels`';
  return [
    ...(replicas < 0 ? [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')] : []),
    ...(selector === null ? [required('spec.selector')] : []),
    ...(selects ? [] : [invalidValue('spec.template.metadata.labels', labels, mismatch)]),
    ...containerProblems('spec.template.spec.containers', template.spec.containers ?? []),
  ];
}

function updateProblems(next: Deployment, previous: Deployment): readonly FieldProblem[] {
  const problems = deploymentProblems(next);
  if (equalJson(next.spec.selector, previous.spec.selector)) return problems;
  return [...problems, invalidValue('spec.selector', objectOf(next.spec.selector), IMMUTABLE)];
}

export const deployments: ServedKind = builtIn({
  group: 'apps',
  plural: 'deployments',
  kind: 'Deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  schema: builtInSchema('io.k8s.api.apps.v1.Deployment'),
  scale: {
    specReplicas: ['spec', 'replicas'],
    statusReplicas: ['status', 'replicas'],
    selector: (object) => selectorText(asDeployment(object).spec.selector ?? {}),
  },
  defaults: deploymentDefaults,
  rules: {
    ...STATUS_RULES,
    prepareCreate: (object) => withMetadata({ ...object, status: {} }, { generation: 1 }),
    validateCreate: (object) => deploymentProblems(asDeployment(object)),
    update: {
      ...STATUS_RULES.update,
      prepare(next, previous, context) {
        const kept = STATUS_RULES.update.prepare(next, previous, context);
        if (equalJson(next.spec, previous.spec)) return kept;
        return withMetadata(kept, { generation: (previous.metadata.generation ?? 0) + 1 });
      },
      validate: (next, previous) => updateProblems(asDeployment(next), asDeployment(previous)),
    },
    subresources: new Map([['status', STATUS_ONLY]]),
  },
});

function selectorText({ matchLabels = {} }: LabelSelector): string {
  return Object.keys(matchLabels)
    .sort()
    .map((name) => `${name}=${matchLabels[name] ?? ''}`)
    .join();
}
