import { equalJson } from '../../json.ts';
import type { KubeObject } from '../object.ts';
import { builtInSchema } from '../schema/built-in.ts';
import { type FieldProblem, invalidValue, notSupported, required } from '../validation/field-problem.ts';
import { pathSegmentProblems } from '../validation/names.ts';
import { builtIn, type KindRules, PLAIN_RULES, type ServedKind } from './kind.ts';

const GROUP = 'rbac.authorization.k8s.io';
const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

export type PolicyRule = {
  readonly verbs: readonly string[] | null;
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
};

export type Role = KubeObject & { readonly rules: readonly PolicyRule[] | null };

export type Subject = {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
};

export type Binding = KubeObject & {
  readonly subjects?: readonly Subject[];
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
};

/** The decoder has made sure of the rest. */
export function isRole(object: KubeObject): object is Role {
  return object.kind === 'Role' || object.kind === 'ClusterRole';
}

/** The decoder has made sure of the rest. */
export function isBinding(object: KubeObject): object is Binding {
  return object.kind === 'RoleBinding' || object.kind === 'ClusterRoleBinding';
}

function ruleProblems(object: KubeObject): readonly FieldProblem[] {
  const rules = isRole(object) ? (object.rules ?? []) : [];
  return rules.flatMap(({ verbs, apiGroups = [], resources = [], nonResourceURLs = [] }, index) => {
    const field = `rules[${index}]`;
    const problems: FieldProblem[] = [];
    if ((verbs ?? []).length === 0) problems.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
    if (nonResourceURLs.length > 0) return problems;
    if (apiGroups.length === 0) {
      problems.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
    }
    if (resources.length === 0) {
      problems.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
    }
    return problems;
  });
}

/** Users and groups belong to the API group of the roles, without having to say so. */
function withGroups(object: KubeObject): KubeObject {
  if (!isBinding(object)) return object;
  const { roleRef, subjects } = object;
  const completed = subjects?.map((subject) => {
    if (subject.apiGroup !== undefined || subject.kind === 'ServiceAccount') return subject;
    const { kind, ...rest } = subject;
    return { kind, apiGroup: GROUP, ...rest };
  });
  const apiGroup = roleRef.apiGroup === '' ? GROUP : roleRef.apiGroup;
  return { ...object, ...(completed && { subjects: completed }), roleRef: { ...roleRef, apiGroup } };
}

function bindingProblems(object: KubeObject, roleKinds: readonly string[]): readonly FieldProblem[] {
  if (!isBinding(object)) return [];
  const { roleRef, subjects = [] } = object;
  const problems: FieldProblem[] = [];
  if (!roleKinds.includes(roleRef.kind)) problems.push(notSupported('roleRef.kind', roleRef.kind, roleKinds));
  if (roleRef.name === '') problems.push(required('roleRef.name'));
  for (const [index, { name, kind }] of subjects.entries()) {
    if (name === '') problems.push(required(`subjects[${index}].name`));
    if (!SUBJECT_KINDS.includes(kind)) problems.push(notSupported(`subjects[${index}].kind`, kind, SUBJECT_KINDS));
  }
  return problems;
}

function bindingRules(roleKinds: readonly string[]): KindRules {
  return {
    ...ROLE_RULES,
    validateCreate: (object) => bindingProblems(object, roleKinds),
    update: {
      ...PLAIN_RULES.update,
      validate(next, previous) {
        const problems = bindingProblems(next, roleKinds);
        if (!isBinding(next) || equalJson(next.roleRef, previous.roleRef)) return problems;
        const { apiGroup, kind, name } = next.roleRef;
        const shown = { APIGroup: apiGroup, Kind: kind, Name: name };
        return [...problems, invalidValue('roleRef', shown, 'cannot change roleRef')];
      },
    },
  };
}

const ROLE_RULES: KindRules = {
  ...PLAIN_RULES,
  nameRule: pathSegmentProblems,
  createOnUpdate: true,
  qualifiedFinalizers: false,
  validateCreate: ruleProblems,
  update: { ...PLAIN_RULES.update, validate: ruleProblems },
};

export const roles: ServedKind = builtIn({
  group: GROUP,
  plural: 'roles',
  kind: 'Role',
  schema: builtInSchema('io.k8s.api.rbac.v1.Role'),
  rules: ROLE_RULES,
});

export const clusterRoles: ServedKind = builtIn({
  group: GROUP,
  plural: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
  schema: builtInSchema('io.k8s.api.rbac.v1.ClusterRole'),
  rules: ROLE_RULES,
});

export const roleBindings: ServedKind = builtIn({
  group: GROUP,
  plural: 'rolebindings',
  kind: 'RoleBinding',
  schema: builtInSchema('io.k8s.api.rbac.v1.RoleBinding'),
  defaults: withGroups,
  rules: bindingRules(['Role', 'ClusterRole']),
});

export const clusterRoleBindings: ServedKind = builtIn({
  group: GROUP,
  plural: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
  schema: builtInSchema('io.k8s.api.rbac.v1.ClusterRoleBinding'),
  defaults: withGroups,
  rules: bindingRules(['ClusterRole']),
});
