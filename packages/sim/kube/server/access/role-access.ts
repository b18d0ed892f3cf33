import {
  type Binding,
  clusterRoleBindings,
  clusterRoles,
  isBinding,
  isRole,
  type PolicyRule,
  roleBindings,
  roles,
  type Subject,
} from '../../kinds/rbac.ts';
import type { KubeObject } from '../../object.ts';
import type { Store } from '../../store/store.ts';
import type { AccessQuestion, Authorize, User } from './access.ts';

/** Decides by the Roles and bindings in the cluster, as a real one does. */
export function roleAccess(store: Store): Authorize {
  return (question) => {
    if (question.user.groups.includes('system:masters')) return true;
    const { namespace } = question;
    const everywhere = objectsIn(store, clusterRoleBindings.collection, undefined);
    const here = namespace === '' ? [] : objectsIn(store, roleBindings.collection, namespace);
    return [...everywhere, ...here].some((binding) => isBinding(binding) && grants(store, binding, question));
  };
}

function objectsIn(store: Store, collection: string, namespace: string | undefined): readonly KubeObject[] {
  return store.list(collection, namespace).map(({ object }) => object);
}

function grants(store: Store, binding: Binding, question: AccessQuestion): boolean {
  const { subjects = [], roleRef, metadata } = binding;
  if (!subjects.some((subject) => isMeant(subject, question.user, metadata.namespace ?? ''))) return false;
  const { collection } = roleRef.kind === 'ClusterRole' ? clusterRoles : roles;
  const namespace = roleRef.kind === 'ClusterRole' ? undefined : metadata.namespace;
  const role = store.get(collection, namespace, roleRef.name)?.object;
  if (role === undefined || !isRole(role)) return false;
  return (role.rules ?? []).some((rule) => allows(rule, question));
}

function isMeant({ kind, name, namespace }: Subject, user: User, bindingNamespace: string): boolean {
  switch (kind) {
    case 'User':
      return user.name === name;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount':
      return user.name === `system:serviceaccount:${namespace ?? bindingNamespace}:${name}`;
    default:
      return false;
  }
}

function allows(rule: PolicyRule, { verb, group, resource, subresource, name }: AccessQuestion): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [] } = rule;
  const wanted = subresource === '' ? resource : `${resource}/${subresource}`;
  const named = ['*', wanted, ...(subresource === '' ? [] : [`*/${subresource}`])];
  return (
    includesOne(verbs ?? [], ['*', verb]) &&
    includesOne(apiGroups, ['*', group]) &&
    includesOne(resources, named) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

function includesOne(values: readonly string[], wanted: readonly string[]): boolean {
  return wanted.some((value) => values.includes(value));
}
