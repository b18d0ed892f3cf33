import { equalJson, without } from '../../../json.ts';
import { type KubeObject, withMetadata } from '../../object.ts';
import { builtInSchema } from '../../schema/built-in.ts';
import {
  duplicate,
  type FieldProblem,
  forbiddenField,
  invalidValue,
  required,
} from '../../validation/field-problem.ts';
import { dnsLabelProblems } from '../../validation/names.ts';
import { portNumberProblems } from '../../validation/ports.ts';
import { builtIn, type ServedKind, STATUS_ONLY, STATUS_RULES } from '../kind.ts';
import { admitPod } from './admission.ts';
import { podDefaults } from './defaults.ts';
import { asPod, type Container, isTerminal, type Pod } from './pod.ts';

function podProblems({ spec }: Pod): readonly FieldProblem[] {
  if ((spec.containers ?? []).length === 0) return [required('spec.containers')];
  return [
    ...containerProblems('spec.containers', spec.containers ?? []),
    ...containerProblems('spec.initContainers', spec.initContainers ?? []),
  ];
}

/** What is wrong with the containers of a pod, or of a template for pods. */
export function containerProblems(field: string, containers: readonly Container[]): readonly FieldProblem[] {
  return containers.flatMap(({ name, image = '', ports = [] }, index) => {
    const place = `${field}[${index}]`;
    const problems: FieldProblem[] = [];
    if (name === '') problems.push(required(`${place}.name`));
    else {
      problems.push(...dnsLabelProblems(name).map((problem) => invalidValue(`${place}.name`, name, problem)));
      const first = containers.findIndex((other) => other.name === name);
      if (first < index) problems.push(duplicate(`${place}.name`, name));
    }
    if (image === '') problems.push(required(`${place}.image`));
    const numbers = ports.flatMap(({ containerPort }, at) =>
      portNumberProblems(`${place}.ports[${at}].containerPort`, containerPort),
    );
    return [...problems, ...numbers];
  });
}

const CHANGEABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join();

/** Of a running pod little more than the images can be changed. */
function podUpdateProblems(next: Pod, previous: Pod): readonly FieldProblem[] {
  const problems = [...podProblems(next)];
  const before = next.spec.nodeName !== previous.spec.nodeName ? { ...previous.spec, nodeName: '' } : previous.spec;
  if (equalJson(unchangeable(next.spec), unchangeable(before))) return problems;
  return [...problems, forbiddenField('spec', `pod updates may not change fields other than ${CHANGEABLE}`)];
}

function unchangeable(spec: Pod['spec']): KubeObject['spec'] {
  const withoutImage = (containers: readonly Container[] | null | undefined) =>
    containers?.map((each) => without(each, 'image', 'resources')) ?? [];
  return {
    ...without(spec, 'tolerations', 'activeDeadlineSeconds'),
    containers: withoutImage(spec.containers),
    initContainers: withoutImage(spec.initContainers),
  };
}

function qualityOfService({ spec }: Pod): string {
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const amounts = all.map(({ resources }) => resources ?? {});
  const none = amounts.every(({ limits = {}, requests = {} }) => Object.keys({ ...limits, ...requests }).length === 0);
  if (none) return 'BestEffort';
  const guaranteed = amounts.every(({ limits = {}, requests = {} }) =>
    ['cpu', 'memory'].every((name) => limits[name] !== undefined && limits[name] === requests[name]),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

export const pods: ServedKind = builtIn({
  plural: 'pods',
  kind: 'Pod',
  shortNames: ['po'],
  categories: ['all'],
  schema: builtInSchema('io.k8s.api.core.v1.Pod'),
  defaults: (object) => podDefaults(asPod(object)),
  rules: {
    ...STATUS_RULES,
    returnsDeleted: true,
    admit: (object, previous, context) => (previous === undefined ? admitPod(asPod(object), context) : object),
    prepareCreate: (object) => ({
      ...withMetadata(object, { generation: 1 }),
      status: { phase: 'Pending', qosClass: qualityOfService(asPod(object)) },
    }),
    validateCreate: (object) => podProblems(asPod(object)),
    update: {
      prepare(next, previous) {
        const kept = { ...next, status: previous.status ?? {} };
        if (equalJson(next.spec, previous.spec)) return kept;
        return withMetadata(kept, { generation: (previous.metadata.generation ?? 0) + 1 });
      },
      validate: (next, previous) => podUpdateProblems(asPod(next), asPod(previous)),
      ignored: { 'f:status': {} },
    },
    subresources: new Map([
      [
        'status',
        {
          ...STATUS_ONLY,
          prepare(next, previous) {
            const { ownerReferences } = previous.metadata;
            const { status, spec } = asPod(previous);
            const kept = { qosClass: status.qosClass ?? null, ...asPod(next).status };
            return withMetadata({ ...next, spec, status: kept }, { ownerReferences, deletionTimestamp: undefined });
          },
          ignored: { 'f:metadata': { 'f:deletionTimestamp': {}, 'f:ownerReferences': {} }, 'f:spec': {} },
        },
      ],
    ]),
    gracePeriod(object, asked) {
      const each = asPod(object);
      if (each.spec.nodeName === undefined || isTerminal(each)) return 0;
      const seconds = asked ?? each.spec.terminationGracePeriodSeconds ?? 0;
      return seconds < 0 ? 1 : seconds;
    },
  },
  selectable: {
    names: [
      'metadata.name',
      'metadata.namespace',
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ],
    read(object) {
      const { spec, status } = asPod(object);
      return {
        'spec.nodeName': spec.nodeName ?? '',
        'spec.restartPolicy': spec.restartPolicy ?? '',
        'spec.schedulerName': spec.schedulerName ?? '',
        'spec.serviceAccountName': spec.serviceAccountName ?? '',
        'spec.hostNetwork': String(spec.hostNetwork ?? false),
        'status.phase': status.phase ?? '',
        'status.podIP': status.podIPs?.[0]?.ip ?? '',
      };
    },
  },
});
